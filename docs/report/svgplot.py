# gst-stereomatching: draws line and scatter plots as SVG
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots of measured data as SVG text, the same bytes for the same data.

    plot = Plot("title", "x axis", "y axis")
    plot.line("label", [(x, y), ...])
    plot.points([("label", x, y), ...])
    text = figure([plot, ...], "description for screen readers")

Axes have the range of the data, rounded to ticks, or `x_range` and `y_range`, which clip. A
logarithmic axis has ticks at 1, 2 and 5 times the powers of ten.
"""

import math
from xml.sax.saxutils import escape

# Dark enough for a white page, and distinguishable by the colour-blind.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#806000", "#56b4e9", "#7f3fbf", "#555555")
WIDTH, HEIGHT = 420, 320
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 34, 46


def text_of(value):
    return "%g" % round(value, 6)


def place(value):
    """A coordinate in the file."""
    return "%g" % round(value, 2)


class Axis:
    def __init__(self, values, logarithmic, wanted, first, last):
        self.logarithmic = logarithmic
        low, high = wanted or (min(values), max(values))
        if logarithmic:
            marks = [m * 10 ** e for e in range(-6, 10) for m in (1, 2, 5)]
            if wanted is None:
                low = max(m for m in marks if m <= low * 1.0001)
                high = min(m for m in marks if m >= high * 0.9999)
            self.ticks = [m for m in marks if low * 0.9999 <= m <= high * 1.0001]
        else:
            step = self.step(high - low)
            if wanted is None:
                low = math.floor(low / step + 1e-9) * step
                high = math.ceil(high / step - 1e-9) * step
            count = int(math.floor((high - low) / step + 1e-9))
            start = math.ceil(low / step - 1e-9) * step
            self.ticks = [start + i * step for i in range(count + 1)
                          if start + i * step <= high + 1e-9 * step]
        self.low, self.high, self.first, self.last = low, high, first, last

    @staticmethod
    def step(span):
        """1, 2 or 5 times a power of ten, for four to nine ticks."""
        if span <= 0:
            return 1
        power = 10 ** math.floor(math.log10(span / 4))
        return max(m * power for m in (1, 2, 5) if m * power <= span / 4 * 1.0001)

    def holds(self, value):
        return self.low - 1e-9 <= value <= self.high + 1e-9

    def at(self, value):
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = math.log(value), math.log(low), math.log(high)
        part = (value - low) / (high - low) if high > low else 0.5
        return self.first + part * (self.last - self.first)


class Plot:
    def __init__(self, title, x_label, y_label, x_log=False, y_log=False, x_range=None,
                 y_range=None):
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.x_log, self.y_log = x_log, y_log
        self.x_range, self.y_range = x_range, y_range
        self.lines, self.labelled, self.marks = [], [], []

    def line(self, label, points):
        self.lines.append((label, sorted(points)))

    def points(self, points):
        self.labelled += points

    def mark(self, label, x):
        """Adds a vertical line, such as at a default."""
        self.marks.append((label, x))

    def draw(self):
        points = [p for _, line in self.lines for p in line] + [p[1:] for p in self.labelled]
        x_axis = Axis([p[0] for p in points], self.x_log, self.x_range, LEFT, WIDTH - RIGHT)
        y_axis = Axis([p[1] for p in points], self.y_log, self.y_range, HEIGHT - BOTTOM, TOP)
        out = [text(WIDTH / 2, 18, self.title, "middle", 'font-weight="bold"')]
        for tick in x_axis.ticks:
            x = place(x_axis.at(tick))
            out.append('<path class="g" d="M%s %dV%d"/>' % (x, TOP, HEIGHT - BOTTOM))
            out.append(text(x, HEIGHT - BOTTOM + 16, text_of(tick), "middle"))
        for tick in y_axis.ticks:
            y = y_axis.at(tick)
            out.append('<path class="g" d="M%d %sH%d"/>' % (LEFT, place(y), WIDTH - RIGHT))
            out.append(text(LEFT - 6, place(y + 4), text_of(tick), "end"))
        for label, x in self.marks:
            at = place(x_axis.at(x))
            out.append('<path class="d" d="M%s %dV%d"/>' % (at, TOP, HEIGHT - BOTTOM))
            out.append(text(place(float(at) + 4), TOP + 12, label, "start", 'fill="#555"'))
        out.append('<rect class="a" x="%d" y="%d" width="%d" height="%d"/>' % (
            LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM))
        out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, self.x_label, "middle"))
        middle = (TOP + HEIGHT - BOTTOM) / 2
        out.append(text(14, middle, self.y_label, "middle",
                        'transform="rotate(-90 14 %s)"' % place(middle)))
        for i, (_, line) in enumerate(self.lines):
            inside = [(x_axis.at(x), y_axis.at(y)) for x, y in line
                      if x_axis.holds(x) and y_axis.holds(y)]
            color = COLORS[i % len(COLORS)]
            if inside:
                out.append('<path class="l" stroke="%s" d="M%s"/>' % (
                    color, "L".join("%s %s" % (place(x), place(y)) for x, y in inside)))
            out += ['<circle cx="%s" cy="%s" r="2.6" fill="%s"/>' % (place(x), place(y), color)
                    for x, y in inside]
        out += self.draw_labelled(x_axis, y_axis)
        return out + self.legend(x_axis, y_axis)

    def draw_labelled(self, x_axis, y_axis):
        """Points with labels that overlap neither each other nor the points."""
        out = []
        inside = [(label, x_axis.at(x), y_axis.at(y)) for label, x, y in sorted(
            self.labelled, key=lambda p: (p[2], p[1], p[0])) if x_axis.holds(x) and y_axis.holds(y)]
        taken = [(x - 5, x + 5, y - 5, y + 5) for _, x, y in inside]
        for i, (label, x, y) in enumerate(inside):
            color = COLORS[i % len(COLORS)]
            length = 6.2 * len(label)
            spots = [(start, y + 4 + move) for move in (0, -12, 12, -24, 24, -36, 36)
                     for start in (x + 8, x - 8 - length)
                     if LEFT < start and start + length < WIDTH - RIGHT]
            boxes = [(start, start + length, base - 9, base + 2) for start, base in spots]
            box = next((b for b in boxes if TOP < b[2] and b[3] < HEIGHT - BOTTOM
                        and not any(overlap(b, t) for t in taken)), boxes[0])
            taken.append(box)
            out.append('<circle cx="%s" cy="%s" r="4" fill="%s"/>' % (place(x), place(y), color))
            out.append(text(place(box[0]), place(box[3] - 2), label, "start",
                            'fill="%s"' % color))
        return out

    def legend(self, x_axis, y_axis):
        """The legend, in the corner with the fewest points."""
        named = [(label, COLORS[i % len(COLORS)]) for i, (label, _) in enumerate(self.lines)
                 if label]
        if not named:
            return []
        width, height = 34 + 6.4 * max(len(label) for label, _ in named), 15 * len(named) + 4
        hidden = [(x_axis.at(x) + 20, TOP + 8) for _, x in self.marks]
        for _, line in self.lines:
            spots = [(x_axis.at(x), y_axis.at(y)) for x, y in line
                     if x_axis.holds(x) and y_axis.holds(y)]
            hidden += [(x + (u - x) * part / 10, y + (v - y) * part / 10)
                       for (x, y), (u, v) in zip(spots, spots[1:]) for part in range(11)]
        corners = [(x, y) for y in (TOP + 6, HEIGHT - BOTTOM - 6 - height)
                   for x in (WIDTH - RIGHT - width - 6, LEFT + 6)]
        x, y = min(corners, key=lambda c: sum(c[0] - 4 < u < c[0] + width + 4
                                              and c[1] - 4 < v < c[1] + height + 4
                                              for u, v in hidden))
        out = ['<rect x="%s" y="%s" width="%s" height="%s" fill="#fff" opacity="0.85"/>' % (
            place(x), place(y), place(width), place(height))]
        for i, (label, color) in enumerate(named):
            row = y + 12 + 15 * i
            out.append('<path class="l" stroke="%s" d="M%s %sh18"/>' % (color, place(x + 4),
                                                                       place(row - 4)))
            out.append(text(place(x + 27), row, label, "start"))
        return out


def overlap(a, b):
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def text(x, y, words, anchor, more=""):
    return '<text x="%s" y="%s" text-anchor="%s"%s>%s</text>' % (
        x if isinstance(x, str) else place(x), y if isinstance(y, str) else place(y), anchor,
        " " + more if more else "", escape(words))


def figure(plots, description, columns=2):
    """An SVG file with plots in rows."""
    columns = min(columns, len(plots))
    rows = (len(plots) + columns - 1) // columns
    width, height = WIDTH * columns, HEIGHT * rows
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
           'font-family="sans-serif" font-size="11">' % (width, height, width, height),
           "<title>%s</title>" % escape(description),
           "<style>.g{stroke:#ddd}.d{stroke:#888;stroke-dasharray:4 3}.a{fill:none;stroke:#444}"
           ".l{fill:none;stroke-width:1.6}</style>",
           '<rect width="%d" height="%d" fill="#fff"/>' % (width, height)]
    for i, plot in enumerate(plots):
        out.append('<g transform="translate(%d %d)">' % (i % columns * WIDTH,
                                                        i // columns * HEIGHT))
        out += plot.draw() + ["</g>"]
    return "\n".join(out + ["</svg>"]) + "\n"
