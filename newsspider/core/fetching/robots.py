"""What a host's robots.txt and META robots allow us, after RFC 9309.

The groups are read here (exact product tokens, unknown lines and Crawl-delay inside a group, broken encodings), for one
agent at a time, in time linear in the text; :mod:`~newsspider.core.fetching.robots_rules` matches the rules of the one
group that applies.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from newsspider.core.fetching.robots_rules import Rules

FRESH_SECONDS = 24 * 3600.0  # a robots.txt that was read is good for so long (RFC 9309, section 2.4)
CLOSED_SECONDS = 3600.0  # one that could not be had is asked for again then; meanwhile its host is closed
SERVES_SECONDS = 30 * FRESH_SECONDS  # the last good one holds so long while asking again fails (section 2.3.1.4)
READ_BYTES = 500 * 1024  # RFC 9309 section 2.5 asks for at least that

# Spellings found in the wild; "-" stands for a hyphen, a space or nothing.
FIELDS = {
    "user-agent": "user-agent useg-agent",
    "disallow": "disallow dissallow dissalow disalow diasllow disallaw desallow",
    "allow": "allow",
    "crawl-delay": "crawl-delay",
    "sitemap": "sitemap sitemaps site-map",
}
DIRECTIVES = frozenset({"noindex", "nofollow", "noarchive", "nosnippet", "noimageindex", "notranslate"})
VALUED_DIRECTIVES = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
EVERYONE = "*"

_SPELLED = "|".join(spelling.replace("-", "[- ]?") for known in FIELDS.values() for spelling in known.split())
_LINE = re.compile(  # the first letter tells the fields apart; the colon may be missing
    rf"^[^\S\n]*+(?=([udacs]))(?:{_SPELLED})(?:[^\S\n]*:|[^\S\n]+|(?=[#\n]|\Z))[^\S\n]*+([^#\n]*)", re.A | re.I | re.M
)
_BLANKS = bytes.maketrans(b"\r\t\v\f\x1c\x1d\x1e\x1f", b"\n       ")
_NAME = re.compile(r"[^\s/]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+", re.ASCII)
_COMPATIBLE = re.compile(r"mozilla/[^(]*\(\s*compatible;\s*", re.I)
_AGENT_PREFIX = re.compile(r"\s*([\w*-]+)\s*:(.*)", re.S)
_WORD_BREAK = re.compile(r"[\s;，；]+")


@dataclass(frozen=True, slots=True)
class RobotsText:
    """What a host's robots.txt said when it was last asked."""

    status: int | None  # HTTP status; None: the network failed
    text: bytes
    fetched_at: float


