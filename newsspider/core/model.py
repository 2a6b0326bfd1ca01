"""The states and kinds of URLs, what a page holds, and the fields of a stored article; moments are aware ``datetime``.

The columns of the store, the export, its JSON Schema, revisions and the reference all derive from
:data:`ARTICLE_FIELDS`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import PageResult
    from newsspider.core.duplicates.reprints import Fingerprints

LONGEST_TITLE = 512  # characters of an article's title
LONGEST_TEXT = 1_000_000  # characters of its text, with all its pages
# The field of an article that each XPath of a site fills.
XPATH_FIELDS = {"title": "title", "body": "text", "date": "published_at", "source": "source", "author": "authors"}


class Described(StrEnum):
    """A word with the sentence that explains it, for ``scrapy explain`` and the reference pages."""

    sentence: str

    def __new__(cls, value: str, sentence: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member


class State(Described):
    """The four queues of the ledger; their counts always sum to the URLs known."""

    WAITING = "waiting", "waiting to be fetched"
    PROCESSING = "processing", "being fetched by a worker"
    ERROR = "error", "never fetched successfully"
    DONE = "done", "done"


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


class Reason(Described):
    """Why a URL is in its state; one vocabulary for the ledger, the stats and ``scrapy explain``."""

    # waiting
    FOUND = "found", "it was found and has not been fetched yet"
    SUBMITTED = "submitted", "somebody submitted it and it has not been fetched since"
    RETRY = "retry", "the last try failed and there is another one"
    RATE_LIMITED = "rate_limited", "its host asked us to wait"
    NO_ROBOTS = "no_robots", "the robots.txt of its host could not be had"
    RELEASED = "released", "its worker stopped before the page was stored"
    # done, with the page read
    STORED = "stored", "its article is stored"
    POLLED = "polled", "it was read as a list of links"
    UNCHANGED = "unchanged", "it had not changed since the last visit"
    OFF_TOPIC = "off_topic", "it is not about the topic"
    DUPLICATE = "duplicate", "its text is that of a stored article"
    JOINED = "joined", "it is a further page of an article, which has its text"
    NOT_AN_ARTICLE = "not_an_article", "it holds no article"
    DROPPED = "dropped", "a pipeline or a middleware dropped it, or its channel was removed"
    ROBOTS_READ = "robots_read", "it is a robots.txt and was read"
    # done, without the page
    ROBOTS = "robots", "the robots.txt of its host forbids it"
    ADDRESS = "address", "its host is at an address that is not public"
    REDIRECT = "redirect", "it leads elsewhere"
    SUFFIX = "suffix", "files with its suffix are not fetched"
    CONTENT_TYPE = "content_type", "its content type is not read"
    TRAP = "trap", "it looks like a trap for crawlers"
    DEPTH = "depth", "it is deeper than its explore crawl went; the next run may start from it"
    PUT_OFF = "put_off", "the visit was postponed because its host did not want it then"
    MISSED = "missed", "its article was not there at the last visit; it is looked for again"
    GONE = "gone", "it has vanished; its article is kept"
    # error
    HTTP_STATUS = "http_status", "its host refused with an HTTP status"
    DNS = "dns", "the name of its host has no address"
    TIMEOUT = "timeout", "its host did not answer in time"
    CONNECTION = "connection", "its host could not be reached"
    BAD_ANSWER = "bad_answer", "its host does not answer in valid HTTP"
    GUARDED = "guarded", "its host sent a page of its guard, its gateway or its maintenance instead"
    TOO_LARGE = "too_large", "it is too large"
    TRUNCATED = "truncated", "it ended before its announced end"
    UNREADABLE = "unreadable", "its markup cannot be read"
    INTERNAL = "internal", "newsspider itself failed on it"
    WORKER_DEATHS = "worker_deaths", "workers died again and again while they processed it"


class Standing(StrEnum):
    """Whether a page still has its lists at the same places."""

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


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of an article; ``url`` is absolute, ``caption`` empty where the page gives none."""

    url: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class ArticlePart:
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
    keywords: tuple[str, ...] = ()  # at most 10; filled in later
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
        """It consists of pictures below its title, so their captions or the title are its text."""
        if not self.text or self.text == self.title:
            return bool(self.text)
        return {image.caption for image in self.images}.issuperset(self.text.split("\n"))


