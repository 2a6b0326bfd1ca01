"""A page while it is saved, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from newsspider.core.crawling.visit import InCrawl, Lease, PageResult
from newsspider.core.model import Reason

if TYPE_CHECKING:
    from newsspider.core.scheduling.publication_profile import Lesson
    from newsspider.core.scheduling.vanished import Missing

E = TypeVar("E")


@dataclass(slots=True)
class NewLinks:
    """What a page changes of the stored links."""

    keys: Mapping[str, int] = field(default_factory=dict)  # of the URLs that it links to
    channel: str | None = None  # the list that shows them; None: it is no list
    list: int | None = None  # its number in ``link_lists``, if it has one
    found_at: float = 0.0
    numbers: dict[int, int] = field(default_factory=dict)  # by target, those new on it, as ``page_links`` has them
    marked: dict[int, bool] = field(default_factory=dict)  # by target, those that it had: nofollow from now on


@dataclass(slots=True)
class Saved:
    """What came of a page: ``settled`` is ``False`` if its lease was not in force, and then nothing was written."""

    result: PageResult  # as it was settled: the store may know better than the reader what the page means
    now: float
    settled: bool = False
    exact: Reason | None = None  # more so than that of the settlement
    article_id: int | None = None
    new_article: bool = False
    duplicate_of: str | None = None  # the main URL of the article with this body
    links: NewLinks = field(default_factory=NewLinks)
    linked: bool = False  # it was saved with pages that brought new links
    offered: int = 0  # how many of its offers were new, and not refused
    refused: int = 0  # how many were new, and refused
    moved: int = 0  # how many links that wait stand elsewhere now
    visited: bool = False  # it is a stored article that is there still
    changed: tuple[str, ...] = ()  # what of it has changed since it was read last: text, title, time
    missing: Missing | None = None  # since when it is missing
    vanished: bool = False  # it is believed to have vanished, from this visit on
    returned: bool = False  # it is there again, though it had vanished
    lesson: Lesson | None = None  # what a poll teaches of the hours of its site
    previous_target: str | None = None  # of a rechecked one: where it led before, or the URL whose text it showed
    fresh: bool | None = None  # of a page with a budget that may be worth its links: whether they are new
    budgets: bool = False  # what it brought changes which other URLs of its site may be fetched

    @property
    def lease(self) -> Lease:
        return self.result.lease

    @property
    def reason(self) -> Reason:
        """Why its URL is in its state."""
        return self.exact or self.result.settlement.reason

    @property
    def crawl(self) -> str:
        """The explore crawl that it belongs to; empty for a watched site."""
        explore = self.result.effect(InCrawl)
        return explore.site if explore else ""


Pages = Sequence[tuple[Saved, E]]  # those that have an effect, each with it
