"""The states and kinds of URLs, and what a page holds, as values; no behaviour beyond what a value says of itself.

Moments are aware ``datetime``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from newsspider.core.duplicates.reprints import Fingerprints

LONGEST_TITLE = 512  # characters of an article's title
LONGEST_TEXT = 1_000_000  # characters of its text, with all its pages


class State(StrEnum):
    """The four queues of the ledger; their counts always sum to the URLs known."""

    WAITING = "waiting"  # never fetched well, or wanted anew: to be fetched at ``due_at``
    PROCESSING = "processing"  # leased to a worker
    ERROR = "error"  # never fetched well; a listed page may be looked at again
    DONE = "done"  # fetched well or set aside; a ``due_at`` says when it is visited again


class PageType(StrEnum):
    """What a page is."""

    ARTICLE = "article"
    BLOG = "blog"
    FORUM = "forum"
    LIST = "list"
    FEED = "feed"
    SITEMAP = "sitemap"
    GALLERY = "gallery"
    ERROR = "error"
    LOGIN = "login"
    OTHER = "other"
    ROBOTS = "robots"

    @property
    def stored(self) -> bool:
        """Whether a page of this kind may become a stored article."""
        return self in (PageType.ARTICLE, PageType.BLOG, PageType.FORUM)

    @property
    def polled(self) -> bool:
        """Whether a page of this kind serves as a list of links."""
        return self in (PageType.LIST, PageType.FEED, PageType.SITEMAP)


class LinkKind(StrEnum):
    """What a link leads to, as far as its page tells."""

    ARTICLE = "article"
    LIST = "list"
    NEXT = "next"
    ATTACHMENT = "attachment"
    OTHER = "other"


class Region(StrEnum):
    """The part of the page a link stands in."""

    MAIN = "main"
    SIDE = "side"
    NAVIGATION = "navigation"
    FOOTER = "footer"
    BODY = "body"  # inside the text of an article


class Reason(StrEnum):
    """Why a URL is in its state; one vocabulary for the ledger, the stats and ``scrapy explain``."""

    # waiting
    FOUND = "found"
    SUBMITTED = "submitted"  # by a person, who wants it fetched now, again or for the first time
    RETRY = "retry"
    RATE_LIMITED = "rate_limited"  # 429 or 503 with Retry-After: put back, not failed
    NO_ROBOTS = "no_robots"  # robots.txt could not be had: nothing is asked until it answers
    RELEASED = "released"  # its worker stopped or died before the page was committed
    # done, with the page read
    STORED = "stored"
    POLLED = "polled"
    UNCHANGED = "unchanged"  # 304, or the same body as before
    OFF_TOPIC = "off_topic"
    DUPLICATE = "duplicate"  # same body as a stored article: kept as one more URL of it
    JOINED = "joined"  # a further page of an article: its text went to that
    NOT_AN_ARTICLE = "not_an_article"
    DROPPED = "dropped"  # by a pipeline of the user's
    ROBOTS_READ = "robots_read"
    # done, without the page
    ROBOTS = "robots"
    ADDRESS = "address"  # of this machine, of a private network ...: nothing there is ours to ask
    REDIRECT = "redirect"
    SUFFIX = "suffix"
    CONTENT_TYPE = "content_type"
    TRAP = "trap"
    # a visit to a stored article that its host does not want now: made later, and no round waits for it
    PUT_OFF = "put_off"
    MISSED = "missed"  # an article that we have is not there now; it is looked for again before that is believed
    GONE = "gone"  # an article that we have has vanished
    # error
    HTTP_STATUS = "http_status"
    DNS = "dns"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    BAD_ANSWER = "bad_answer"  # the host is there and answers, but in no HTTP that is read
    TOO_LARGE = "too_large"
    TRUNCATED = "truncated"
    UNREADABLE = "unreadable"
    INTERNAL = "internal"  # an exception of ours: counted and logged
    WORKER_DEATHS = "worker_deaths"


class Standing(StrEnum):
    """Whether the lists of a page stand where they stood."""

    UNKNOWN = "unknown"  # there is no list that is worth remembering, and none was known
    LEARNED = "learned"
    KEPT = "kept"
    MOVED = "moved"  # the page was made anew: they were learned again
    LOST = "lost"  # there is nothing where they stood, and no list elsewhere


class Layout(NamedTuple):
    """Where the lists of a page stand: ``paths`` are XPaths of their links."""

    standing: Standing
    paths: tuple[str, ...] = ()


class Link(NamedTuple):  # made by the hundred a page, in a third of a frozen dataclass's time
    """One link of a page. ``url`` is absolute, as the page means it, fragment included."""

    url: str
    text: str = ""
    kind: LinkKind = LinkKind.OTHER
    region: Region = Region.MAIN
    published_at: datetime | None = None  # where the list, feed or sitemap says it
    nofollow: bool = False  # the page asks not to follow it (rel=nofollow)


class Image(NamedTuple):
    """A picture of an article; ``url`` is absolute, ``caption`` empty where the page gives none."""

    url: str
    caption: str = ""


class Part(NamedTuple):
    """A further page of an article in several pages; ``snapshot`` is empty where that page asks not to be archived."""

    url: str
    snapshot: str = ""


@dataclass(frozen=True, slots=True)
class Article:
    """What the reader reads on one article page."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()  # on duty, not the authors
    source: str | None = None
    published_at: datetime | None = None  # aware
    modified_at: datetime | None = None  # aware, later than published_at
    text: str = ""  # paragraphs, one a line
    summary: str = ""
    keywords: tuple[str, ...] = ()  # at most 10
    meta_keywords: tuple[str, ...] = ()
    meta_description: str | None = None
    meta_title: str | None = None  # the text of <title>
    headings: tuple[str, ...] = ()  # <h1> to <h6>, in page order
    canonical_url: str | None = None  # believed only on the same site
    language: str | None = None  # "zh", "en" ...
    images: tuple[Image, ...] = ()  # of the text, in page order
    comments: tuple[str, ...] = ()  # the further posts of a thread, in page order

    @property
    def truncated(self) -> bool:
        """The title or the text was cut to its limit."""
        return is_cut(self.title or "", self.text)

    @property
    def pictured(self) -> bool:
        """It says nothing below its title but with pictures, so the title is its text."""
        return bool(self.text) and self.text == self.title