class Robots:
    """The rules of one host, read from what it answered; ``closed``: it did not answer, nothing may be asked.

    They are read when an agent asks for the first time, and kept for the agent that asked last.
    """

    def __init__(self, text: bytes = b"", closed: bool = False) -> None:
        self.closed = closed
        self._text = text
        self._group: tuple[str, _Group] | None = None

    @classmethod
    def read(cls, robots: RobotsText | None) -> Robots:
        """The rules after an answer (RFC 9309 section 2.3.1): 2xx is read, 4xx or an endless redirect allows all.

        429, 5xx, a failed network and an answer not had yet (``None``) forbid all: ask again first.
        """
        if robots is None or not answered(robots.status):
            return cls(closed=True)
        assert robots.status is not None
        return cls(robots.text if robots.status < 300 else b"")

    def allowed(self, url: str, agent: str) -> bool:
        """Whether this agent (a product token or a whole User-Agent header) may fetch a URL."""
        return not self.closed and self._of(agent).rules.allowed(url)

    def crawl_delay(self, agent: str) -> float | None:
        """The seconds that the agent's group asks for between two requests, if it does."""
        return self._of(agent).delay

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that it names, as they are written, each once."""
        values = dict.fromkeys(
            value.rstrip(" ") for letter, value in _LINE.findall(_text_of(self._text)) if letter in "sS"
        )
        return tuple(map(_ascii, values))

    @property
    def size(self) -> int:
        """Bytes of memory that this takes, about."""
        return len(self._text) + (self._group[1].rules.size if self._group else 0)

    def _of(self, agent: str) -> _Group:
        name = product_token(agent)
        if self._group is None or self._group[0] != name:
            self._group = (name, _group(_text_of(self._text), name))
        return self._group[1]


def answered(status: int | None) -> bool:
    """Whether a status says what a host's rules are: not a failed network (``None``), 5xx, or 429, which counts as
    one."""
    return status is not None and status != 429 and status < 500


def robots_in_force(last_good: RobotsText | None, newest: RobotsText | None, now: float) -> RobotsText | None:
    """The robots.txt that holds now: the newest, or the last good one for 30 days while asking again fails.

    ``last_good`` is the newest that was :func:`answered`; the host is closed if what holds was not.

    >>> good, failed = RobotsText(200, b"", 0.0), RobotsText(503, b"", 90_000.0)
    >>> robots_in_force(good, failed, 90_001.0).status, robots_in_force(good, failed, 31 * 86_400.0).status
    (200, 503)
    """
    if newest is None or answered(newest.status) or last_good is None:
        return newest if newest is not None else last_good
    return last_good if now - last_good.fetched_at <= SERVES_SECONDS else newest


def asked_again_at(newest: RobotsText) -> float:
    """When a robots.txt is asked for again: after a day, or an hour if it could not be had."""
    return newest.fetched_at + (FRESH_SECONDS if answered(newest.status) else CLOSED_SECONDS)


def product_token(agent: str) -> str:
    """The name by which robots.txt knows an agent, in lower case.

    >>> product_token("NewsSpider/1.0 (+https://example.org)"), product_token("Mozilla/5.0 (compatible; FooBot/2.1)")
    ('newsspider', 'foobot')
    """
    found = _COMPATIBLE.match(agent)
    return re.split("[/;)]", agent[found.end() if found else 0 :], maxsplit=1)[0].strip().lower()


def directives(values: Iterable[str], agent: str) -> frozenset[str]:
    """The directives for an agent in META robots contents and X-Robots-Tag headers, ``none`` as noindex and nofollow.

    What stands behind the name of another agent is not for us; a directive with a value is ignored.

    >>> sorted(directives(["NOARCHIVE", "otherbot: noindex", "newsspider: none"], "newsspider"))
    ['noarchive', 'nofollow', 'noindex']
    """
    found: set[str] = set()
    for value in values:
        ours = True
        for part in value.split(","):
            prefixed = _AGENT_PREFIX.fullmatch(part)
            if prefixed and prefixed[1].lower() in VALUED_DIRECTIVES:
                continue
            if prefixed:
                ours = prefixed[1].lower() in (EVERYONE, "robots", product_token(agent))
            if ours:
                found.update(_WORD_BREAK.split((prefixed[2] if prefixed else part).strip().lower()))
    if "none" in found:
        found |= {"noindex", "nofollow"}
    return frozenset(found & DIRECTIVES)


@dataclass(slots=True)
class _Lines:
    """What the groups of one name say."""

    named: bool = False
    allow: list[str] = field(default_factory=list)
    disallow: list[str] = field(default_factory=list)
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """The rules of one agent, ready to be matched."""

    rules: Rules
    delay: float | None


def _group(text: str, token: str) -> _Group:
    """The merged groups of a product token, or those of everyone if it has none (section 2.2.1)."""
    ours, everyone = _Lines(), _Lines()
    current: list[_Lines] = []  # whom the next rule is for; names that are not asked for leave no trace
    closed = True  # a rule came: the next User-agent begins a new group
    for letter, value in _LINE.findall(text):
        if letter in "aAdD":
            closed = True
            for lines in current:
                (lines.allow if letter in "aA" else lines.disallow).append(value)
        elif letter in "uU":
            current = [] if closed else current
            closed = False
            named = _named(value, token, ours, everyone)
            if named is not None and all(named is not lines for lines in current):
                named.named = True
                current.append(named)
        elif letter in "cC" and current and (number := _NUMBER.match(value)):
            for lines in current:
                lines.delay = max(float(number[0]), lines.delay or 0.0)
    found = ours if ours.named else everyone
    return _Group(Rules(found.allow, found.disallow), found.delay)


def _named(value: str, token: str, ours: _Lines, everyone: _Lines) -> _Lines | None:
    found = _NAME.search(value)
    name = found[0].lower() if found else None
    return ours if name == token else everyone if name == EVERYONE else None


def _text_of(body: bytes) -> str:
    """The bytes as Latin-1 characters, lines ended by line feeds, blanks as spaces."""
    if len(body) > READ_BYTES:
        body = body[:READ_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]  # half a rule is another rule
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        body = body.decode("utf-16", "replace").encode("utf-8", "replace")
    return body.removeprefix(codecs.BOM_UTF8).translate(_BLANKS, b"\0").decode("latin-1")


def _ascii(text: str) -> str:
    return re.sub("[\x80-\xff]", lambda byte: f"%{ord(byte[0]):02X}", text)
