#!/usr/bin/env python3
"""Puts the tables that a benchmark prints into a page: ./dev bench PROGRAM | docs/studies/fill_tables.py PAGE.md

Headings of both end with the name of the table in brackets, as in "## Some title (`name`)". The first table below such a
heading of the page is replaced by the one below the heading of the same name on standard input; all else stays. Tables
that the page has not are reported and left out.
"""

import re
import sys

HEADING = re.compile(r"^#+ .*\(`([^`]+)`\)$")


def sections(lines):
    """Pairs of a name and the numbers of the lines below its heading."""
    begins = [(i, HEADING.match(line)) for i, line in enumerate(lines) if line.startswith("#")]
    ends = [i for i, _ in begins[1:]] + [len(lines)]
    return [(match.group(1), range(i + 1, end)) for (i, match), end in zip(begins, ends) if match]


def first_table(lines, numbers):
    """Where the first table begins and ends; an empty range without one."""
    begin = next((i for i in numbers if lines[i].startswith("|")), None)
    if begin is None:
        return range(0)
    end = next((i for i in range(begin, numbers.stop) if not lines[i].startswith("|")), numbers.stop)
    return range(begin, end)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: ./dev bench PROGRAM | docs/studies/fill_tables.py PAGE.md")
    printed = sys.stdin.read().splitlines()
    with open(sys.argv[1], encoding="utf-8") as page:
        lines = page.read().splitlines()
    places = {name: first_table(lines, numbers) for name, numbers in sections(lines)}
    changes = []
    for name, numbers in sections(printed):
        table = first_table(printed, numbers)
        if not table or not places.get(name):
            print(f"fill_tables.py: no table '{name}' in", "the page" if table else "the output", file=sys.stderr)
            continue
        changes.append((places[name], [printed[i] for i in table]))
    for place, table in sorted(changes, key=lambda change: change[0].start, reverse=True):
        lines[place.start : place.stop] = table
    with open(sys.argv[1], "w", encoding="utf-8") as page:
        page.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
