"""Doubly logarithmic plots as SVG, and the tables of studies they are made from. Needs nothing but Python."""

import math

COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2", "#e08e0b", "#444444"]
WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 78, 240, 40, 58


def read_tables(lines):
    """{name: [{column: cell}]} of the tables, by the name in brackets at the end of each heading."""
    tables, name, header = {}, None, None
    for line in lines:
        if line.startswith("## "):
            name, header = line[line.rindex("(") + 1 : line.rindex(")")].strip("`"), None
        elif line.startswith("| ") and name:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if header is None:
                header = cells
                tables[name] = []
            elif not set(line) <= set("|- \n"):
                tables[name].append(dict(zip(header, cells)))
    return tables


def number(text):
    """The number in a cell, or None where a run failed."""
    try:
        return float(text)
    except ValueError:
        return None


class Plot:
    """A doubly logarithmic plot; ranges are exponents of ten. The x axis runs from the first to the second."""

    def __init__(self, title, x_label, y_label, x_range, y_range, y_every=1):
        self.x_range, self.y_range, self.lines = x_range, y_range, []
        self.marks = []
        self.add = self.lines.append
        self.add(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" font-family="sans-serif" font-size="13">'
        )
        self.add(f'  <rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
        self.text((LEFT + WIDTH - RIGHT) / 2, 22, title, 'text-anchor="middle" font-size="15"')
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        for k in range(min(x_range), max(x_range) + 1):
            x = self.x(10.0**k)
            self.line(x, TOP, x, bottom, 'stroke="#e4e4e4"')
            self.power(x, bottom + 19, k, "middle")
        for k in range(y_range[0], y_range[1] + 1):
            if (k - y_range[0]) % y_every:
                continue
            y = self.y(10.0**k)
            self.line(LEFT, y, right, y, 'stroke="#e4e4e4"')
            self.power(LEFT - 8, y + 4, k, "end")
        self.add(
            f'  <rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}" fill="none" stroke="#333"/>'
        )
        self.text((LEFT + right) / 2, HEIGHT - 14, x_label, 'text-anchor="middle"')
        middle = (TOP + bottom) / 2
        self.text(20, middle, y_label, f'text-anchor="middle" transform="rotate(-90 20 {middle:.1f})"')

    def x(self, value):
        share = (math.log10(value) - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        share = (math.log10(value) - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def text(self, x, y, text, more=""):
        self.add(f'  <text x="{x:.1f}" y="{y:.1f}" {more}>{text}</text>')

    def power(self, x, y, k, anchor):
        """10 to the k."""
        exponent = str(k).replace("-", "&#8722;")
        raised = f'10<tspan dy="-5" font-size="10">{exponent}</tspan>'
        self.text(x, y, raised, f'text-anchor="{anchor}"')

    def line(self, x1, y1, x2, y2, more):
        self.add(f'  <line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {more}/>')

    def curve(self, points, colour, name, dash="", dots=True):
        places = [(self.x(x), self.y(y)) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'  <polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>')
        if dots:
            for x, y in places:
                self.add(f'  <circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>')
        self.marks.append((colour, name, dashes, dots))

    def write(self, path):
        x = WIDTH - RIGHT + 14
        for i, (colour, name, dashes, dots) in enumerate(self.marks):
            y = TOP + 14 + 23 * i
            self.line(x, y, x + 26, y, f'stroke="{colour}" stroke-width="1.8"{dashes}')
            if dots:
                self.add(f'  <circle cx="{x + 13:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>')
            self.text(x + 33, y + 4, name)
        self.add("</svg>")
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


def group(rows, column):
    """Rows by what they have in a column, in the order in which it first occurs."""
    groups = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups
