"""Attention as a picture: an SVG that stands in a page, or alone in a file."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from newsspider.core.text.characters import printable
from newsspider.features.attention.counting import Attention
from newsspider.features.attention.rules.periods import Step

WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 8, 10, 28  # around the area of the figures
COLOURS = ("#1f4e79", "#b3261e", "#3d7a4e", "#a96c12", "#655f56")  # in a file; in a page those of the style sheet
COLOUR_OF_PEAKS = "#b3261e"
DASHES = ("none", "7 3", "2 3", "9 3 2 3", "1 2", "12 4", "4 4", "3 6")
MOST_LABELS = 7  # of the periods
GRID_LINES = 2  # above the zero line

Figures = Sequence[Sequence[float]]


def chart(attention: Attention, label: str, *, normalised: bool) -> Markup:
    """The series over their periods: one as bars, several as lines, all from zero; with ``normalised`` their shares in
    all articles. Peaks are points."""
    figures: Figures = [attention.shares(one) if normalised else one.articles for one in attention.series]
    top = rounded_up(max((figure for several in figures for figure in several), default=0))
    count = len(attention.span.starts)
    step = (WIDTH - LEFT - RIGHT) / count
    drawn = [_axes(attention, top, step, normalised=normalised)]
    for number, (series, several) in enumerate(zip(attention.series, figures, strict=True)):
        places = [(LEFT + (at + 0.5) * step, _height(figure / top)) for at, figure in enumerate(several)]
        colour = COLOURS[number % len(COLOURS)]
        drawn.append(_bars(places, step) if len(figures) == 1 else _line(places, number, colour))
        points = [_point(*places[peak.place], peak.title or series.name) for peak in series.peaks]
        drawn += points
    whole = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="attention" viewBox="0 0 {} {}" width="{}" height="{}"'
        ' role="img" aria-label="{}" font-family="sans-serif" font-size="11">{}</svg>'
    )
    return whole.format(WIDTH, HEIGHT, WIDTH, HEIGHT, printable(label), Markup("").join(drawn))


def rounded_up(value: float) -> float:
    """The next higher figure that begins with 1, 2 or 5, for the top of an axis; 1 for none.

    >>> [rounded_up(value) for value in (0, 3, 41, 0.13, 1000)]
    [1, 5, 50, 0.2, 1000]
    """
    power = 1.0
    if value <= 0:
        return 1
    while power < value:
        power *= 10
    while power > value:
        power /= 10
    top = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= value * 0.999999)
    return round(top) if top >= 1 else round(top, 9)


def _height(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _axes(attention: Attention, top: float, step: float, *, normalised: bool) -> Markup:
    """The zero line with the names of some periods, and lines above it with their figures."""
    drawn = []
    for number in range(GRID_LINES + 1):
        figure = top * number / GRID_LINES
        name = f"{figure:.3%}".rstrip("0%").rstrip(".") + "%" if normalised else f"{figure:g}"
        y = _height(number / GRID_LINES)
        drawn.append(
            Markup(
                '<path class="grid" d="M{} {:.1f}H{}" stroke="#bbb" fill="none"/>'
                '<text x="{}" y="{:.1f}" text-anchor="end" fill="#666">{}</text>'
            ).format(LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4, name if figure else "0")
        )
    starts = attention.span.starts
    every = -(-len(starts) // MOST_LABELS)
    form = "%Y-%m" if attention.span.step is Step.MONTH else "%Y-%m-%d" if starts[0].year < starts[-1].year else "%m-%d"
    for place in range(0, len(starts), every):
        x = LEFT + (place + 0.5) * step
        text = '<text x="{:.1f}" y="{}" text-anchor="middle" fill="#666">{}</text>'
        drawn.append(Markup(text).format(x, HEIGHT - 8, starts[place].strftime(form)))
    return Markup("").join(drawn)


def _bars(places: Sequence[tuple[float, float]], step: float) -> Markup:
    wide = max(step * 0.8, 0.6)
    rows = (
        Markup('<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.2f}" height="{:.1f}" fill="{}"/>').format(
            x - wide / 2, y, wide, _height(0) - y, COLOURS[0]
        )
        for x, y in places
    )
    return Markup("").join(rows)


def _line(places: Sequence[tuple[float, float]], number: int, colour: str) -> Markup:
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    line = '<path class="line series{}" d="{}" fill="none" stroke="{}" stroke-width="1.8" stroke-dasharray="{}"/>'
    return Markup(line).format(number % len(COLOURS), path, colour, DASHES[number % len(DASHES)])


def _point(x: float, y: float, title: str) -> Markup:
    circle = '<circle class="peak" cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"><title>{}</title></circle>'
    return Markup(circle).format(x, y, COLOUR_OF_PEAKS, printable(title))


def swatch(number: int) -> Markup:
    """The line of a series as a sample for the legend."""
    sample = _line([(1, 6), (35, 6)], number, COLOURS[number % len(COLOURS)])
    return Markup('<svg class="swatch" viewBox="0 0 36 12" width="36" height="12" aria-hidden="true">{}</svg>').format(
        sample
    )
