"""What a host's robots.txt and META robots allow us, after RFC 9309.

The groups are read here (exact product tokens, unknown lines and Crawl-delay inside a group, broken encodings); Protego
matches the rules of the one group that applies (longest match, wildcards, Allow before Disallow).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass

from protego import Protego

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

_SPELLINGS = {spelling.replace("-", ""): field for field, known in FIELDS.items() for spelling in known.split()}
_SPELLED = "|".join(spelling.replace("-", "[- ]?") for known in FIELDS.values() for spelling in known.split())
_LINE = re.compile(rf"\s*({_SPELLED})(?:\s*:|\s+|$)(.*)", re.I)  # the colon may be missing
_BREAK = re.compile("\r\n|\r|\n")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+", re.ASCII)
_COMPATIBLE = re.compile(r"mozilla/[^(]*\(\s*compatible;\s*", re.I)
_BEYOND_ASCII = re.compile(r"%([89A-F][0-9A-F])", re.I)
_AGENT_PREFIX = re.compile(r"\s*([\w*-]+)\s*:(.*)", re.S)
_WORD_BREAK = re.compile(r"[\s;，；]+")


@dataclass(frozen=True, slots=True)
class RobotsText:
    """What a host's robots.txt said when it was last asked."""

    status: int | None  # HTTP status; None: the network failed
    text: bytes
    fetched_at: float


class Robots:
    """The rules of one host, read from what it answered; ``closed``: it did not answer, nothing may be asked."""

    def __init__(self, lines: Iterable[tuple[str, str]] = (), closed: bool = False) -> None:
        self.closed = closed
        self._groups, self._delays, self.sitemaps = _groups(lines)
        self._matchers: dict[str, Protego] = {}

    @classmethod
    def read(cls, robots: RobotsText | None) -> Robots:
        """The rules after an answer (RFC 9309 section 2.3.1): 2xx is read, 4xx or an endless redirect allows all.

        429, 5xx, a failed network and an answer not had yet (``None``) forbid all: ask again first.
        """
        if robots is None or not answered(robots.status):
            return cls(closed=True)
        assert robots.status is not None
        return cls(_lines(robots.text) if robots.status < 300 else ())

    def allowed(self, url: str, agent: str) -> bool:
        """Whether this agent (a product token or a whole User-Agent header) may fetch a URL."""
        return not self.closed and self._matcher(agent).can_fetch(_protected(url), EVERYONE)

    def crawl_delay(self, agent: str) -> float | None:
        """The seconds that the agent's group asks for between two requests, if it does."""
        return self._delays.get(self._group_name(agent))

    def _group_name(self, agent: str) -> str:
        name = product_token(agent)
        return name if name in self._groups else EVERYONE

    def _matcher(self, agent: str) -> Protego:
        name = self._group_name(agent)
        if name not in self._matchers:
            self._matchers[name] = Protego.parse("\n".join(["User-agent: *", *self._groups.get(name, ())]))
        return self._matchers[name]


def answered(status: int | None) -> bool:
    """Whether a status says what a host's rules are: not a failed network (``None``), 5xx, or 429, which counts as one."""
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


def _lines(body: bytes) -> Iterable[tuple[str, str]]:
    """Field and value of each line that robots.txt knows, both ASCII: other bytes are percent-encoded."""
    for line in _BREAK.split(_ascii(body)):
        found = _LINE.match(line.partition("#")[0])
        if found:
            yield _SPELLINGS[re.sub("[- ]", "", found[1].lower())], found[2].strip()


def _ascii(body: bytes) -> str:
    if len(body) > READ_BYTES:
        body = body[:READ_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]  # half a rule is another rule
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        body = body.decode("utf-16", "replace").encode("utf-8", "replace")
    text = body.removeprefix(codecs.BOM_UTF8).replace(b"\0", b"").decode("latin-1")
    return text if text.isascii() else re.sub("[\x80-\xff]", lambda byte: f"%{ord(byte[0]):02X}", text)


def _groups(lines: Iterable[tuple[str, str]]) -> tuple[dict[str, list[str]], dict[str, float], tuple[str, ...]]:
    """Rules and Crawl-delays by product token, and the sitemaps; groups of one token are merged (section 2.2.1)."""
    groups: dict[str, list[str]] = {}
    delays: dict[str, float] = {}
    sitemaps: dict[str, None] = {}
    current: list[str] = []
    closed = True  # a rule came: the next User-agent begins a new group
    for field, value in lines:
        if field == "user-agent":
            current = [] if closed else current
            closed = False
            current += value.lower().replace("/", " ").split()[:1]
            for name in current:
                groups.setdefault(name, [])
        elif field == "sitemap":
            sitemaps.setdefault(value)
        elif field == "crawl-delay":
            number = _NUMBER.match(value)
            delays |= {name: max(float(number[0]), delays.get(name, 0.0)) for name in current if number}
        else:
            closed = True
            for name in current:
                groups[name].append(f"{field}: {_protected(value)}")
    return groups, delays, tuple(sitemaps)


def _protected(url: str) -> str:
    """Bytes beyond ASCII, kept from Protego's decoding: it takes all that are not UTF-8 for one character."""
    if not url.isascii():
        url = re.sub(
            "[^\x00-\x7f]", lambda char: "".join(f"%{byte:02X}" for byte in char[0].encode("utf-8", "replace")), url
        )
    return _BEYOND_ASCII.sub(lambda triplet: f"%25{triplet[1].upper()}", url) if "%" in url else url