def is_cut(title: str, text: str) -> bool:
    """Whether a title or a text has the length of its limit, so that it was cut."""
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
    borderline: bool = False  # not relevant, but not far from it

    @property
    def decided_by(self) -> str:
        """The part that says most for the verdict; the model where it has no parts."""
        sign = 1 if self.relevant else -1
        return max(self.parts, key=lambda part: sign * part[1])[0] if self.parts else self.model


class Stored(NamedTuple):
    """Declares an article's field as a column of ``articles`` that ``scrapy export`` prints."""

    meaning: str
    exported_as: str = ""  # where that is another name
    unique: bool = False  # no two articles have the same; empty text is NULL
    revised: bool = False  # revisions keep it
    read: bool = True  # ``scrapy extract`` prints it, if it stands on the page


@dataclass
class StoredArticle:
    """The record of one article, as it is stored and exported: the item that the spiders yield and the pipelines fill.

    A field with :class:`Stored` is a column; see :mod:`newsspider.core.model`.
    """

    url: Annotated[str, Stored("the URL under which it was first stored")]
    canonical_url: Annotated[str, Stored("the shortest canonical URL that its pages name", read=False)]
    site: Annotated[str, Stored("the site of `url`")]
    channel: Annotated[str, Stored("the channel of `url`")]
    media_class: Annotated[str, Stored("the media class of the site")]
    anchor: Annotated[str, Stored("the text of the link that led to it")]
    title: Annotated[str, Stored("the title, at most 512 characters", revised=True)]
    authors: Annotated[tuple[str, ...], Stored("the authors, in page order", exported_as="author")]
    source: Annotated[str | None, Stored("the outlet that the page names as its source")]
    published_at: Annotated[datetime | None, Stored("when it was published, to the minute", revised=True)]
    crawled_at: Annotated[datetime, Stored("when its first page was fetched (UTC)", revised=True)]
    meta_keywords: Annotated[tuple[str, ...], Stored("the keywords of its META tag", read=False)]
    meta_description: Annotated[str | None, Stored("the description of its META tag", read=False)]
    text: Annotated[str, Stored("the body, one paragraph a line, at most 1,000,000 characters", revised=True)]
    summary: Annotated[str, Stored("the first two or three sentences")]
    language: Annotated[str | None, Stored("the language: `zh`, `en` ...", read=False)]
    charset: Annotated[str, Stored("the character set in which the page was decoded", revised=True)]
    kind: Annotated[PageType, Stored("`article`, `blog` or `forum`")]
    link_count: Annotated[int, Stored("how many links the page has")]
    priority: Annotated[int, Stored("the priority of its URL, as in `urls`")]
    keywords: tuple[str, ...] = ()  # at most 10
    meta_title: str | None = None
    headings: tuple[str, ...] = ()
    region: Annotated[str, Stored("the province or city of the site; empty: not known")] = ""
    places: Annotated[tuple[str, ...], Stored("the provinces and cities that it is about", read=False)] = ()
    attachments: Annotated[tuple[str, ...], Stored("URLs of the files that the page links to")] = ()
    editors: Annotated[tuple[str, ...], Stored("the duty editors (责任编辑), who are not the authors")] = ()
    modified_at: Annotated[datetime | None, Stored("when it was changed after publication, as the page says")] = None
    images: Annotated[tuple[Image, ...], Stored("pictures of the text, in page order: `{url, caption}`")] = ()
    comments: Annotated[tuple[str, ...], Stored("the replies of a forum thread, in page order")] = ()
    parts: Annotated[tuple[ArticlePart, ...], Stored("its further pages: `{url, snapshot}`; URLs in the export")] = ()
    topic: Annotated[str, Stored("the topic that it was kept for")] = ""
    score: Annotated[float, Stored("how relevant it is to the topic, 0-1")] = 0.0
    terms: Annotated[tuple[str, ...], Stored("the terms that decided the score, strongest first")] = ()
    model: Annotated[str, Stored("the model that scored it")] = ""
    subtopics: tuple[str, ...] = ()  # the parts of the topic's field that it belongs to
    body_md5: Annotated[str, Stored("MD5 of the normalised text, of a short notice with title", unique=True)] = ""
    fingerprints: Fingerprints | None = field(default=None, repr=False)  # by which near reprints are known
    snapshot: Annotated[str, Stored("the name of its page in `snapshots`; empty: not kept", revised=True)] = ""
    noindex: bool = False  # the page asks not to be found: kept, but no search shows it
    named: frozenset[str] = frozenset()  # fields that a spider or a site's XPaths give: not guessed by the reader
    one_page: bool = False  # a spider made it of one page, whether or not the article has further ones
    content: bytes = field(default=b"", repr=False)  # the bytes fetched, for the snapshot of the last of its pages
    # In a crawl: the page that it was read on, whose lease ends with it. Exporters leave it out.
    page: PageResult | None = field(default=None, repr=False, compare=False)

    @property
    def truncated(self) -> bool:
        """The title or the text was cut to its limit."""
        return is_cut(self.title, self.text)


