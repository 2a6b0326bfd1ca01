"""The patterns of a URL: what it has in common with the others that a site makes by the thousand.

Numbers, ids and slugs are folded, session ids go into ids, a path that repeats itself is written once, and of a query
only the names count, in whatever order they stand. A part that is of no matter, as a session id, stands in a pattern as
``{}``.
"""

from __future__ import annotations

import re

from newsspider.core.caching import bounded_cache

# letters of a word of the last segment that still tells something: t, art, show; longer ones are of the page alone
WORD = 4
LONGEST_FOLDER = 16  # letters of a folder's word; a longer one is an id or a title
MIXED = 3  # runs of letters and of digits in one word; more make it an id: ab12cd3, 5f3e
LONGEST_NUMBERED = 7  # characters of a folder with digits: 2024, n1, news24; a longer one is an id
LONGEST_SEGMENT = 40  # characters
DEEP = 3  # segments of a path from which on all below its first folder is a pattern, too
MOST_PARAMETERS = 8  # names that a pattern tells
PLACE = "{}"  # a part of a URL, whatever it is

_PIECE = re.compile(r"[^-_.~,;=:+!$*@]+|[-_.~,;=:+!$*@]")
_RUN = re.compile(r"\d+|\D+")
_STARS = re.compile(r"\*(?:[-_.~,;=:+!$*@]\*)+")
_SUFFIX = re.compile(r"\.[a-z]{1,5}$", re.I)


@bounded_cache(16384)
def patterns_of(url: str) -> tuple[str, ...]:
    """The patterns of a canonical URL, the narrowest first: its own; its path with whatever query, if it has one; and
    all below the first folder, if it lies deep.

    >>> patterns_of("http://a.cn/news/2024/0517/t20240517_812.html?page=3&by=time")
    ('a.cn/news/#/#/t#_#.html?by&page', 'a.cn/news/#/#/t#_#.html?*', 'a.cn/news/**')
    >>> patterns_of("http://a.cn/v-5f3e9ab2/17.html"), patterns_of("http://a.cn/edu/list/edu/list/edu/list/7")
    (('a.cn/v-*/#.html',), ('a.cn/(edu/list)+/#', 'a.cn/edu/**'))
    """
    address, _, query = url.partition("?")
    host, _, rest = address.partition("://")[2].partition("/")
    *folders, last = rest.split("/")
    kept = [folder for folder in folders if folder]
    path = "/".join([host, *_once([_folded(folder) for folder in kept]), _page(last)])
    found = [path]
    if query:
        names = sorted({_folded(piece.partition("=")[0]) for piece in query.split("&")})
        found = [f"{path}?{'&'.join(names[:MOST_PARAMETERS])}", f"{path}?*"]
    if len(kept) + bool(last) >= DEEP:
        found.append(f"{host}/{_folded(kept[0])}/**")
    return tuple(found)


def places_of(url: str) -> tuple[tuple[str, str], ...]:
    """Each part of a canonical URL that may be of no matter: its pattern with :data:`PLACE` for that part, and the URL
    likewise. These are the segments with a number or an id, and the values of the query; two URLs that differ in one
    such part have one pair in common.

    >>> places_of("http://a.cn/s/5f3e9ab2/17.html?by=time")[::2]
    (('a.cn/s/{}/#.html?by', 'http://a.cn/s/{}/17.html?by=time'), ('a.cn/s/*/#.html?by={}', 'http://a.cn/s/5f3e9ab2/17.html?by={}'))
    """
    address, mark, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    host, *segments = rest.split("/")
    pieces = query.split("&") if query else []
    shape = [*map(_folded, segments[:-1]), *map(_page, segments[-1:])]
    names = [_folded(piece.partition("=")[0]) for piece in pieces]
    found = []
    for n, folded in enumerate(shape):
        if "#" in folded or "*" in folded:
            path, bare = ("/".join([host, *each[:n], PLACE, *each[n + 1 :]]) for each in (shape, segments))
            found.append((path + mark + "&".join(sorted(names)[:MOST_PARAMETERS]), f"{scheme}://{bare}{mark}{query}"))
    for n, piece in enumerate(pieces[:MOST_PARAMETERS]):
        named = [*names[:n], f"{names[n]}={PLACE}", *names[n + 1 :]]
        bare = "&".join([*pieces[:n], f"{piece.partition('=')[0]}={PLACE}", *pieces[n + 1 :]])
        found.append((f"{'/'.join([host, *shape])}?{'&'.join(sorted(named))}", f"{address}?{bare}"))
    return tuple(found)


def _page(segment: str) -> str:
    """The last segment, with its suffix as it is."""
    suffix = _SUFFIX.search(segment)
    stem, end = (segment[: suffix.start()], suffix[0].lower()) if suffix else (segment, "")
    return _fold(stem, WORD, len(stem)) + end


def _fold(segment: str, longest: int = LONGEST_FOLDER, longest_numbered: int = LONGEST_NUMBERED) -> str:
    """A segment with ``#`` for numbers and ``*`` for ids, titles, and words of more than ``longest`` letters."""
    if "%" in segment or len(segment) > LONGEST_SEGMENT:
        return "*"
    return _STARS.sub("*", "".join(_word(piece, longest, longest_numbered) for piece in _PIECE.findall(segment)))


_folded = bounded_cache(4096)(_fold)  # folders and names of parameters come again and again


def _word(piece: str, longest: int, longest_numbered: int) -> str:
    runs: list[str] = _RUN.findall(piece)
    words = [run for run in runs if not run.isdigit()]
    if (
        len(runs) > MIXED
        or (runs != words and len(piece) > longest_numbered)
        or any(len(word) > longest for word in words)
    ):
        return "*"
    return "".join("#" if run.isdigit() else run for run in runs)


def _once(folders: list[str]) -> list[str]:
    """The folders, a row of them that comes several times after each other in brackets with a plus; numbers alone
    are no such row."""
    if len(set(folders)) == len(folders):
        return folders
    for size in range(1, len(folders) // 2 + 1):
        for start in range(len(folders) - 2 * size + 1):
            row = folders[start : start + size]
            end = start + size
            while folders[end : end + size] == row:
                end += size
            if end > start + size and any(folder != "#" for folder in row):
                return [*folders[:start], f"({'/'.join(row)})+", *_once(folders[end:])]
    return folders
