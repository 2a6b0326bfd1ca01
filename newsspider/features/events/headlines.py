"""The events that are the headlines of a time: ranked by the weight of their sources, their number, and how fresh the
news is."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from newsspider.features.events.events import Event, read_events
from newsspider.features.events.tables import event_articles
from newsspider.store.articles.article_filters import FINDABLE, MOMENT, Filters
from newsspider.store.tables import articles

HALF_LIFE = 12 * 3600  # seconds after which an event without news is worth half
HEAVIEST_SOURCE = 10  # weight of a source


@dataclass(frozen=True, slots=True)
class Headline:
    """An event with its score."""

    event: Event
    score: float
    sites: dict[str, int]  # the weights that made the score, the heaviest first


def find_headlines(conn: Connection, filters: Filters, now: float, limit: int) -> list[Headline]:
    """The events of most score by those of their articles that the filters let through."""
    weights: dict[int, dict[str, int]] = defaultdict(dict)
    last: dict[int, int] = {}
    joined = articles.join(event_articles, event_articles.c.article_id == articles.c.id)
    columns = event_articles.c.event_id, articles.c.site, articles.c.priority, MOMENT.label("moment")
    for row in conn.execute(select(*columns).select_from(joined).where(FINDABLE, *filters.conditions())):
        sites = weights[row.event_id]
        sites[row.site] = max(sites.get(row.site, 0), row.priority)
        last[row.event_id] = max(last.get(row.event_id, 0), row.moment)
    scores = {number: headline_score(sites.values(), now - last[number]) for number, sites in weights.items()}
    best = sorted(scores, key=lambda number: (-scores[number], -last[number], number))[:limit]
    events = read_events(conn, best)
    return [
        Headline(
            events[number], scores[number], dict(sorted(weights[number].items(), key=lambda item: (-item[1], item[0])))
        )
        for number in best
        if number in events
    ]


def headline_score(weights: Iterable[float], age: float) -> float:
    """The score of an event; ``weights`` are those of the sites that report it, ``age`` the seconds since its last
    page.

    A site counts by the square of its weight: one central source outweighs several small ones.

    >>> headline_score([9], 0), headline_score([9], HALF_LIFE), headline_score([5, 5, 5], 0)
    (0.81, 0.405, 0.75)
    """
    return sum((weight / HEAVIEST_SOURCE) ** 2 for weight in weights) * math.exp2(-max(age, 0) / HALF_LIFE)
