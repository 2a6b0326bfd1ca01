"""What people decide about events: which pages are one event and which are not, and what an event is called.

A decision gives every page of the events that it is about the number of a group. Finding the events again obeys it, and
so do articles that come later.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.url import url_key
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.events.detection_run import place_again, read_words
from newsspider.features.events.events import Event
from newsspider.store import audit_trail
from newsspider.store.engine.statement import Statement, rows_among

LONGEST_TITLE = 200  # characters

_PAGES = """
    SELECT u.key, e.article_id, e.event_id, d.group_id FROM event_articles e
    JOIN article_urls u ON u.article_id = e.article_id LEFT JOIN event_decisions d ON d.key = u.key
    WHERE e.event_id IN ({keys}) ORDER BY u.key
    """
_HIGHEST = Statement("SELECT COALESCE(max(decision_id), 0) FROM event_decisions")
_GROUP = Statement(
    """
    INSERT INTO event_decisions (key, group_id, before_id, decision_id)
    VALUES (:key, :group_id, :before_id, :decision_id)
    ON CONFLICT (key) DO UPDATE SET group_id = excluded.group_id, before_id = excluded.before_id,
        decision_id = excluded.decision_id
    """
)
_UNDO = Statement(
    """
    UPDATE event_decisions SET group_id = before_id, before_id = group_id, decision_id = :new_id
    WHERE decision_id = :decision_id
    """
)
_FORGET = Statement("DELETE FROM event_decisions WHERE key = :key")
_LAST = Statement(
    """
    SELECT d.decision_id, d.group_id > d.before_id AS holds FROM event_decisions d JOIN article_urls u ON u.key = d.key
    JOIN event_articles e ON e.article_id = u.article_id WHERE e.event_id = :id AND d.group_id IS NOT NULL
    ORDER BY d.decision_id DESC LIMIT 1
    """
)
_ABOUT = Statement(
    """
    SELECT DISTINCT e.event_id FROM event_decisions d JOIN article_urls u ON u.key = d.key
    JOIN event_articles e ON e.article_id = u.article_id WHERE d.decision_id = :decision_id
    """
)
_UNTITLED = Statement(
    """
    UPDATE event_decisions SET title = '' WHERE title <> '' AND key IN (
        SELECT u.key FROM article_urls u JOIN event_articles e ON e.article_id = u.article_id WHERE e.event_id = :id)
    """
)
_TITLE = Statement(
    """
    INSERT INTO event_decisions (key, title) VALUES (:key, :title)
    ON CONFLICT (key) DO UPDATE SET title = excluded.title
    """
)


class EventDecision(NamedTuple):
    """A split or merge. Groups that it made have higher numbers than those before."""

    number: int
    holds: bool  # false: it was taken back


def prepare_events(conn: Connection, event_ids: Collection[int]) -> None:
    """Do what takes long of a change of these events, before the transaction that makes it."""
    last = filter(None, [last_decision(conn, number) for number in event_ids])
    read_words(conn, {*event_ids}.union(*(_about(conn, decision.number) for decision in last)))


def split(conn: Connection, event_id: int, chosen: Collection[int], now: float) -> bool:
    """Make the chosen articles of an event one of their own; ``False`` if they are none or all of its articles."""
    pages = rows_among(conn, _PAGES, [event_id])
    members = {page.article_id for page in pages}
    apart = members & set(chosen)
    if not apart or apart == members:
        return False
    _decide(conn, pages, now, apart)
    return True


def merge(conn: Connection, event_ids: Collection[int], now: float) -> None:
    """Make one event of several."""
    _decide(conn, rows_among(conn, _PAGES, event_ids), now)


def undo(conn: Connection, event_id: int, now: float) -> bool:
    """Take the last split or merge of an event back or, if that was taken back, make it again; ``False`` if there was
    none."""
    last = last_decision(conn, event_id)
    if last:
        decision_id = last.number
        numbers = _about(conn, decision_id)
        _UNDO.change(conn, {"decision_id": decision_id, "new_id": _HIGHEST.run(conn, {}).scalar() + 1})
        place_again(conn, numbers, now)
    return bool(last)


def rename(conn: Connection, event: Event, title: str) -> None:
    """Give an event a title, which stays with its first page; with an empty one it has that of an article again."""
    _UNTITLED.change(conn, {"id": event.id})
    if title:
        _TITLE.change(conn, {"key": url_key(event.first.copy.url), "title": title})


def last_decision(conn: Connection, event_id: int) -> EventDecision | None:
    """The last split or merge of an event; ``None`` if there was none."""
    row = _LAST.run(conn, {"id": event_id}).first()
    return row and EventDecision(row.decision_id, bool(row.holds))


def _about(conn: Connection, decision_id: int) -> set[int]:
    return {row.event_id for row in _ABOUT.run(conn, {"decision_id": decision_id})}


def _decide(conn: Connection, pages: Collection[Any], now: float, apart: Collection[int] = ()) -> None:
    """Put the pages of the events in a new group, those of the articles ``apart`` in another one. The pages of each
    event were a group before, whether people or the rules said so."""
    number = int(_HIGHEST.run(conn, {}).scalar())
    before = {page.event_id: page.group_id for page in pages if page.group_id is not None}
    for event_id in sorted({page.event_id for page in pages} - before.keys()):
        number += 1
        before[event_id] = number
    rows = [
        {
            "key": page.key,
            "group_id": number + 1 + (page.article_id in apart),
            "before_id": before[page.event_id],
            "decision_id": number + 2,
        }
        for page in pages
    ]
    _GROUP.change_many(conn, rows)
    place_again(conn, before.keys(), now)


def forget_decisions(conn: Connection, url: str) -> None:
    """Remove what people decided of a page."""
    _FORGET.change(conn, {"key": url_key(url)})


@dataclass(frozen=True, slots=True)
class EventChange:
    """A transaction, its moment, who makes the change, and the event."""

    conn: Connection
    now: float
    account: str
    event: Event

    def split(self, articles: Collection[int]) -> None:
        """Make some of its articles an event of their own."""
        if not split(self.conn, self.event.id, articles, self.now):
            raise wrong_use("choose some of the articles of the event, not none or all of them")
        self._note("event.split", after={"articles": sorted(articles)})

    def merge(self, other: Event) -> None:
        """Make it and another one the same event."""
        if other.id == self.event.id:
            raise wrong_use(f"{other.id} is this event itself")
        merge(self.conn, {self.event.id, other.id}, self.now)
        self._note("event.merge", after={"event": other.id, "title": other.title})

    def rename(self, title: str) -> None:
        """Give it a title; an empty one takes the given title away."""
        title = " ".join(title.split())
        if len(title) > LONGEST_TITLE or not title.isprintable():
            raise wrong_use(f"a title has at most {LONGEST_TITLE} printable characters")
        rename(self.conn, self.event, title)
        self._note("event.rename", before={"title": self.event.title}, after={"title": title})

    def undo(self) -> None:
        """Take its last split or merge back."""
        if not undo(self.conn, self.event.id, self.now):
            raise wrong_use("nobody split or merged this event")
        self._note("event.undo")

    def _note(self, action: str, *, before: object = None, after: object = None) -> None:
        audit_trail.note(self.conn, self.account, action, self.event.title, self.now, before=before, after=after)
