"""A page while it is saved, with the results of saving it."""

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
    """The changes of a page to the stored links."""

    keys: Mapping[str, int] = field(default_factory=dict)  # by URL that it links to
    channel: str | None = None  # the channel of a list; None: the page is no list
    list: int | None = None  # its number in ``link_lists``, if it has one
    found_at: float = 0.0
    numbers: dict[int, int] = field(default_factory=dict)  # by target, of its new links, as in ``page_links``
    marked: dict[int, bool] = field(default_factory=dict)  # by target, of its stored links: the new nofollow mark


@dataclass(slots=True)
class Saved:
    """A saved page; if its lease was not in force, ``settled`` is ``False`` and nothing was written."""

    result: PageResult  # as it was settled, which may differ from how it was read
    now: float
    settled: bool = False
    exact: Reason | None = None  # a more precise reason than that of the settlement
    article_id: int | None = None
    new_article: bool = False
    duplicate_of: str | None = None  # the main URL of the article with this body
    links: NewLinks = field(default_factory=NewLinks)
    linked: bool = False  # it was saved with pages that brought new links
    offered: int = 0  # how many of its offers were new, and not refused
    refused: int = 0  # how many were new, and refused
    moved: int = 0  # how many waiting URLs got another placement
    visited: bool = False  # it is a stored article, and still there
    changed: tuple[str, ...] = ()  # its parts that have changed since its last visit: text, title, time
    corrected: tuple[str, ...] = ()  # its fields that a corrected spider or site file gives another value
    missing: Missing | None = None  # how its article is missing
    vanished: bool = False  # it has vanished with this visit
    returned: bool = False  # it is back after it had vanished
    lesson: Lesson | None = None  # what a poll teaches about the hours of its site
    previous_target: str | None = None  # of a rechecked page: where it redirected before, or whose text it showed
    fresh: bool | None = None  # of a page that a trap budget judges by its links: whether these are new
    budgets: bool = False  # it changed which other URLs of its site may be fetched

    @property
    def lease(self) -> Lease:
        return self.result.lease

    @property
    def reason(self) -> Reason:
        """The reason for the state of its URL."""
        return self.exact or self.result.settlement.reason

    @property
    def crawl(self) -> str:
        """The explore crawl that it belongs to; empty for a watched site."""
        explore = self.result.effect(InCrawl)
        return explore.site if explore else ""


Pages = Sequence[tuple[Saved, E]]  # pages with an effect, each with it
