"""The interface of the search indexes, which all give the same results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection

from newsspider.core.query.query_tree import Node
from newsspider.store.index.contents import Content

COPY = "newsspider_search_copy"  # an execution option of engines and connections: the copy of the index to search


class SearchEntry(NamedTuple):
    """A row of ``search_entries``: an article or a revision."""

    id: int
    article_id: int | None
    revision_id: int | None
    moment: int


class ServerAwayError(Exception):
    """The server of a copy did not answer, or not as it should."""


class StoryHit(NamedTuple):
    """An article of any store that copies its index to the same server, and its moment."""

    store: str
    record: dict[str, Any]
    moment: int


class Stories(NamedTuple):
    """The newest stories of all stores, and how many there are: ``total``, or ``more`` if not all were counted."""

    newest: list[StoryHit]
    total: int
    more: bool


class Newest(NamedTuple):
    """The newest entries, the latest first. A search that took too long ended at the entry that it ``tested_last``; the
    next search may continue after it."""

    entries: list[SearchEntry]
    tested_last: SearchEntry | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which entries to find; ``since`` is inclusive, ``until`` exclusive (seconds since the epoch)."""

    wanted: Node
    since: int | None = None
    until: int | None = None
    revisions: bool = False  # also entries of revisions
    after_article: int | None = None  # only articles with a higher number
    known_article: int | None = None  # only revisions, and articles up to this number
    behind: SearchEntry | None = None  # only entries that come after this one in the order of results
    # only entries with a higher number, or one in these ranges
    after_entry: tuple[int, tuple[tuple[int, int], ...]] | None = None


class Backend(Protocol):
    """A search index. Entries are given by their numbers in ``search_entries``, which the caller writes."""

    numbers_by_moment: bool  # the numbers of entries are in the order of their moments, and of the results

    def add(self, conn: Connection, contents: Mapping[int, Content]) -> None:
        """Index entries."""

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Remove an entry with this content."""

    def merge(self, conn: Connection, *, begin: bool) -> bool:
        """Merge some segments of the index, so that it is read faster: ``begin`` with all of them, or continue. Returns
        whether there is more to do."""

    def newest(self, conn: Connection, choice: Choice, limit: int) -> Newest:
        """The newest matching entries, at most ``limit``. For a query with a distance between texts, some may not
        match."""

    def aggregate(self, conn: Connection, choice: Choice, limit: int, query: str) -> list[tuple[Any, ...]] | None:
        """The rows of an SQL query over ``hits (article_id, moment)``: what :meth:`newest` would list, which costs many
        times as much as adding it up in the database. ``None`` where entries must be tested one by one."""
