"""robots.txt parsing, matching of URLs, how long a robots.txt is valid in the cache, and META robots, after RFC 9309.

This module reads the groups (exact product tokens, unknown lines and Crawl-delay inside a group, broken encodings)
for one agent at a time, in linear time, and matches URLs with the rules of the group in bounded time for any rules
(section 2.2.2). A Crawl-delay ends no group: other records "MUST NOT interfere" with those of the RFC (section 2.2.4).
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

MOST_PIECES = 2_000  # between the wildcards of all rules of an agent; real files have a few hundred at most
MOST_CHARACTERS = 16 * 1024  # of such rules
RULE_BYTES = 160  # of memory per rule, in addition to its characters

_KEPT = frozenset("/%*$#\n")  # these stay escaped, as they mean something else unescaped
_ESCAPE = re.compile("(%[0-9A-Fa-f]{2})")
_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_LITERAL = str.maketrans({"*": "%2A", "$": "%24"})
_INDEX = "/index.html"

FRESH_SECONDS = 24 * 3600.0  # how long a robots.txt is valid (RFC 9309, section 2.4)
CLOSED_SECONDS = 3600.0  # the retry interval after a failure; until then the host is closed
SERVES_SECONDS = 30 * FRESH_SECONDS  # how long the last good one is used while refreshing fails (section 2.3.1.4)
READ_BYTES = 500 * 1024  # the minimum that RFC 9309 section 2.5 requires
GUARD_BYTES = 64 * 1024  # of a response that may be a guard's page

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
_LINE = re.compile(  # the first letter identifies the field; the colon may be missing
    rf"^[^\S\n]*+(?=([udacs]))(?:{_SPELLED})(?:[^\S\n]*:|[^\S\n]+|(?=[#\n]|\Z))[^\S\n]*+([^#\n]*)", re.A | re.I | re.M
)
_BLANKS = bytes.maketrans(b"\r\t\v\f\x1c\x1d\x1e\x1f", b"\n       ")
_NAME = re.compile(r"[^\s/]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+", re.ASCII)
_COMPATIBLE = re.compile(r"mozilla/[^(]*\(\s*compatible;\s*", re.I)
_AGENT_PREFIX = re.compile(r"\s*([\w*-]+)\s*:(.*)", re.S)
_WORD_BREAK = re.compile(r"[\s;，；]+")


def _spellings() -> Iterator[tuple[str, str]]:
    """Each spelling of an escape, and its normal form: the Latin-1 character, or an upper-case escape."""
    for byte in range(256):
        normal_form = f"%{byte:02X}" if chr(byte) in _KEPT else chr(byte)
        escape = f"%{byte:02X}"
        for spelling in {escape, escape.lower(), escape[:2].lower() + escape[2], escape[:2] + escape[2].lower()}:
            yield spelling, normal_form


_NORMAL_FORM = dict(_spellings())


class _Wildcard(NamedTuple):
    length: int
    allow: bool
    first: str  # the path starts with it
    pieces: tuple[str, ...]  # must follow in this order
    last: str | None  # the path ends with it; None: any end


class RobotsRules:
    """The longest matching rule decides, Allow in a tie; without a match the path is allowed.

    Rules without wildcards are looked up in a table. Of rules with wildcards, 2,000 pieces or 16 KiB are matched;
    beyond that, a Disallow is cut before its first wildcard, so it forbids more, and an Allow is ignored. ``size``:
    approximate memory use in bytes.
    """

    __slots__ = ("_exact", "_lengths", "_prefixes", "_wildcards", "size")

    def __init__(self, allow: Sequence[str] = (), disallow: Sequence[str] = ()) -> None:
        self._prefixes: dict[str, bool] = {}
        self._exact: dict[str, bool] = {}
        self._wildcards: list[_Wildcard] = []
        allowing = _normalised_rules(allow)
        allowing |= {f"{rule.removesuffix('index.html')}$": None for rule in allowing if rule.endswith(_INDEX)}
        with_wildcards = [*self._add(_normalised_rules(disallow), allow=False), *self._add(allowing, allow=True)]
        matched = _within_limits(with_wildcards)
        self._wildcards = sorted((_wildcard(*rule) for rule in with_wildcards[:matched]), reverse=True)
        for rule in {rule.partition("*")[0] or "/" for rule, allows in with_wildcards[matched:] if not allows}:
            self._prefixes.setdefault(rule, False)
        self._lengths = sorted(set(map(len, self._prefixes)))
        self.size = (
            sum(map(len, self._prefixes))
            + sum(map(len, self._exact))
            + RULE_BYTES
            * (len(self._prefixes) + len(self._exact) + sum(3 + len(rule.pieces) for rule in self._wildcards))
        )

    def allowed(self, url: str) -> bool:
        """Whether the path and query of a URL may be fetched; /robots.txt always may."""
        path = path_of(url)
        if path.partition("?")[0] == "/robots.txt":
            return True
        length, allowed = self._plain(path)
        for rule in self._wildcards:
            if rule.length < length or (rule.length == length and allowed):
                break
            if _matches(rule, path):
                return rule.allow
        return allowed

    def _plain(self, path: str) -> tuple[int, bool]:
        """Length and verdict of the longest matching rule without wildcards."""
        if path in self._exact:
            return len(path) + 1, self._exact[path]
        for at in range(bisect_right(self._lengths, len(path)) - 1, -1, -1):
            length = self._lengths[at]
            if (allowed := self._prefixes.get(path[:length])) is not None:
                return length, allowed
        return -1, True

    def _add(self, rules: Iterable[str], *, allow: bool) -> list[tuple[str, bool]]:
        """Add the rules without wildcards and return the others; an Allow that is added later wins a tie."""
        special = [rule for rule in rules if "*" in rule or "$" in rule]
        # a dollar sign elsewhere is a literal character
        special = [rule[:-1].replace("$", "%24") + rule[-1] for rule in special]
        plain = [rule for rule in rules if "*" not in rule and "$" not in rule] if special else rules
        self._prefixes.update(dict.fromkeys(plain, allow))
        self._prefixes.update((rule, allow) for rule in special if "*" not in rule and rule[-1] != "$")
        self._exact.update((rule[:-1], allow) for rule in special if "*" not in rule and rule[-1] == "$")
        return [(rule, allow) for rule in special if "*" in rule]


def path_of(url: str) -> str:
    """Path and query of a URL in the form that rules are matched with: one spelling for each byte, non-ASCII bytes
    as Latin-1 characters.

    >>> path_of("http://a.cn/%7ea/%3d%2f?b=%3D#c")
    '/~a/=%2F?b=='
    """
    url = url.partition("#")[0]
    authority = _AUTHORITY.match(url)
    path = (url[authority.end() :] if authority else url).translate(_LITERAL)
    path = _normalised(path.encode("utf-8", "replace").decode("latin-1"))
    return path if path.startswith("/") else f"/{path}"


def _normalised(text: str) -> str:
    if "%" not in text:
        return text
    parts = _ESCAPE.split(text)  # every second part is an escape; faster than a callback
    parts[1::2] = [_NORMAL_FORM[escape] for escape in parts[1::2]]
    return "".join(parts)


def _normalised_rules(rules: Sequence[str]) -> dict[str, None]:
    """The rules in the form of :func:`path_of`, without duplicates and empty ones; all at once, for speed."""
    text = "\n".join(rules) + "\n"
    if " \n" in text:
        text = "\n".join(rule.rstrip(" ") for rule in text.split("\n"))
    normalised = dict.fromkeys(_normalised(text).split("\n"))
    normalised.pop("", None)
    return normalised


def _within_limits(rules: list[tuple[str, bool]]) -> int:
    """The number of wildcard rules within the limits."""
    pieces = characters = 0
    for at, (rule, _) in enumerate(rules):
        pieces += rule.count("*") + 1
        characters += len(rule)
        if pieces > MOST_PIECES or characters > MOST_CHARACTERS:
            return at
    return len(rules)


def _wildcard(rule: str, allow: bool) -> _Wildcard:
    first, *pieces = rule.removesuffix("$").split("*")
    last = pieces.pop() if rule.endswith("$") else None
    return _Wildcard(len(rule), allow, first, tuple(filter(None, pieces)), last)


def _matches(rule: _Wildcard, path: str) -> bool:
    """Each piece matches at its first occurrence: what fits after a later one also fits after the first."""
    if not path.startswith(rule.first):
        return False
    at = len(rule.first)
    for piece in rule.pieces:
        position = path.find(piece, at)
        if position < 0:
            return False
        at = position + len(piece)
    return rule.last is None or (len(path) - len(rule.last) >= at and path.endswith(rule.last))


@dataclass(frozen=True, slots=True)
class RobotsText:
    """The last response for a host's robots.txt."""

    status: int | None  # HTTP status; None: the network failed
    text: bytes
    fetched_at: float