def is_cut(title: str, text: str) -> bool:
    """Whether a title or a text is as long as none gets that is not cut to its limit."""
    return len(title) >= LONGEST_TITLE or len(text) >= LONGEST_TEXT


@dataclass(frozen=True, slots=True)
class Relevance:
    """How much a text is about a topic, and which terms say so."""

    score: float  # 0-1
    relevant: bool
    terms: tuple[str, ...] = ()  # the deciding terms, strongest first
    model: str = ""
    parts: tuple[tuple[str, float], ...] = ()  # of a blend: what each part says in log odds, 0 being the threshold
    subtopics: tuple[str, ...] = ()  # the parts of the topic's field that it belongs to
    rules: tuple[str, ...] = ()  # of the topic that hold; of those that have the last word, where there are any

    @property
    def decided_by(self) -> str:
        """The part that says most for the verdict; the model where it has no parts."""
        sign = 1 if self.relevant else -1
        return max(self.parts, key=lambda part: sign * part[1])[0] if self.parts else self.model


@dataclass(slots=True)
class StoredArticle:
    """The record of one article, as it is stored and exported. Filled by the spider, then by the pipelines."""

    url: str
    canonical_url: str
    site: str
    channel: str
    media_class: str
    anchor: str
    title: str
    authors: tuple[str, ...]
    source: str | None
    published_at: datetime | None
    crawled_at: datetime
    meta_keywords: tuple[str, ...]
    meta_description: str | None
    text: str
    summary: str
    keywords: tuple[str, ...]
    language: str | None
    charset: str
    kind: PageType
    link_count: int
    priority: int
    meta_title: str | None = None
    headings: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()
    modified_at: datetime | None = None
    images: tuple[Image, ...] = ()
    comments: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()  # its further pages
    topic: str = ""
    score: float = 0.0
    terms: tuple[str, ...] = ()
    model: str = ""
    subtopics: tuple[str, ...] = ()  # the parts of the topic's field that it belongs to
    body_md5: str = ""  # hex, of the normalised body
    fingerprints: Fingerprints | None = field(default=None, repr=False)  # by which near reprints are known
    snapshot: str = ""  # hex, SHA-256 of the bytes fetched
    noindex: bool = False  # the page asks not to be found: kept, but no search shows it
    content: bytes = field(default=b"", repr=False)  # the bytes fetched, for the snapshot of the last of its pages

    @property
    def truncated(self) -> bool:
        """The title or the text was cut to its limit."""
        return is_cut(self.title, self.text)
