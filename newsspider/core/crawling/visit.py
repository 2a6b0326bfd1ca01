"""The values of one visit to one URL: offered, leased, settled, what its page brought, and what saving it changed.

Times are seconds since the epoch (UTC). A URL's ``key`` is the signed 64-bit number of
:func:`newsspider.core.url.url_key`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from newsspider.core.fetching.politeness import Ask, KnownResponse
from newsspider.core.model import Link, PageType, Reason, State, StoredArticle

if TYPE_CHECKING:
    # they read pages, which a command that looks into the store does not
    from newsspider.core.scheduling.publication_profile import Lesson
    from newsspider.core.scheduling.vanished import Absence, ConfirmationThreshold, Missing


E = TypeVar("E")
SHORT_BODY = 100  # characters: an article with fewer lacks a body
SUBMITTED_CHANNEL = "submitted"  # of URLs that people submit
SUBMITTED_DEPTH = 1  # it may be a list, whose links are one deeper


@dataclass(frozen=True, slots=True)
class Offer:
    """A URL offered to the frontier; ``url`` is canonical."""

    key: int
    url: str
    host: str  # host[:port], lower case: the unit of politeness
    kind: PageType = PageType.ARTICLE
    site: str = ""
    channel: str = ""
    depth: int = 2
    parent: int | None = None
    anchor: str = ""
    priority: int = 0
    due_at: float = 0.0
    update_cycle: float | None = None  # seconds between visits; None: visited once
    again_before: float | None = None  # a known URL becomes due again if it was last fetched before this moment
    fresh_only: bool = False  # to be offered only if the page's links brought something new ("next page")
    hops: int = 0  # redirects on the way to it
    refused: Reason | None = None  # known, but never to be fetched: a trap, a suffix that is no page
    strategy_state: str = ""  # what an explore crawl's strategy remembers of it
    partial_article: str = ""  # of a further page: its article so far
    meta: str = ""  # of a start URL: a JSON object for the `meta` of its request
    part_of: str = ""  # the title of the article of which it is a further page
    detail: str = ""  # for people: why it is refused
    topic: str | None = None  # that its words are not about, where that refuses it


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of one worker to fetch one URL once, until ``ends_at``; ``token`` fences off late settles."""

    key: int
    url: str
    host: str
    kind: PageType
    site: str
    channel: str
    depth: int
    anchor: str
    priority: int
    token: int
    ends_at: float
    due_at: float  # the moment it became due: its links are fetched again only if last fetched before this
    failures: int = 0
    faults: int = 0  # processes that failed over it because of internal errors, in a row
    fetch_count: int = 0
    known: KnownResponse = KnownResponse()  # noqa: RUF009 -- frozen: of its last full answer
    hops: int = 0
    update_cycle: float | None = None
    host_latency: float | None = None  # smoothed seconds from request to last byte
    host_failures: int = 0  # pauses of the host in a row
    robots_at: float | None = None  # when the robots.txt of the host was read
    address: str = ""  # where the host was last asked
    strategy_state: str = ""
    partial_article: str = ""  # of which it may be a further page
    meta: str = ""  # of a start URL: a JSON object for the `meta` of its request
    revisit: bool = False  # of a stored article, because its age says so
    in_parts: bool = False  # its article has further pages
    again: bool = False  # it was fetched and settled before, and is fetched again
    stored_at: float | None = None  # when its article was stored first
    published_at: float | None = None  # when its article says that it was published
    distrusted: bool = False  # its host answers 304 although pages have changed
    guarded: bool = False  # its last fetch ended with a guard's page
    accepted_for: str | None = None  # the topic of its article, if somebody said that it is on it

    @property
    def had_article(self) -> bool:
        """Its article is stored."""
        return self.stored_at is not None

    @property
    def alone(self) -> bool:
        """It is read for itself: no list and no robots.txt."""
        return self.update_cycle is None and not self.kind.polled and self.kind is not PageType.ROBOTS

    @property
    def submitted(self) -> bool:
        """Somebody submitted it, or a page that led to it."""
        return self.channel == SUBMITTED_CHANNEL

    @property
    def handed_in(self) -> bool:
        """Somebody submitted this URL, or one that redirected to it; not one that links to it."""
        return self.submitted and self.depth == SUBMITTED_DEPTH

    @property
    def rechecked(self) -> bool:
        """It was asked before and showed no article."""
        return self.again and self.alone and not self.had_article

    @property
    def listed(self) -> bool:
        """It was listed as an article: no further page of one, none to which one led."""
        return self.alone and not (self.hops or self.partial_article)

    @property
    def awaited(self) -> bool:
        """Whether a missing article is looked for again: that of a listed page, or of a further page not yet read."""
        return self.listed or (bool(self.partial_article) and (self.rechecked or not self.fetch_count))


