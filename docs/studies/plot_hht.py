#!/usr/bin/env python3
"""Draws the pictures of hht.md from the tables that hht_study prints.

    build/bench/bench/hht_study tolerance condition | docs/studies/plot_hht.py docs/images

writes hht-work-precision.svg and hht-condition.svg into that folder. Needs nothing but Python.
"""

import sys
from pathlib import Path

from plotting import COLOURS, Plot, group, number, read_tables


def draw_work_precision(rows, path):
    plot = Plot("hht: error of positions against the tolerance", "tolerance", "error [m, rad]", (-3, -8), (-7, -1))
    for colour, (case, own) in zip(COLOURS, group(rows, "case").items()):
        points = [(number(row["tol"]), number(row["error"])) for row in own]
        plot.curve([p for p in points if p[1]], colour, case)
    plot.curve([(1e-3, 1e-2), (1e-8, 1e-2 * 1e-5 ** (2 / 3))], "#999", "tolerance^(2/3)", "6 4", False)
    plot.write(path)


def draw_condition(rows, path):
    plot = Plot("Condition of Newton's matrix against the step", "step h [s]", "condition, 2-norm", (-1, -7), (0, 21), 3)
    for colour, (case, own) in zip(COLOURS, group(rows, "case").items()):
        for column, name, dash in (
            ("condition of hht", f"{case}, hht", ""),
            ("condition of the first-order form", f"{case}, first order", "6 4"),
        ):
            plot.curve([(number(row["h"]), number(row[column])) for row in own], colour, name, dash)
    plot.write(path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    tables = read_tables(sys.stdin)
    if "tolerance" in tables:
        draw_work_precision(tables["tolerance"], folder / "hht-work-precision.svg")
    if "condition" in tables:
        draw_condition(tables["condition"], folder / "hht-condition.svg")


if __name__ == "__main__":
    main()
