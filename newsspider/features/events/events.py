"""Reads the events: the largest of a time, and all that is known of one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from newsspider.core.duplicates.first_source import Copy, by_time, moment_of, shown_moment
from newsspider.core.model import PageType
from newsspider.core.query.query_dates import ZONE, is_day
from newsspider.core.text.characters import fold_text
from newsspider.features.events.rules import explanations
from newsspider.features.events.rules.propagation import Edge, propagation_edges
from newsspider.features.events.rules.terms import LEAD_CHARACTERS
from newsspider.features.events.rules.whole_words import shown_word
from newsspider.features.events.tables import event_articles
from newsspider.hooks import EventSummary, Passage
from newsspider.store.articles.article_filters import FINDABLE, MOMENT, Filters
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.tables import articles

HOUR = 3600
SPAN_SECONDS = {"1h": HOUR, "6h": 6 * HOUR, "24h": 24 * HOUR}  # in which growth is counted
POSTS = {PageType.BLOG, PageType.FORUM}  # also classes of sites
LEAST_PAGES = 2  # of an event that is listed
MOST_PASSAGES = 6  # sentences that stand for an event
MOST_LEADS = 12  # articles of an event in which its words are looked up

_EVENTS = "SELECT id, weights, names FROM events WHERE id IN ({keys})"
_PAGES = """
    SELECT e.event_id, e.article_id, e.similarity, e.words, COALESCE(r.group_id, -e.article_id) AS group_id,
           u.url, u.site, u.source, u.published_ts, u.priority, u.added_at, u.title, a.kind,
           COALESCE(NULLIF(s.media_class, ''), a.media_class) AS media_class, s.media_class AS site_class,
           COALESCE(d.title, '') AS given
    FROM event_articles e JOIN articles a ON a.id = e.article_id JOIN article_urls u ON u.article_id = a.id
    LEFT JOIN reprints r ON r.article_id = a.id LEFT JOIN sites s ON s.name = u.site
    LEFT JOIN event_decisions d ON d.key = u.key
    WHERE e.event_id IN ({keys}) AND NOT u.noindex ORDER BY u.added_at, u.key
    """
_LEADS = (
    f"SELECT id, title, substr(text, 1, {LEAD_CHARACTERS}) AS lead FROM articles WHERE id IN ({{keys}}) ORDER BY id"
)
_TEXTS = "SELECT id, title, text FROM articles WHERE id IN ({keys})"
_SUMMARIES = "SELECT id, summary FROM articles WHERE id IN ({keys})"
_CHANGES = Statement(
    """
    SELECT article_id, event_id, other_id, changed_at FROM event_changes c
    WHERE event_id = :id AND NOT EXISTS (SELECT 1 FROM events WHERE id = c.other_id) AND NOT EXISTS (
        SELECT 1 FROM event_articles m WHERE m.article_id = c.other_id AND m.event_id <> c.event_id)
    ORDER BY article_id, other_id
    """
)
_NOW_IN = Statement("SELECT event_id FROM event_articles WHERE article_id = :id")


class EventPage(NamedTuple):
    """A page of an event, and what is said of it there."""

    copy: Copy
    article_id: int
    group: int  # one number for an article and its reprints
    title: str
    media_class: str
    similarity: float
    words: tuple[str, ...]  # that it shares with the event
    given: str  # a title that people gave the event of this page
    is_post: bool  # of a blog or a forum

    @property
    def moment(self) -> int:
        """When it was published, else found, in seconds since the epoch."""
        return int(moment_of(self.copy))

    @property
    def shown(self) -> int:
        """The same for people: midnight of a page that states only a day."""
        return int(shown_moment(self.copy))


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its pages: the first source, then the others by time. There is at least one."""

    id: int
    pages: tuple[EventPage, ...]
    weights: Mapping[str, float]
    names: Mapping[str, int]
    texts: tuple[str, ...]  # titles and beginnings of some of its articles, in plain script

    @property
    def title(self) -> str:
        """What people called it, else the title of the page that says most of it."""
        given = next((page.given for page in self.pages if page.given), "")
        return given or explanations.best_title((page.title for page in self.pages), self.weights)

    @property
    def first(self) -> EventPage:
        """The page that reported it first."""
        return self.pages[0]

    @property
    def last(self) -> EventPage:
        """The latest page; one with a minute before those that state only that day."""
        return max(self.pages, key=lambda page: (page.shown, by_time(page.copy)))

    @property
    def articles(self) -> int:
        """How many articles it has; exact reprints are pages of one."""
        return len({page.article_id for page in self.pages})

    def growth(self, now: float) -> dict[str, int]:
        """How many pages it got in each of the last :data:`SPAN_SECONDS`."""
        return {
            name: sum(now - span < page.moment <= now for page in self.pages) for name, span in SPAN_SECONDS.items()
        }

    def timeline(self) -> dict[str, int]:
        """How many pages it got on each day in China."""
        days = Counter(datetime.fromtimestamp(page.moment, ZONE).strftime("%Y-%m-%d") for page in self.pages)
        return dict(sorted(days.items()))

    def counts(self, field: str) -> dict[str, int]:
        """How many pages each ``site`` or ``media_class`` has, most first."""
        values = Counter(page.copy.site if field == "site" else page.media_class for page in self.pages)
        return dict(sorted(values.items(), key=lambda item: (-item[1], item[0])))

    def edges(self) -> list[Edge]:
        """Which page took from which."""
        groups: dict[int, list[Copy]] = {}
        for page in self.pages:
            groups.setdefault(page.group, []).append(page.copy)
        return propagation_edges(groups)

    def flows(self, field: str) -> dict[tuple[str, str], int]:
        """How often a ``site`` or ``media_class`` took from another, most often first."""
        of = {page.copy.url: page.copy.site if field == "site" else page.media_class for page in self.pages}
        flows = Counter((of[edge.source], of[edge.target]) for edge in self.edges())
        return dict(sorted(flows.items(), key=lambda item: (-item[1], item[0])))

    def places_and_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The places and the other names that many of its articles have."""
        return explanations.places_and_names(self.names, self.articles, self.texts)

    def words_of(self, page: EventPage) -> list[str]:
        """The words that a page shares with the event, those that may be shown."""
        words = (shown_word(word, self.texts) for word in page.words)
        return list(dict.fromkeys(filter(None, words)))

    def summary(self) -> EventSummary:
        """The same in short."""
        first = self.first
        articles, sites = frozenset(page.article_id for page in self.pages), len(self.counts("site"))
        source, path = first.copy.source or first.copy.site, f"/events/{self.id}"
        return EventSummary(path, self.title, articles, len(self.pages), sites, source, first.shown)

    def record(self, now: float) -> dict[str, Any]:
        """The same as JSON has it."""
        places, names = self.places_and_names()
        return {
            "id": self.id,
            "title": self.title,
            "articles": self.articles,
            "pages": len(self.pages),
            "sites": self.counts("site"),
            "media": self.counts("media_class"),
            "first": _of_page(self.first),
            "last_at": iso_moment(self.last.shown),
            "growth": self.growth(now),
            "timeline": self.timeline(),
            "places": list(places),
            "names": list(names),
        }


def iso_moment(moment: float) -> str:
    """A moment in China's time, as records have it; a day alone without hour and minute."""
    when = datetime.fromtimestamp(moment, ZONE)
    return when.date().isoformat() if is_day(when) else when.isoformat(timespec="minutes")