@dataclass(frozen=True, slots=True)
class Settlement:
    """What becomes of a leased URL and its host: the ledger writes it as it stands."""

    state: State
    reason: Reason
    due_at: float | None = None  # None: not visited again
    failures: int = 0
    status: int | None = None
    fetched_at: float | None = None  # when the request was sent; None: nothing was sent
    kind: PageType | None = None  # what the page turned out to be, if read
    etag: str | None = None
    last_modified: str | None = None
    body_hash: str | None = None
    bytes_hash: str | None = None
    proving: bool = False  # the validators are those of an older content than the hash
    topic: str | None = None  # the topic that refused it, for OFF_TOPIC
    detail: str = ""  # for people: the exception, the target of a redirect, the duplicate's URL ...
    host_next_at: float | None = None  # the host may be asked again then
    host_delay: float | None = None  # seconds, with
    host_delay_reason: str = ""
    host_latency: float | None = None  # smoothed seconds from request to last byte
    host_pause: bool = False  # the whole host waits (429, 503, down): its failures are counted
    address: str | None = None  # the IP address that answered
    address_next_at: float | None = None  # all hosts at that address may be asked again then
    faults: int = 0  # processes that failed over it because of internal errors, in a row


@dataclass(frozen=True, slots=True)
class Missed:
    """What the URL of a missing article answers instead, and how often it must do so to confirm it."""

    absence: Absence
    threshold: ConfirmationThreshold


@dataclass(frozen=True, slots=True)
class Moved:
    """An article leads elsewhere: to this ``absence``, as far as the URL tells; a stored one is missing."""

    absence: Absence | None
    threshold: ConfirmationThreshold


@dataclass(frozen=True, slots=True)
class UnlikeAnchor:
    """The page shares almost nothing with the text of its link: it is a guard's, and ``guarded``, if other
    URLs of its host with other such links show its text."""

    title: str
    text: str
    body_hash: str
    guarded: Settlement


@dataclass(frozen=True, slots=True)
class InCrawl:
    """The page belongs to an explore crawl: the ``site`` of its URLs."""

    site: str


@dataclass(frozen=True, slots=True)
class NewBoilerplate:
    """Lines that have been learned as boilerplate of the site."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeldArticle:
    """An article that its topic does not keep, and whose text is held apart from the articles."""

    article: StoredArticle
    borderline: bool  # somebody is to decide on it


@dataclass(frozen=True, slots=True)
class Awaited:
    """The URL should show an article of a watched site, or a further page of one: it is rechecked if it does not."""


class PageResult:
    """What a fetched page is, what it holds and what follows.

    ``effects`` are what else is to be stored, one value of each type, such as the ``RobotsText`` of its host, the
    ``Layout`` of a list, or :class:`Missed`; ``newsspider/store/pages.py`` says what is done with each type. It is no
    dataclass, as itemadapter would make a dict of it where a pipeline makes one of its article.
    """

    __slots__ = ("article", "asked", "effects", "lease", "links", "offers", "settlement")

    def __init__(
        self,
        lease: Lease,
        settlement: Settlement,
        article: StoredArticle | None = None,
        links: tuple[Link, ...] = (),
        offers: tuple[Offer, ...] = (),
        effects: tuple[object, ...] = (),
        asked: Ask = Ask.PLAINLY,
    ) -> None:
        self.lease = lease
        self.settlement = settlement
        self.article = article
        self.links = links  # with canonical URLs, for the graph
        self.offers = offers
        self.effects = effects
        self.asked = asked  # how its request was made

    def effect(self, kind: type[E]) -> E | None:
        """The effect of this type."""
        for effect in self.effects:
            if isinstance(effect, kind):
                return effect
        return None

    def add(self, effect: object) -> None:
        """Add an effect in the place of another one of its type."""
        self.drop(type(effect))
        self.effects = (*self.effects, effect)

    def drop(self, kind: type) -> None:
        """Take away the effect of this type."""
        self.effects = tuple(effect for effect in self.effects if not isinstance(effect, kind))

    def __repr__(self) -> str:
        return f"<PageResult {self.settlement.reason} {self.lease.url}>"


class ListObservation(NamedTuple):
    """What a list page showed: its links, how many of them are articles, whether it is a guard's page, the share of
    garbled characters, the XPaths of the list, if none of them selects anything, and whether its list may stand on
    pages that it leads to."""

    links: int
    articles: int
    guard: bool = False
    garbled: float = 0.0
    broken: str = ""
    elsewhere: bool = False


class ArticleObservation(NamedTuple):
    """What an article page lacks of `date`, `source`, `author` and `body`, and which XPaths of its site it matched."""

    lacks: tuple[str, ...] = ()
    rules: tuple[tuple[str, bool], ...] = ()


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
    lease: Lease = field(init=False)
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

    def __post_init__(self) -> None:
        self.lease = self.result.lease

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
