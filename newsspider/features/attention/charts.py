"""Attention as a picture: an SVG that stands in a page, or alone in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from newsspider.core.text.characters import printable_text
from newsspider.core.text.terminal_columns import column_count, cut_to_columns
from newsspider.features.attention.counting import Attention
from newsspider.features.attention.rules.colour_levels import COLOUR_LEVELS, level_of, levels_to, rounded_up
from newsspider.features.attention.rules.map_tiles import TILE_COLUMNS, TILES
from newsspider.features.attention.rules.periods import PeriodLength, Span, start_of, time_marks

WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 8, 10, 28  # around the area of the figures
COLOURS = ("#1f4e79", "#b3261e", "#3d7a4e", "#a96c12", "#655f56")  # in a file; in a page those of the style sheet
COLOUR_OF_PEAKS = "#b3261e"
DASHES = ("none", "7 3", "2 3", "9 3 2 3", "1 2", "12 4", "4 4", "3 6")
MOST_LABELS = 7  # of the periods
NAME_HEIGHT = 20  # of the name of a series below a chart
GRID_LINES = 2  # above the zero line
# From few to many of one colour: told apart by lightness alone. In a page they are mixed of the colours of its style.
COLOURS_OF_LEVELS = ("#dde5ec", "#bccbd8", "#96aec3", "#4b7093", "#1f4e79")
# Okabe and Ito (2008): told apart by those who see no red or no green, too; then greys for the rest and the unknown.
FILLS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c", "#cccccc")
OF_REST, OF_UNKNOWN = 6, 7
TILE_WIDTH, TILE_HEIGHT = 54, 46
SCALE_HEIGHT = 44
CELL, WEEKS_IN_ROW, DAYS_LEFT, MONTHS_TOP = 13.4, 53, 46, 16  # of a calendar: 53 weeks fill the width
LANES_LEFT, LANE_HEIGHT, DOT = 96, 44, 8  # of a propagation graph

Figures = Sequence[Sequence[float]]


def draw_chart(attention: Attention, label: str, *, normalised: bool, named: bool = False) -> Markup:
    """The series over their periods: one as bars, several as lines, all from zero; with ``normalised`` their shares in
    all articles. Peaks are points. With ``named`` the names of the series stand below, as a file needs them."""
    figures: Figures = [attention.shares(one) if normalised else one.articles for one in attention.series]
    top = rounded_up(max((figure for several in figures for figure in several), default=0))
    count = len(attention.span.starts)
    step = (WIDTH - LEFT - RIGHT) / count
    drawn = [_axes(attention.span, top, step, normalised=normalised)]
    for number, (series, several) in enumerate(zip(attention.series, figures, strict=True)):
        places = [(LEFT + (at + 0.5) * step, _height(figure / top)) for at, figure in enumerate(several)]
        colour = COLOURS[number % len(COLOURS)]
        drawn.append(_bars(places, step) if len(figures) == 1 else _line(places, number, colour))
        points = [_point(*places[peak.place], peak.title or series.name) for peak in series.peaks]
        drawn += points
    names = [series.name for series in attention.series] if named else []
    drawn += [_named(number, name) for number, name in enumerate(names)]
    return _drawing(label, drawn, HEIGHT + NAME_HEIGHT * len(names))


def _named(number: int, name: str) -> Markup:
    """The line of a series with its name, below the axis."""
    y = HEIGHT + NAME_HEIGHT * (number + 0.5)
    sample = _line([(LEFT, y), (LEFT + 34, y)], number, COLOURS[number % len(COLOURS)])
    text = '<text x="{}" y="{}" fill="#666">{}</text>'
    return sample + Markup(text).format(LEFT + 42, y + 4, printable_text(cut_to_columns(name, 100)))


def _height(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _axes(span: Span, top: float, step: float, *, normalised: bool) -> Markup:
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
    starts = span.starts
    every = -(-len(starts) // MOST_LABELS)
    form = "%Y-%m" if span.step is PeriodLength.MONTH else "%Y-%m-%d" if starts[0].year < starts[-1].year else "%m-%d"
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
    return Markup(circle).format(x, y, COLOUR_OF_PEAKS, printable_text(title))


def legend_swatch(number: int) -> Markup:
    """The line of a series as a sample for the legend."""
    sample = _line([(1, 6), (35, 6)], number, COLOURS[number % len(COLOURS)])
    return Markup('<svg class="swatch" viewBox="0 0 36 12" width="36" height="12" aria-hidden="true">{}</svg>').format(
        sample
    )


@dataclass(frozen=True, slots=True)
class Cell:
    """A place of a map: its name, its figure, the same as a text, and what is said of it. Without a figure it has no
    colour."""

    name: str
    figure: float | None
    text: str
    title: str


def tile_map(cells: Mapping[str, Cell], label: str, unit: str, *, shares: bool = False) -> Markup:
    """China as a tile for each province; below them stand the other cells, which have no colour."""
    figures = [cell.figure for name, cell in cells.items() if name in TILES and cell.figure is not None]
    ends = levels_to(max(figures, default=0), whole=not shares)
    drawn = [_scale(0, 4, ends, unit, shares=shares)]
    for name, (abbreviation, column, row) in TILES.items():
        drawn.append(_tile(column, row * TILE_HEIGHT, abbreviation, cells[name], ends))
    others = [cell for name, cell in cells.items() if name not in TILES]
    bottom = 8 * TILE_HEIGHT + 12
    drawn += [_tile(2 * place, bottom, cell.name, cell, None) for place, cell in enumerate(others)]
    return _drawing(label, drawn, bottom + TILE_HEIGHT, TILE_COLUMNS * TILE_WIDTH, "attention map")


def _tile(column: float, y: int, name: str, cell: Cell, ends: Sequence[float] | None) -> Markup:
    """A tile; without ``ends`` it is twice as wide and has no colour."""
    wide = (TILE_WIDTH if ends is not None else 2 * TILE_WIDTH) - 3
    level = None if ends is None or cell.figure is None else level_of(cell.figure, ends)
    kind, fill = _level(level) if cell.figure is not None else ("level unknown", "none")
    text = (
        '<g class="tile{}"><title>{}</title><rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3" fill="{}"'
        ' stroke="#bbb"{}/><text class="name" x="{}" y="{}" text-anchor="middle" font-size="14" fill="{}">{}</text>'
        '<text x="{}" y="{}" text-anchor="middle" fill="{}">{}</text></g>'
    )
    x, ink = column * TILE_WIDTH + 1, "#fff" if level is not None and level >= COLOUR_LEVELS - 2 else "#222"
    dash = Markup("") if ends is not None else Markup(' stroke-dasharray="3 3"')
    dark = " on-dark" if ink == "#fff" else ""
    middle = x + wide / 2
    box = (x, y + 1, wide, TILE_HEIGHT - 3, fill, dash)
    return Markup(text).format(dark, cell.title, kind, *box, middle, y + 20, ink, name, middle, y + 36, ink, cell.text)


def _level(level: int | None) -> tuple[str, str]:
    """The class and the colour of a level; of none, if there is nothing."""
    return ("level", "#fff") if level is None else (f"level level{level}", COLOURS_OF_LEVELS[level])


def _scale(x: float, y: float, ends: Sequence[float], unit: str, *, shares: bool) -> Markup:
    """The levels with the figures that have them, from nothing on."""
    drawn = [Markup('<text x="{}" y="{}" fill="#666">{}</text>').format(x + 2, y + 9, unit)]
    begin = 0.0
    for place, end in enumerate((0.0, *ends)):
        kind, fill = _level(level_of(end, ends))
        name = f"≤{100 * end:.3g}%" if shares else f"{end:g}" if end - begin <= 1 else f"{begin + 1:g}–{end:g}"
        name = name if end else "0"
        box = '<rect class="{}" x="{}" y="{}" width="40" height="12" fill="{}" stroke="#bbb"/>'
        drawn.append(Markup(box).format(kind, x + 2 + 46 * place, y + 15, fill))
        text = '<text x="{}" y="{}" text-anchor="middle" fill="#666">{}</text>'
        drawn.append(Markup(text).format(x + 22 + 46 * place, y + 39, name))
        begin = end
    return Markup("").join(drawn)


def calendar(
    counts: Mapping[date, int], days: Sequence[date], label: str, unit: str, weekdays: Sequence[str]
) -> Markup:
    """A cell for each of these days, which follow each other, in a column for each week; a day that ``counts`` does not
    have was not counted, and its cell is empty."""
    ends = levels_to(max(counts.values(), default=0), whole=True)
    monday = start_of(days[0], PeriodLength.WEEK)
    high = MONTHS_TOP + 7 * CELL + 10
    drawn, labelled = list[Markup](), set[tuple[int, int]]()
    text = Markup('<text x="{:.1f}" y="{:.1f}"{} fill="#666">{}</text>')
    for day in days:
        row, week = divmod((day - monday).days // 7, WEEKS_IN_ROW)
        x, y = DAYS_LEFT + week * CELL, row * high + MONTHS_TOP + day.weekday() * CELL
        month = day.year, day.month
        begins = day.day <= 7 or (day == days[0] and (day.day < 20 or len(days) < 15))
        if begins and month not in labelled and week < WEEKS_IN_ROW - 2:
            labelled.add(month)
            drawn.append(text.format(x, row * high + 11, Markup(""), f"{day:%Y-%m}"))
        count = counts.get(day)
        kind, fill = _level(level_of(count, ends)) if count is not None else ("level unknown", "none")
        tooltip = f"{day} {weekdays[day.weekday()]}: {'?' if count is None else count} {unit}"
        cell = (
            '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" stroke="#ccc"'
            ' stroke-width="0.5"><title>{}</title></rect>'
        )
        drawn.append(Markup(cell).format(kind, x, y, CELL - 1.6, CELL - 1.6, fill, tooltip))
    rows = (days[-1] - monday).days // 7 // WEEKS_IN_ROW + 1
    for row in range(rows):
        for number in range(0, 7, 2):
            y = row * high + MONTHS_TOP + number * CELL + CELL - 3
            drawn.append(text.format(DAYS_LEFT - 6, y, Markup(' text-anchor="end"'), weekdays[number]))
    weeks = min((days[-1] - monday).days // 7 + 1, WEEKS_IN_ROW)
    right = DAYS_LEFT + weeks * CELL - 46 * (len(ends) + 1)  # below the newest days, which a phone shows first
    drawn.append(_scale(max(right, DAYS_LEFT), rows * high + 4, ends, unit, shares=False))
    return _drawing(label, drawn, rows * high + SCALE_HEIGHT + 8)


def stacked_shares(span: Span, names: Sequence[str], counts: Figures, fills: Sequence[int], label: str) -> Markup:
    """The shares of several counts in their sum, period by period, one upon the other, each in its place of
    :data:`FILLS`; of a period that has nothing, nothing is drawn."""
    step = (WIDTH - LEFT - RIGHT) / len(span.starts)
    drawn = [_axes(span, 1, step, normalised=True)]
    gap = min(step * 0.15, 3)
    for place, start in enumerate(span.starts):
        several = [count[place] for count in counts]
        whole, below = sum(several), 0.0
        for name, count, fill in zip(names, several, fills, strict=True):
            if not count:
                continue
            y, bottom = _height((below + count) / whole), _height(below / whole)
            below += count
            tooltip = f"{start} {name}: {count / whole:.1%} ({count:g} / {whole:g})"
            bar = (
                '<rect class="fill{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"'
                ' stroke="#fff" stroke-width="0.6"><title>{}</title></rect>'
            )
            box = (LEFT + place * step + gap / 2, y, step - gap, bottom - y, FILLS[fill])
            drawn.append(Markup(bar).format(fill, *box, printable_text(tooltip)))
    legend, bottom = _legend(names, fills)
    return _drawing(label, [*drawn, legend], bottom)


def _legend(names: Sequence[str], fills: Sequence[int]) -> tuple[Markup, int]:
    """A sample with the name of each colour below the axis, in lines; and where they end."""
    drawn, x, y = list[Markup](), LEFT, HEIGHT + 16
    for name, fill in zip(names, fills, strict=True):
        shown = cut_to_columns(printable_text(name), 30)
        wide = 30 + column_count(shown) * 6
        if x + wide > WIDTH and x > LEFT:
            x, y = LEFT, y + 20
        sample = (
            '<rect class="fill{}" x="{}" y="{}" width="12" height="12" fill="{}"/>'
            '<text x="{}" y="{}" fill="#666">{}</text>'
        )
        drawn.append(Markup(sample).format(fill, x, y - 10, FILLS[fill], x + 17, y, shown))
        x += wide
    return Markup("").join(drawn), y + 10


@dataclass(frozen=True, slots=True)
class Dot:
    """A page of a propagation graph: its moment in seconds since the epoch, its lane, and what is said of it."""

    moment: int
    lane: str
    title: str


def propagation(
    dots: Sequence[Dot], edges: Iterable[tuple[int, int, bool]], lanes: Sequence[str], label: str, words: Sequence[str]
) -> Markup:
    """The pages by time, a lane for each class of media, with a line from each to those that took from it: whole for a
    reprint, broken for one that names it. The first dot is the first source. ``words`` name, for the legend, the first
    source, a page, a reprint, a credit."""
    first, last = min(dot.moment for dot in dots), max(dot.moment for dot in dots)
    wide = WIDTH - LANES_LEFT - RIGHT - 2 * DOT
    bottom = TOP + len(lanes) * LANE_HEIGHT
    drawn = []
    for number, lane in enumerate(lanes):
        below = TOP + (number + 1) * LANE_HEIGHT
        row = (
            '<path class="grid" d="M{} {}H{}" stroke="#bbb" fill="none"/>'
            '<text x="{}" y="{}" text-anchor="end" fill="#666">{}</text>'
        )
        drawn.append(Markup(row).format(LANES_LEFT, below, WIDTH - RIGHT, LANES_LEFT - 8, below - 17, lane))
    across = [LANES_LEFT + DOT + wide * (dot.moment - first) / max(last - first, 1) for dot in dots]
    for moment, name in time_marks(first, last):
        x = LANES_LEFT + DOT + wide * (moment - first) / max(last - first, 1)
        mark = (
            '<path class="grid" d="M{:.1f} {}V{}" stroke="#ddd" fill="none"/>'
            '<text x="{:.1f}" y="{}" text-anchor="middle" fill="#666">{}</text>'
        )
        drawn.append(Markup(mark).format(x, TOP, bottom, x, bottom + 17, name))
    # dots of one lane that would cover each other stand above and below each other
    seen, places = Counter[tuple[str, int]](), list[tuple[float, float]]()
    for dot, x in zip(dots, across, strict=True):
        number = seen[dot.lane, round(x / DOT)]
        seen[dot.lane, round(x / DOT)] += 1
        away = (number + 1) // 2 * (1 if number % 2 else -1) * 7
        middle = TOP + (lanes.index(dot.lane) + 0.5) * LANE_HEIGHT
        places.append((x, middle + max(min(away, LANE_HEIGHT / 2 - 5), 5 - LANE_HEIGHT / 2)))
    for source, target, is_reprint in edges:
        (x, y), (to_x, to_y) = places[source], places[target]
        way = "reprint" if is_reprint else "credit"
        line = '<path class="edge {}" d="M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}" fill="none" stroke="#777"{}/>'
        broken = Markup("") if is_reprint else Markup(' stroke-dasharray="4 3"')
        drawn.append(Markup(line).format(way, x, y, (x + to_x) / 2, min(y, to_y) - 12, to_x, to_y, broken))
    for number, (dot, (x, y)) in reversed(list(enumerate(zip(dots, places, strict=True)))):
        drawn.append(_dot(x, y, number == 0, dot.title))
    drawn.append(_ways(bottom + 40, words))
    return _drawing(label, drawn, bottom + 52)


def _dot(x: float, y: float, is_first: bool, title: str = "") -> Markup:
    circle = '<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}" stroke="#fff">{}</circle>'
    tooltip = Markup("<title>{}</title>").format(printable_text(title)) if title else ""
    if not is_first:
        return Markup(circle).format("dot-of-page", x, y, 4, COLOURS[0], tooltip)
    square = '<rect class="peak" x="{:.1f}" y="{:.1f}" width="10" height="10" fill="{}" stroke="#fff">{}</rect>'
    return Markup(square).format(x - 5, y - 5, COLOUR_OF_PEAKS, tooltip)  # by its form, too, not by its colour alone


def _ways(y: int, words: Sequence[str]) -> Markup:
    """The legend of a propagation graph."""
    line = '<path class="edge" d="M{} {}h26" fill="none" stroke="#777"{}/>'
    signs = (
        _dot(LANES_LEFT + 13, y - 4, is_first=True),
        _dot(LANES_LEFT + 143, y - 4, is_first=False),
        Markup(line).format(LANES_LEFT + 260, y - 4, ""),
        Markup(line).format(LANES_LEFT + 390, y - 4, Markup(' stroke-dasharray="4 3"')),
    )
    names = (
        Markup('<text x="{}" y="{}" fill="#666">{}</text>').format(LANES_LEFT + 32 + 130 * place, y, word)
        for place, word in enumerate(words)
    )
    return Markup("").join((*signs, *names))


def _drawing(
    label: str, drawn: Iterable[Markup], height: float, width: float = WIDTH, kind: str = "attention"
) -> Markup:
    """The whole SVG."""
    whole = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="{}" viewBox="0 0 {} {:.0f}" width="{}" height="{:.0f}"'
        ' role="img" aria-label="{}" font-family="sans-serif" font-size="11">{}</svg>'
    )
    return whole.format(kind, width, height, width, height, printable_text(label), Markup("").join(drawn))
