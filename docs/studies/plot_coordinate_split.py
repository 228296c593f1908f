#!/usr/bin/env python3
"""Draws the pictures of coordinate-split.md from the table that coordinate_split_study prints.

    build/bench/bench/coordinate_split_study chain | docs/studies/plot_coordinate_split.py docs/images

writes bushing-chain-work-precision-OFFSET.svg into that folder, one for each offset of the bushings. Needs nothing but Python.
"""

import math
import sys
from pathlib import Path

from plotting import COLOURS, Plot, group, number, read_tables

TIME, ERROR = "time [ms]", "error of positions"


def exponents(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def draw_work_precision(offset, rows, path):
    curves = {}
    for method, own in group(rows, "method").items():
        points = [(number(row[ERROR]), number(row.get(TIME, ""))) for row in own]
        points = [point for point in points if None not in point]
        if points:
            curves[method] = points
    errors = [error for points in curves.values() for error, _ in points]
    times = [time for points in curves.values() for _, time in points]
    plot = Plot(
        f"Chain of 24 rods with bushings {float(offset):g} m off: cost of the smooth motion",
        "error of positions against the smooth motion [m, rad]",
        "processor time [ms]",
        exponents(errors)[::-1],
        exponents(times),
    )
    for i, (method, points) in enumerate(curves.items()):
        plot.curve(points, COLOURS[i % len(COLOURS)], method, "6 4" if i >= len(COLOURS) else "")
    plot.write(path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for offset, rows in group(read_tables(sys.stdin)["chain"], "offset [m]").items():
        draw_work_precision(offset, rows, Path(sys.argv[1]) / f"bushing-chain-work-precision-{offset}.svg")


if __name__ == "__main__":
    main()