class Version(NamedTuple):
    """The parts of an article that can change, as read at ``read_at``; a time is ``None`` if the page states none."""

    title: str
    text: str
    published_at: datetime | None = None
    read_at: datetime | None = None


# others are strings
JSON_TYPES = {int: "integer", float: "number", bool: "boolean", Image: "object", ArticlePart: "object"}


class ArticleField(NamedTuple):
    """A stored field: its name, its declaration, and its type, which is that of the items if it is a list."""

    name: str
    declared: Stored
    type: type
    is_list: bool = False
    is_optional: bool = False

    @property
    def key(self) -> str:
        """Its name in JSON."""
        return self.declared.exported_as or self.name

    @property
    def schema(self) -> dict[str, Any]:
        """What its value is in JSON, in the terms of JSON Schema."""
        name = JSON_TYPES.get(self.type, "string")
        if self.is_list:
            return {"type": "array", "items": {"type": name}, "description": self.declared.meaning}
        kind = [name, "null"] if self.is_optional or self.declared.unique else name
        moment = {"format": "date-time"} if self.type is datetime else {}
        return {"type": kind, **moment, "description": self.declared.meaning}


def field_of(name: str, hint: Any) -> ArticleField:
    """A field by its annotation.

    >>> field_of("tags", Annotated[tuple[str, ...], Stored("its tags")]).schema
    {'type': 'array', 'items': {'type': 'string'}, 'description': 'its tags'}
    """
    of, declared = get_args(hint)
    is_list = get_origin(of) is tuple
    kinds = [kind for kind in get_args(of) or (of,) if kind not in (NoneType, Ellipsis)]
    return ArticleField(name, declared, kinds[0], is_list, NoneType in get_args(of))


def json_value(value: Any) -> Any:
    """The value of a field as JSON has it.

    >>> json_value((Image("http://a.cn/1.jpg"),))
    [{'url': 'http://a.cn/1.jpg', 'caption': ''}]
    """
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return [asdict(item) if isinstance(item, Image | ArticlePart) else item for item in value]
    return value.value if isinstance(value, PageType) else value


_hints = get_type_hints(StoredArticle, localns={"Fingerprints": object, "PageResult": object}, include_extras=True)

ARTICLE_FIELDS = {name: field_of(name, hint) for name, hint in _hints.items() if get_origin(hint) is Annotated}

MOMENT_FIELDS = tuple(name for name, field in ARTICLE_FIELDS.items() if field.type is datetime)

REVISED_FIELDS = tuple(name for name, field in ARTICLE_FIELDS.items() if field.declared.revised)

PAGE_FIELDS = tuple(field.name for field in fields(Article) if field.name in _hints)

CORRECTABLE_FIELDS = (  # a spider may give them a value of its own
    *(name for name in PAGE_FIELDS if name in ARTICLE_FIELDS and name != "canonical_url"),
    "keywords",
    "kind",
    "attachments",
    "channel",
    "media_class",
    "region",
    "places",
    "site",
)

READ_FIELDS = tuple(name for name in PAGE_FIELDS if name in ARTICLE_FIELDS and ARTICLE_FIELDS[name].declared.read)


@dataclass(frozen=True, slots=True)
class ArticleRules:
    """The XPaths of one site's articles; ``None`` leaves the field to the general reader."""

    title: str | None = None
    body: str | None = None
    date: str | None = None
    source: str | None = None
    author: str | None = None

    @property
    def fields(self) -> frozenset[str]:
        """The fields of an article for which there is an XPath."""
        return frozenset(field for rule, field in XPATH_FIELDS.items() if getattr(self, rule) is not None)


NO_RULES = ArticleRules()
