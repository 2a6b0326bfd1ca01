"""Changes that people make to an event, each with its row in the audit trail."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection

from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.events import decisions
from newsspider.features.events.events import Event
from newsspider.store import audit_trail

LONGEST_TITLE = 200  # characters


@dataclass(frozen=True, slots=True)
class EventChange:
    """A transaction, its moment, who makes the change, and the event."""

    conn: Connection
    now: float
    account: str
    event: Event

    def split(self, articles: Collection[int]) -> None:
        """Make some of its articles an event of their own."""
        if not decisions.split(self.conn, self.event.id, articles, self.now):
            raise wrong_use("choose some of the articles of the event, not none or all of them")
        self._note("event.split", after={"articles": sorted(articles)})

    def merge(self, other: Event) -> None:
        """Make it and another one the same event."""
        if other.id == self.event.id:
            raise wrong_use(f"{other.id} is this event itself")
        decisions.merge(self.conn, {self.event.id, other.id}, self.now)
        self._note("event.merge", after={"event": other.id, "title": other.title})

    def rename(self, title: str) -> None:
        """Give it a title; an empty one takes the given title away."""
        title = " ".join(title.split())
        if len(title) > LONGEST_TITLE or not title.isprintable():
            raise wrong_use(f"a title has at most {LONGEST_TITLE} printable characters")
        decisions.rename(self.conn, self.event, title)
        self._note("event.rename", before={"title": self.event.title}, after={"title": title})

    def undo(self) -> None:
        """Take its last split or merge back."""
        if not decisions.undo(self.conn, self.event.id, self.now):
            raise wrong_use("nobody split or merged this event")
        self._note("event.undo")

    def _note(self, action: str, *, before: object = None, after: object = None) -> None:
        audit_trail.note(self.conn, self.account, action, self.event.title, self.now, before=before, after=after)
