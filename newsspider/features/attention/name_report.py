"""All that was written about a school, an office or a person: when, with whom, where, in which events. Which places the
field ``about:`` of a query means is decided in ``core/text/regions.py``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.query_language import parse_query, quoted_phrase
from newsspider.core.text.characters import fold_text
from newsspider.features.attention.attention_arguments import span_asked
from newsspider.features.attention.counting import Attention, commonest_events, count_attention, found_in
from newsspider.features.attention.rules.names_in_texts import names_in
from newsspider.features.attention.rules.periods import PeriodLength
from newsspider.features.events import events
from newsspider.features.events.events import LEAST_PAGES
from newsspider.search.entry_rows import PRESENT_TEXTS
from newsspider.search.facets import count_facets
from newsspider.search.hits import Sort, search
from newsspider.store.engine.statement import rows_among

MOST_COUNTED = 50_000  # articles of a name, in a tenth of a second; of more the newest are counted
MOST_READ = 100  # articles, the newest, in which other names are looked up, each a millisecond
STORIES_READ_TIMES = 3  # times as many stories are read as are shown: some are old ones, reprinted just now
MOST_ARTICLES, MOST_EVENTS, MOST_PLACES, MOST_BESIDE = 15, 6, 10, 20

_TEXTS = "SELECT id, title, text FROM articles WHERE id IN ({keys})"


@dataclass(frozen=True, slots=True)
class About:
    """What was written about a name: how many articles, reprints once if they are ``grouped``; those that were first
    published last; its attention by weeks, and of these weeks the events that most articles tell of, each with their
    number; the names that stand in one line with it in the ``read`` newest articles, each with the number of these; and
    of all times the places that its articles are about."""

    total: int
    more: bool
    grouped: bool
    newest: Sequence[Mapping[str, Any]]
    attention: Attention
    events: Sequence[tuple[events.Event, int]]
    beside: Sequence[tuple[str, int]]
    read: int
    places: Sequence[tuple[str, int]]


def about_name(conn: Connection, name: str, now: datetime) -> About:
    """All of this name, which is looked for as a phrase."""
    typed = quoted_phrase(name)
    query, span = parse_query(typed, now), span_asked(conn, None, None, PeriodLength.WEEK, now)
    results = search(
        conn, query, PRESENT_TEXTS, limit=STORIES_READ_TIMES * MOST_ARTICLES, sort=Sort.TIME, now=now.timestamp()
    )
    commonest = commonest_events(conn, query, span, MOST_COUNTED)
    by_number = events.read_events(conn, [number for number, _ in commonest])
    newest = list(found_in(conn, query, span, MOST_READ).moments)
    newest = newest or [hit.record["id"] for hit in results.hits]  # all of them may be old
    several = ((by_number[number], count) for number, count in commonest if number in by_number)
    listed = [(event, count) for event, count in several if len(event.pages) >= LEAST_PAGES]
    return About(
        results.total,
        results.more,
        results.grouped,
        sorted((hit.record for hit in results.hits), key=_first_told, reverse=True)[:MOST_ARTICLES],
        count_attention(conn, {name: query}, span, most=MOST_COUNTED, with_all=False),
        listed[:MOST_EVENTS],
        _beside(conn, fold_text(name), newest),
        len(newest),
        count_facets(conn, query).counts["about"][:MOST_PLACES],
    )


def _first_told(record: Mapping[str, Any]) -> datetime:
    """The moment that its line shows."""
    return datetime.fromisoformat(record["published_at"] or record["crawled_at"])


def _beside(conn: Connection, name: str, articles: Sequence[int]) -> list[tuple[str, int]]:
    """The names that stand in one line with this one in most articles, each with their number. Those that have it in
    them, as 清华大学附属中学, and that it has in it, are none."""
    counts: Counter[str] = Counter()
    for row in rows_among(conn, _TEXTS, articles):
        lines = [line for line in fold_text(f"{row.title}\n{row.text}").split("\n") if name in line]
        others = (other for other in names_in(row.title, row.text) if other not in name and name not in other)
        counts.update(other for other in others if any(other in line for line in lines))
    return counts.most_common(MOST_BESIDE)
