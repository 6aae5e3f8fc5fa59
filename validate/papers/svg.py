"""Small pictures for docs/papers.md: lines, dots, bars; legible on light and dark pages.
SPDX-License-Identifier: MIT"""

import math

COLOURS = [
    ("#4477aa", "#77aadd"),
    ("#d55e00", "#f0904a"),
    ("#228833", "#66cc77"),
    ("#aa3377", "#dd77aa"),
    ("#997700", "#ddbb44"),
    ("#666666", "#aaaaaa"),
    ("#009988", "#44ccbb"),
    ("#cc3311", "#ff7755"),
]  # light, dark
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 70, 20, 44, 52
PLOT_HEIGHT, LEGEND_ROW, LETTER, CAPITAL = 300, 18, 6.2, 8.0


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def short(value):
    """A number of an axis."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def length(text):
    """Of a text of the legend or under an axis, about."""
    return sum(CAPITAL if c.isupper() or c == "_" else LETTER for c in text)


class Axis:
    def __init__(self, values, log, start, end, from_zero):
        values = [v for v in values if v is not None and (not log or v > 0)] or [1]
        low, high = min(values), max(values)
        self.log, self.start, self.end = log, start, end
        if log:
            self.low, self.high = math.log10(low) - 0.03, math.log10(high) + 0.03
            steps = (1, 1.5, 2, 3, 4, 5, 7) if self.high - self.low < 1.1 else (1, 2, 5)
            self.ticks = [
                m * 10.0**e for e in range(math.floor(self.low), math.ceil(self.high) + 1) for m in steps
            ]
            if self.high - self.low > 2.5:
                self.ticks = [10.0**e for e in range(math.floor(self.low), math.ceil(self.high) + 1)]
            self.ticks = [t for t in self.ticks if self.low <= math.log10(t) <= self.high]
            return
        low = 0 if from_zero and low >= 0 else low
        step = 10.0 ** math.floor(math.log10((high - low) / 4 or 1))
        step *= next(m for m in (1, 2, 2.5, 5, 10) if (high - low) / (step * m) <= 6)
        self.low, self.high = math.floor(low / step) * step, math.ceil(high / step) * step or 1
        self.ticks = [self.low + i * step for i in range(round((self.high - self.low) / step) + 1)]

    def place(self, value):
        at = math.log10(value) if self.log else value
        return self.start + (self.end - self.start) * (at - self.low) / ((self.high - self.low) or 1)


def style():
    light = "".join(f".c{i}{{color:{c[0]}}}" for i, c in enumerate(COLOURS))
    dark = "".join(f".c{i}{{color:{c[1]}}}" for i, c in enumerate(COLOURS))
    return (
        "<style>text{font-family:sans-serif;font-size:12px;fill:#202020}.page{fill:#fff}.title{font-weight:bold;"
        "font-size:14px}.small{font-size:11px}.end{text-anchor:end}.middle{text-anchor:middle}.grid{stroke:#ddd}"
        ".axis{stroke:#808080;fill:none}.line{stroke:currentColor;stroke-width:2;fill:none}.dot{fill:currentColor}"
        ".open{stroke:currentColor;stroke-width:1.6;fill:none}.dash{stroke-dasharray:5 4}"
        f"{light}@media"
        f" (prefers-color-scheme:dark){{text{{fill:#e8e8e8}}.page{{fill:#181818}}.grid{{stroke:#3a3a3a}}{dark}}}"
        "</style>"
    )


def mark(kind, x, y):
    if kind == "open":
        return f'<rect class="open" x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7"/>'
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'


def chart(
    path, title, x_label, y_label, series, x_log=False, y_log=False, categories=None, diagonal=False, lines=()
):
    """Writes a chart. `series`: (name, kind, [(x, y)]), and the number of its colour where that is
    not its own number; kind is line, dots, open, dashed or bar. With `categories`, x is the number
    of one of them, and bars stand on each other. `diagonal`: both axes are alike, with a line x =
    y. `lines`: (x, label) of vertical lines."""
    colours = [(s[3] if len(s) > 3 else i) % len(COLOURS) for i, s in enumerate(series)]
    series = [s[:3] for s in series]
    rows, row_width = [[]], 0
    for i, (name, kind, _) in enumerate(series):
        width = 38 + length(name)
        if rows[-1] and row_width + width > WIDTH - LEFT - RIGHT:
            rows.append([])
            row_width = 0
        rows[-1].append((i, name, kind, LEFT + row_width))
        row_width += width
    slanted = categories and max(length(c) for c in categories) * len(categories) > WIDTH - LEFT - RIGHT
    bottom = BOTTOM + (40 if slanted else 0)
    top = TOP + LEGEND_ROW * len(rows)
    height = top + (440 if diagonal else PLOT_HEIGHT) + bottom
    floor = height - bottom
    xs = [x for _, _, points in series for x, _ in points] + [x for x, _ in lines]
    ys = [y for _, kind, points in series if kind != "bar" for _, y in points]
    if categories:
        sums = [0.0] * len(categories)
        for _, kind, points in series:
            for x, y in points if kind == "bar" else ():
                sums[x] += y
        ys += [s for s in sums if s]
    if diagonal:
        xs = ys = xs + ys
    y_axis = Axis(ys, y_log, floor, top, True)
    x_axis = Axis(xs, x_log, LEFT, LEFT + 440 if diagonal else WIDTH - RIGHT, diagonal)
    slot = (WIDTH - LEFT - RIGHT) / len(categories) if categories else 0
    x_at = (lambda x: LEFT + slot * (x + 0.5)) if categories else x_axis.place
    right = x_axis.end
    out = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH}'
            f' {height}">'
        ),
        f"<title>{escape(title)}</title>{style()}",
        '<rect class="page" width="100%" height="100%"/>',
        f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>',
    ]
    for number, row in enumerate(rows):
        for i, name, kind, x in row:
            y = 38 + LEGEND_ROW * number
            sign = {
                "bar": f'<rect class="dot" x="{x}" y="{y - 5}" width="16" height="9"/>',
                "line": f'<path class="line" d="M{x} {y}h18"/>',
                "dashed": f'<path class="line dash" d="M{x} {y}h18"/>',
            }
            out.append(
                f'<g class="c{colours[i]}">{sign.get(kind) or mark(kind, x + 9, y)}</g>'
                f'<text class="small" x="{x + 22:.0f}" y="{y + 4}">{escape(name)}</text>'
            )
    for tick in y_axis.ticks:
        y = y_axis.place(tick)
        out.append(
            f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>'
            f'<text class="small end" x="{LEFT - 6}" y="{y + 4:.1f}">{short(tick)}</text>'
        )
    for i, name in enumerate(categories or ()):
        turned = f' transform="rotate(-35 {x_at(i):.1f} {floor + 14})"' if slanted else ""
        side = "end" if slanted else "middle"
        out.append(
            f'<text class="small {side}" x="{x_at(i):.1f}" y="{floor + 14}"{turned}>{escape(name)}</text>'
        )
    for tick in () if categories else x_axis.ticks:
        x = x_axis.place(tick)
        out.append(
            f'<path class="grid" d="M{x:.1f} {floor}V{top}"/>'
            f'<text class="small middle" x="{x:.1f}" y="{floor + 16}">{short(tick)}</text>'
        )
    out.append(f'<path class="axis" d="M{LEFT} {top}V{floor}H{right}"/>')
    out.append(
        f'<text class="middle" x="{(LEFT + right) / 2:.0f}" y="{height - 10}">{escape(x_label)}</text>'
    )
    out.append(
        f'<text class="middle" transform="translate(16 {(top + floor) / 2:.0f})'
        f' rotate(-90)">{escape(y_label)}</text>'
    )
    if diagonal:
        out.append(f'<path class="axis" d="M{LEFT} {floor}L{right} {top}"/>')
    for x, label in lines:
        out.append(
            f'<path class="axis dash" d="M{x_at(x):.1f} {floor}V{top}"/>'
            f'<text class="small" x="{x_at(x) + 4:.1f}" y="{top + 10}">{escape(label)}</text>'
        )
    heights = [0.0] * len(categories or ())
    for i, (_, kind, points) in enumerate(series):
        drawn = []
        if kind == "bar":
            for x, y in points:
                high, low = y_axis.place(heights[x] + y), y_axis.place(heights[x])
                drawn.append(
                    f'<rect class="dot" x="{x_at(x) - slot * 0.35:.1f}" y="{high:.1f}"'
                    f' width="{slot * 0.7:.1f}" height="{low - high:.1f}"/>'
                )
                heights[x] += y
        elif kind in ("line", "dashed"):
            way = " ".join(f"{x_at(x):.1f} {y_axis.place(y):.1f}" for x, y in points)
            drawn.append(f'<path class="line{" dash" if kind == "dashed" else ""}" d="M{way}"/>')
        else:
            drawn += [mark(kind, x_at(x), y_axis.place(y)) for x, y in points]
        out.append(f'<g class="c{colours[i]}">{"".join(drawn)}</g>')
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(out + ["</svg>", ""]))
