"""Matches URLs with the rules of robots.txt, in bounded time for any rules (RFC 9309, section 2.2.2)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

MOST_PIECES = 2_000  # between the wildcards of all rules of an agent; real files have a few hundred at most
MOST_CHARACTERS = 16 * 1024  # of such rules
RULE_BYTES = 160  # of memory per rule, in addition to its characters

_KEPT = frozenset("/%*$#\n")  # these stay escaped, as they mean something else unescaped
_ESCAPE = re.compile("(%[0-9A-Fa-f]{2})")
_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_LITERAL = str.maketrans({"*": "%2A", "$": "%24"})
_INDEX = "/index.html"


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


class Rules:
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