class Robots:
    """The rules of one host; ``closed``: robots.txt could not be fetched, so nothing may be requested.

    They are parsed on the first query for an agent, and cached for the last agent.
    """

    def __init__(self, text: bytes = b"", closed: bool = False) -> None:
        self.closed = closed
        self._text = text
        self._group: tuple[str, _Group] | None = None

    @classmethod
    def read(cls, robots: RobotsText | None) -> Robots:
        """The rules of a response (RFC 9309, section 2.3.1): 2xx is parsed, 4xx and a redirect loop allow everything;
        429, 5xx, a network failure and none (``None``) forbid everything until the next try."""
        if robots is None or not gives_rules(robots.status):
            return cls(closed=True)
        assert robots.status is not None
        return cls(robots.text if robots.status < 300 else b"")

    def allowed(self, url: str, agent: str) -> bool:
        """Whether this agent (a product token or a full User-Agent header) may fetch a URL."""
        return not self.closed and self._of(agent).rules.allowed(url)

    def crawl_delay(self, agent: str) -> float | None:
        """The Crawl-delay of the agent's group in seconds, if any; ``politeness.polite_delay`` caps it."""
        return self._of(agent).delay

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemap URLs in the file, as written, without repetitions."""
        values = dict.fromkeys(
            value.rstrip(" ") for letter, value in _LINE.findall(_text_of(self._text)) if letter in "sS"
        )
        return tuple(map(_ascii, values))

    @property
    def size(self) -> int:
        """Approximate memory use in bytes."""
        return len(self._text) + (self._group[1].rules.size if self._group else 0)

    def _of(self, agent: str) -> _Group:
        name = product_token(agent)
        if self._group is None or self._group[0] != name:
            self._group = (name, _group(_text_of(self._text), name))
        return self._group[1]


def gives_rules(status: int | None) -> bool:
    """Whether a status gives a host's rules: not a network failure (``None``), 5xx, or 429, which counts as one."""
    return status is not None and status != 429 and status < 500


