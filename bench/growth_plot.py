"""A plot of curves over sizes, both axes logarithmic, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 420, 60, 20, 200, 50
COLOURS = ("#1b6ca8", "#c2410c", "#15803d", "#7e22ce", "#525252")


def drawn(curves: Mapping[str, Mapping[int, float]], x_title: str, y_title: str) -> str:
    """The curves by name; those of the second half are dashed.

    >>> drawn({"page": {10: 1.0, 100: 2.0}}, "URLs", "ms").count("<polyline")
    1
    """
    sizes = sorted({size for curve in curves.values() for size in curve})
    values = [value for curve in curves.values() for value in curve.values() if value > 0]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)
    first, last = math.log10(sizes[0]), math.log10(sizes[-1]) + 1e-9

    def x_of(size: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(size) - first) / (last - first)

    def y_of(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log10(value) - low) / max(1, high - low)

    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for power in range(low, high + 1):
        y = y_of(10.0**power)
        parts.append(
            f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
            + _text(LEFT - 6, y + 4, f"{10.0**power:g}", "end")
        )
    parts += [_text(x_of(size), HEIGHT - BOTTOM + 18, f"{size:,}", "middle") for size in sizes]
    parts += [_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_title, "middle"), _text(8, TOP - 6, y_title, "start")]
    for number, (name, curve) in enumerate(curves.items()):
        colour, dash = COLOURS[number % len(COLOURS)], ' stroke-dasharray="6 3"' if number >= len(COLOURS) else ""
        points = " ".join(f"{x_of(size):.1f},{y_of(value):.1f}" for size, value in sorted(curve.items()) if value > 0)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        y = TOP + 18 * (number + 1)
        parts.append(f'<path d="M{WIDTH - RIGHT + 14} {y - 4}h24" stroke="{colour}" stroke-width="2"{dash}/>')
        parts.append(_text(WIDTH - RIGHT + 44, y, name, "start"))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">'
    return "\n".join([head, *parts, "</svg>\n"])


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
