"""Matches paths with the Allow and Disallow rules of one agent, in bounded time whatever the rules are (RFC 9309,
section 2.2.2)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

MOST_PIECES = 2_000  # between wildcards, of all rules of an agent that have any; real files have some hundreds at most
MOST_CHARACTERS = 16 * 1024  # of such rules
RULE_BYTES = 160  # of memory that a rule takes besides its characters

_KEPT = frozenset("/%*$#\n")  # these mean something else when they are written plainly
_ESCAPE = re.compile("(%[0-9A-Fa-f]{2})")
_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_LITERAL = str.maketrans({"*": "%2A", "$": "%24"})
_INDEX = "/index.html"


def _spellings() -> Iterator[tuple[str, str]]:
    """Each escape, and the one spelling of what it means: the character, as Latin-1 has it, or an escape in
    capitals."""
    for byte in range(256):
        kept = f"%{byte:02X}" if chr(byte) in _KEPT else chr(byte)
        escape = f"%{byte:02X}"
        for spelling in {escape, escape.lower(), escape[:2].lower() + escape[2], escape[:2] + escape[2].lower()}:
            yield spelling, kept


_SPELT = dict(_spellings())


class _Wildcard(NamedTuple):
    length: int
    allow: bool
    first: str  # the path begins with it
    pieces: tuple[str, ...]  # follow in this order
    last: str | None  # the path ends with it; None: it may go on


class Rules:
    """The longest rule that matches decides, Allow in a draw; without one the path is allowed.

    Rules without wildcards are looked up. Of rules with wildcards 2,000 pieces or 16 KiB are matched; beyond these a
    Disallow is cut before its first wildcard, so it forbids more, and an Allow is ignored. ``size``: bytes of memory
    that they take, about.
    """

    __slots__ = ("_exact", "_lengths", "_prefixes", "_wildcards", "size")

    def __init__(self, allow: Sequence[str] = (), disallow: Sequence[str] = ()) -> None:
        self._prefixes: dict[str, bool] = {}
        self._exact: dict[str, bool] = {}
        self._wildcards: list[_Wildcard] = []
        allowing = _spelled(allow)
        allowing |= {f"{rule.removesuffix('index.html')}$": None for rule in allowing if rule.endswith(_INDEX)}
        with_wildcards = [*self._add(_spelled(disallow), allow=False), *self._add(allowing, allow=True)]
        matched = _first_few(with_wildcards)
        self._wildcards = sorted((_wildcard(*rule) for rule in with_wildcards[:matched]), reverse=True)
        for rule in {rule.partition("*")[0] or "/" for rule, allows in with_wildcards[matched:] if not allows}:
            self._prefixes.setdefault(rule, False)
        self._lengths = sorted(set(map(len, self._prefixes)))
        self.size = sum(map(len, self._prefixes)) + sum(map(len, self._exact)) + RULE_BYTES * (
            len(self._prefixes) + len(self._exact) + sum(3 + len(rule.pieces) for rule in self._wildcards)
        )  # fmt: skip

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
        """Takes up the rules without wildcards, and gives back the others; an Allow that comes later wins the draw."""
        special = [rule for rule in rules if "*" in rule or "$" in rule]
        # elsewhere it is a character of the path
        special = [rule[:-1].replace("$", "%24") + rule[-1] for rule in special]
        plain = [rule for rule in rules if "*" not in rule and "$" not in rule] if special else rules
        self._prefixes.update(dict.fromkeys(plain, allow))
        self._prefixes.update((rule, allow) for rule in special if "*" not in rule and rule[-1] != "$")
        self._exact.update((rule[:-1], allow) for rule in special if "*" not in rule and rule[-1] == "$")
        return [(rule, allow) for rule in special if "*" in rule]


def path_of(url: str) -> str:
    """Path and query of a URL as rules are matched with it: each byte in one spelling, those beyond ASCII as Latin-1
    characters.

    >>> path_of("http://a.cn/%7ea/%3d%2f?b=%3D#c")
    '/~a/=%2F?b=='
    """
    url = url.partition("#")[0]
    found = _AUTHORITY.match(url)
    path = (url[found.end() :] if found else url).translate(_LITERAL)
    path = _spelt(path.encode("utf-8", "replace").decode("latin-1"))
    return path if path.startswith("/") else f"/{path}"


def _spelt(text: str) -> str:
    if "%" not in text:
        return text
    parts = _ESCAPE.split(text)  # every second part is an escape; faster than a call for each
    parts[1::2] = [_SPELT[escape] for escape in parts[1::2]]
    return "".join(parts)


def _spelled(rules: Sequence[str]) -> dict[str, None]:
    """The rules in the spelling of :func:`path_of`, each once, those that are empty left out; all together, for
    speed."""
    text = "\n".join(rules) + "\n"
    if " \n" in text:
        text = "\n".join(rule.rstrip(" ") for rule in text.split("\n"))
    found = dict.fromkeys(_spelt(text).split("\n"))
    found.pop("", None)
    return found


def _first_few(rules: list[tuple[str, bool]]) -> int:
    """How many of the rules are matched with their wildcards."""
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
    """Each piece is taken where it first stands: if the rest fits behind a later place, it fits behind the first."""
    if not path.startswith(rule.first):
        return False
    at = len(rule.first)
    for piece in rule.pieces:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return rule.last is None or (len(path) - len(rule.last) >= at and path.endswith(rule.last))
