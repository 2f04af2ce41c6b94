"""Line plots with logarithmic axes as SVG, without dependencies."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 80, 220, 40, 60
COLORS = ("#1b6ca8", "#d1495b", "#2e8b57", "#e08e0b", "#6a4c93", "#555555")


class LogAxis:
    """Maps values to pixels, and knows where the ticks are."""

    def __init__(self, values, first_pixel, last_pixel, base):
        low, high = min(values), max(values)
        self._low = math.floor(math.log(low, base) + 1e-9)
        self._high = max(math.ceil(math.log(high, base) - 1e-9), self._low + 1)
        self._first, self._last, self._base = first_pixel, last_pixel, base

    def pixel(self, value):
        part = ((math.log(value, self._base) - self._low)
                / (self._high - self._low))
        return self._first + part * (self._last - self._first)

    def ticks(self, most):
        step = max(1, math.ceil((self._high - self._low) / most))
        return [self._base ** power
                for power in range(self._low, self._high + 1, step)]


def _text(x, y, text, extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" {extra}>'
            f"{escape(text)}</text>")


def line_plot(title, x_label, y_label, lines, x_text, y_text):
    """Returns the text of an SVG file.

    lines: (name, [(x, y), ...]) pairs, all numbers above 0.
    x_text, y_text: turn the value of a tick into its label.
    """
    x_axis = LogAxis([x for _, points in lines for x, _ in points],
                     LEFT, WIDTH - RIGHT, 2)
    y_axis = LogAxis([y for _, points in lines for _, y in points],
                     HEIGHT - BOTTOM, TOP, 10)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
        f'{HEIGHT}" font-family="sans-serif" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 24, title, 'font-weight="bold"')]
    for tick in x_axis.ticks(9):
        x = x_axis.pixel(tick)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" '
                     'stroke="#dddddd"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 18, x_text(tick),
                           'text-anchor="middle"'))
    for tick in y_axis.ticks(8):
        y = y_axis.pixel(tick)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" '
                     'stroke="#dddddd"/>')
        parts.append(_text(LEFT - 8, y + 4, y_text(tick), 'text-anchor="end"'))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, x_label,
                       'text-anchor="middle"'))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(_text(20, middle, y_label, 'text-anchor="middle" '
                       f'transform="rotate(-90 20 {middle:.1f})"'))
    for number, (name, points) in enumerate(lines):
        color = COLORS[number % len(COLORS)]
        path = "L".join(f"{x_axis.pixel(x):.1f} {y_axis.pixel(y):.1f}"
                        for x, y in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{color}" '
                     'stroke-width="2"/>')
        parts += [f'<circle cx="{x_axis.pixel(x):.1f}" '
                  f'cy="{y_axis.pixel(y):.1f}" r="3" fill="{color}"/>'
                  for x, y in points]
        y = TOP + 12 + 20 * number
        parts.append(f'<path d="M{WIDTH - RIGHT + 12} {y}h22" '
                     f'stroke="{color}" stroke-width="2"/>')
        parts.append(_text(WIDTH - RIGHT + 40, y + 4, name))
    return "\n".join(parts) + "\n</svg>\n"