def events_by_size(conn: Connection, filters: Filters, limit: int) -> list[Event]:
    """The events of which most pages are let through by the filters, the latest of equals first."""
    pages = func.count()
    joined = articles.join(event_articles, event_articles.c.article_id == articles.c.id)
    ids = select(event_articles.c.event_id).select_from(joined).where(FINDABLE, *filters.conditions())
    ranked = ids.group_by(event_articles.c.event_id).order_by(pages.desc(), func.max(MOMENT).desc()).limit(2 * limit)
    numbers = [row.event_id for row in conn.execute(ranked)]
    several = read_events(conn, numbers)
    return [event for number in numbers if (event := several.get(number)) and len(event.pages) >= LEAST_PAGES][:limit]


def read_events(conn: Connection, numbers: Sequence[int]) -> dict[int, Event]:
    """The events with these numbers that have pages which may be shown."""
    pages: dict[int, list[EventPage]] = {}
    words_in: dict[int, dict[int, set[str]]] = {}  # an event: the words of each of its articles
    several = {row.id: (json.loads(row.weights), json.loads(row.names)) for row in rows_among(conn, _EVENTS, numbers)}
    for row in rows_among(conn, _PAGES, several):
        copy = Copy(row.url, row.site, row.source, row.published_ts, row.added_at, row.priority)
        words = row.words.split()
        words_in.setdefault(row.event_id, {})[row.article_id] = set(words)
        shared = explanations.shared_words(words, several[row.event_id][0])
        is_post = bool(POSTS & {row.kind, row.site_class})
        page = EventPage(
            copy, row.article_id, row.group_id, row.title, row.media_class, row.similarity, shared, row.given, is_post
        )
        pages.setdefault(row.event_id, []).append(page)
    ordered = {
        number: _in_order(copies, words_in[number].values(), several[number][0]) for number, copies in pages.items()
    }
    chosen = {number: _articles_of(copies)[:MOST_LEADS] for number, copies in ordered.items()}
    rows = rows_among(conn, _LEADS, {article for some in chosen.values() for article in some})
    leads = {row.id: fold_text(f"{row.title}\n{row.lead}") for row in rows}
    texts = {number: tuple(leads[article] for article in some) for number, some in chosen.items()}
    return {number: Event(number, copies, *several[number], texts[number]) for number, copies in ordered.items()}