def may_be_guard_page(body: bytes) -> bool:
    """Whether a response for robots.txt may be a guard's page: it is short, and names no agent.

    >>> may_be_guard_page(b"User-agent: *"), may_be_guard_page(b"<!doctype html><title>robots.txt not found</title>")
    (False, True)
    """
    return 0 < len(body) <= GUARD_BYTES and not any(letter in "uU" for letter, _ in _LINE.findall(_text_of(body)))


def counts_as(status: int, body: bytes, now: float, *, guarded: bool, was_closed: bool) -> RobotsText | None:
    """What a response counts as that is no failure of HTTP; ``None``: a failure of the host.

    A guard's page with status 200 (``guarded``) is no robots.txt, but a failure (RFC 9309, section 2.3.1.4). Any other
    page of HTML is a file without rules: many hosts send their home page or a soft 404. So is a guard's page that still
    stands there after the host was closed for one, not for a 503 or a network failure: it may guard this URL alone, and
    if not, each page says so itself.
    """
    if not guarded:
        return RobotsText(status, body[: READ_BYTES + 1], now)  # one more byte shows that it was truncated
    return RobotsText(status, b"", now - FRESH_SECONDS + CLOSED_SECONDS) if was_closed else None  # fresh for an hour


def robots_in_force(last_good: RobotsText | None, newest: RobotsText | None, now: float) -> RobotsText | None:
    """The robots.txt that applies now: the newest, or for 30 days while refreshing fails the last one whose
    status :func:`gives_rules`; the host is closed if there is none.

    >>> good, failed = RobotsText(200, b"", 0.0), RobotsText(503, b"", 90_000.0)
    >>> robots_in_force(good, failed, 90_001.0).status, robots_in_force(good, failed, 31 * 86_400.0).status
    (200, 503)
    """
    if newest is None or gives_rules(newest.status) or last_good is None:
        return newest if newest is not None else last_good
    return last_good if now - last_good.fetched_at <= SERVES_SECONDS else newest


def asked_again_at(newest: RobotsText) -> float:
    """When a robots.txt is fetched again: after a day, or after an hour if it failed."""
    return newest.fetched_at + (FRESH_SECONDS if gives_rules(newest.status) else CLOSED_SECONDS)


@lru_cache(64)  # cache: agents and their product tokens
def product_token(agent: str) -> str:
    """The product token of an agent in lower case, as robots.txt names it.

    >>> product_token("NewsSpider/1.0 (+https://example.org)"), product_token("Mozilla/5.0 (compatible; FooBot/2.1)")
    ('newsspider', 'foobot')
    """
    prefix = _COMPATIBLE.match(agent)
    return re.split("[/;)]", agent[prefix.end() if prefix else 0 :], maxsplit=1)[0].strip().lower()


