"""What a database's search index does: the same answers from each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sqlalchemy import Connection

from newsspider.core.query.tree import Node
from newsspider.store.index.contents import Content

COPY = "newsspider_search_copy"  # an option of engines and connections: the copy of the index that answers on them


class Entry(NamedTuple):
    """A row of ``search_entries``: an article or a revision."""

    id: int
    article_id: int | None
    revision_id: int | None
    moment: int


class Newest(NamedTuple):
    """The newest entries, the latest first. If a search took too long, it ended behind the entry that it
    ``tested_last``: older ones may be asked for behind that one."""

    entries: list[Entry]
    tested_last: Entry | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which entries are asked for; ``since`` counts, ``until`` does not (seconds since the epoch)."""

    wanted: Node
    since: int | None = None
    until: int | None = None
    revisions: bool = False  # also those of revisions
    after_article: int | None = None  # only articles with a higher number
    known_article: int | None = None  # only articles with no higher number, and revisions
    behind: Entry | None = None  # only entries that come after this one
    # only entries with a higher number, or one in these ranges
    after_entry: tuple[int, tuple[tuple[int, int], ...]] | None = None


class Backend(Protocol):
    """Entries are numbers of ``search_entries``, which the caller writes."""

    numbers_by_moment: bool  # the order of the entries' numbers is that of their moments, and of the answers

    def add(self, conn: Connection, entry: int, content: Content) -> None:
        """Index an entry."""

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Take an entry with this content out."""

    def merge(self, conn: Connection, *, begin: bool) -> bool:
        """Join some of the parts of the index, so that it is read faster: begin with all that there are, or go on.
        Whether there is more to do."""

    def newest(self, conn: Connection, choice: Choice, limit: int) -> Newest:
        """The entries that are asked for, at most so many. Where a query asks how near texts are, there may be others
        among them."""