def _articles_of(pages: Iterable[EventPage]) -> list[int]:
    return list(dict.fromkeys(page.article_id for page in pages))


def _in_order(
    pages: Sequence[EventPage], article_words: Collection[set[str]], weights: Mapping[str, float]
) -> tuple[EventPage, ...]:
    """The first page that reports the event, then the others by time."""
    ordered = sorted(pages, key=lambda page: by_time(page.copy))
    reports = explanations.reporting([page.title for page in ordered], article_words, weights)
    reporting = (page for page, reports_it in zip(ordered, reports, strict=True) if reports_it and not page.is_post)
    first = next(reporting, ordered[0])
    return first, *(page for page in ordered if page is not first)


def of_article(conn: Connection, article_id: int) -> Event | None:
    """The event that an article is part of now; ``None`` if there is none."""
    number = _NOW_IN.run(conn, {"id": article_id}).scalar()
    return None if number is None else read_events(conn, [number]).get(number)


def changes_of(conn: Connection, number: int) -> list[dict[str, Any]]:
    """What became one with an event, in order."""
    return [
        {"event": row.event_id, "other": row.other_id, "article": row.article_id, "at": iso_moment(row.changed_at)}
        for row in _CHANGES.run(conn, {"id": number})
    ]


def telling_sentences(conn: Connection, event: Event, pages: Sequence[EventPage]) -> dict[int, str]:
    """Of each article of these pages the sentence that says most of the event."""
    rows = rows_among(conn, _TEXTS, {page.article_id for page in pages})
    return {row.id: explanations.sentence_with(row.text or row.title, event.weights) or row.title for row in rows}


def event_passages(conn: Connection, event: Event) -> list[Passage]:
    """The title of an event, and the most telling sentences of its first articles, each once."""
    title = event.title
    shown = next((page for page in event.pages if page.title == title), event.first)
    article_of: dict[str, int] = {}
    for article, sentence in telling_sentences(conn, event, event.pages[:MOST_LEADS]).items():
        article_of.setdefault(sentence, article)
    several = (Passage(article, sentence) for sentence, article in article_of.items() if sentence != title)
    return [Passage(shown.article_id, title), *islice(several, MOST_PASSAGES)]


def article_summaries(conn: Connection, pages: Sequence[EventPage]) -> dict[int, str]:
    """Of each article of these pages its first sentences."""
    return {row.id: row.summary for row in rows_among(conn, _SUMMARIES, {page.article_id for page in pages})}


def _of_page(page: EventPage) -> dict[str, Any]:
    copy = page.copy
    return {
        "url": copy.url,
        "site": copy.site,
        "source": copy.source,
        "media_class": page.media_class,
        "title": page.title,
        "at": iso_moment(page.shown),
        "article": page.article_id,
    }


def page_record(page: EventPage, words: Sequence[str], sentence: str) -> dict[str, Any]:
    """A page as JSON has it, with what made it part of the event."""
    return {**_of_page(page), "similarity": page.similarity, "words": words, "sentence": sentence}


def whole_record(conn: Connection, event: Event, pages: Sequence[EventPage], now: float) -> dict[str, Any]:
    """The event as JSON has it, with these of its pages as ``nodes``, which took from which as ``edges``, and how often
    sites and media classes took from another as ``flows``."""
    telling = telling_sentences(conn, event, pages)
    edges = [{"from": edge.source, "to": edge.target, "way": edge.way} for edge in event.edges()]
    flows = {
        field: [{"from": source, "to": copier, "pages": n} for (source, copier), n in event.flows(field).items()]
        for field in ("site", "media_class")
    }
    nodes = [page_record(page, event.words_of(page), telling.get(page.article_id, "")) for page in pages]
    changes = changes_of(conn, event.id)
    return {**event.record(now), "changes": changes, "nodes": nodes, "edges": edges, "flows": flows}