def robots_directives(values: Iterable[str], agent: str) -> frozenset[str]:
    """The directives for an agent in META robots and X-Robots-Tag headers; ``none`` means noindex and nofollow.

    Directives for another agent and directives with a value are ignored.

    >>> sorted(robots_directives(["NOARCHIVE", "otherbot: noindex", "newsspider: none"], "newsspider"))
    ['noarchive', 'nofollow', 'noindex']
    """
    names: set[str] = set()
    for value in values:
        ours = True
        for part in value.split(","):
            prefixed = _AGENT_PREFIX.fullmatch(part)
            if prefixed and prefixed[1].lower() in VALUED_DIRECTIVES:
                continue
            if prefixed:
                ours = prefixed[1].lower() in (EVERYONE, "robots", product_token(agent))
            if ours:
                names.update(_WORD_BREAK.split((prefixed[2] if prefixed else part).strip().lower()))
    if "none" in names:
        names |= {"noindex", "nofollow"}
    return frozenset(names & DIRECTIVES)


@dataclass(slots=True)
class _Lines:
    """The collected lines of the groups of one name."""

    named: bool = False
    allow: list[str] = field(default_factory=list)
    disallow: list[str] = field(default_factory=list)
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """The parsed rules of one agent."""

    rules: RobotsRules
    delay: float | None


def _group(text: str, token: str) -> _Group:
    """The merged groups of a product token, or of ``*`` if it has none (section 2.2.1)."""
    ours, everyone = _Lines(), _Lines()
    current: list[_Lines] = []  # the groups of the next rule; those of other agents are dropped
    closed = True  # after a rule: the next User-agent starts a new group
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
    lines_in_force = ours if ours.named else everyone
    return _Group(RobotsRules(lines_in_force.allow, lines_in_force.disallow), lines_in_force.delay)


def _named(value: str, token: str, ours: _Lines, everyone: _Lines) -> _Lines | None:
    match = _NAME.search(value)
    name = match[0].lower() if match else None
    return ours if name == token else everyone if name == EVERYONE else None


def _text_of(body: bytes) -> str:
    """The bytes as Latin-1 characters, with line feeds and spaces only."""
    if len(body) > READ_BYTES:
        body = body[:READ_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]  # a truncated rule is another rule
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        body = body.decode("utf-16", "replace").encode("utf-8", "replace")
    return body.removeprefix(codecs.BOM_UTF8).translate(_BLANKS, b"\0").decode("latin-1")


def _ascii(text: str) -> str:
    return re.sub("[\x80-\xff]", lambda byte: f"%{ord(byte[0]):02X}", text)


ROBOTS_KEPT = 10_000  # hosts whose parsed rules are kept in memory
ROBOTS_BYTES = 32 * 1024 * 1024  # of memory that these take, about


class RobotsCache:
    """The rules of each host for one ``agent``, with a moment that the caller gives them."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        # memory _robots: parsed rules: ROBOTS_KEPT hosts and ROBOTS_BYTES bytes
        self._robots: OrderedDict[str, tuple[float | None, Robots]] = OrderedDict()
        self._bytes = 0

    def get(self, host: str) -> tuple[float | None, Robots] | None:
        """The rules of a host with their moment, if they are kept."""
        if host in self._robots:
            self._robots.move_to_end(host)
        return self._robots.get(host)

    def keep(self, host: str, moment: float | None, robots: Robots) -> Robots:
        """Keep the rules of a host, in place of older ones."""
        robots.crawl_delay(self.agent)  # the rules for us are read now: their size is known from here on
        self._forget(host)
        self._robots[host] = (moment, robots)
        self._bytes += robots.size
        while len(self._robots) > 1 and (len(self._robots) > ROBOTS_KEPT or self._bytes > ROBOTS_BYTES):
            self._forget(next(iter(self._robots)))
        return robots

    def crawl_delay(self, host: str) -> float | None:
        """The Crawl-delay of a host, if its rules are kept and name one; ``politeness.polite_delay`` caps it."""
        cached = self._robots.get(host)
        return cached[1].crawl_delay(self.agent) if cached else None

    def _forget(self, host: str) -> None:
        if (forgotten := self._robots.pop(host, None)) is not None:
            self._bytes -= forgotten[1].size
