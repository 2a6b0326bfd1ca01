"""URL patterns: what a URL has in common with the thousands of others that a site generates.

Numbers, ids, session ids and slugs are folded, a repeated path is written once, and only the names of query
parameters count, in any order. In a pattern, ``{}`` stands for a part that may be irrelevant, such as a session id.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from newsspider.core.caching import bounded_cache

WORD_LETTERS = 4  # letters of a generic word in the last segment: t, art, show; longer ones belong to the page
LONGEST_FOLDER = 16  # letters of a word in a folder; a longer one is an id or a title
MOST_RUNS = 3  # runs of letters and digits in one word; more make it an id: ab12cd3, 5f3e
LONGEST_NUMBERED = 7  # characters of a folder with digits: 2024, n1, news24; a longer one is an id
LONGEST_SEGMENT = 40  # characters
DEEP_SEGMENTS = 3  # segments of a path for which everything below its first folder is a pattern, too
LONGEST_SEQUENCE = 16  # folders of a sequence whose repetition is noticed
MOST_PARAMETERS = 8  # names in a pattern
PLACE = "{}"  # any value of one part of a URL

_PIECE = re.compile(r"[^-_.~,;=:+!$*@]+|[-_.~,;=:+!$*@]")
_RUN = re.compile(r"\d+|\D+")
_STARS = re.compile(r"\*(?:[-_.~,;=:+!$*@]\*)+")
_SUFFIX = re.compile(r"\.[a-z]{1,5}$", re.I)


@bounded_cache(4096)  # cache: URLs and their patterns
def patterns_of(url: str) -> tuple[str, ...]:
    """The patterns of a canonical URL, narrowest first: its own; its path with any query, if it has one; and
    everything below its first folder, if it is deep.

    >>> patterns_of("http://a.cn/news/2024/0517/t20240517_812.html?page=3&by=time")
    ('a.cn/news/#/#/t#_#.html?by&page', 'a.cn/news/#/#/t#_#.html?*', 'a.cn/news/**')
    >>> patterns_of("http://a.cn/v-5f3e9ab2/17.html"), patterns_of("http://a.cn/edu/list/edu/list/edu/list/7")
    (('a.cn/v-*/#.html',), ('a.cn/(edu/list)+/#', 'a.cn/edu/**'))
    """
    address, _, query = url.partition("?")
    host, _, rest = address.partition("://")[2].partition("/")
    *folders, last = rest.split("/")
    nonempty = [folder for folder in folders if folder]
    path = "/".join([host, *_once([_folded(folder) for folder in nonempty]), _page(last)])
    patterns = [path]
    if query:
        names = sorted({_folded(piece.partition("=")[0]) for piece in query.split("&")})
        patterns = [f"{path}?{'&'.join(names[:MOST_PARAMETERS])}", f"{path}?*"]
    if len(nonempty) + bool(last) >= DEEP_SEGMENTS:
        patterns.append(f"{host}/{_folded(nonempty[0])}/**")
    return tuple(patterns)


def places_of(url: str) -> tuple[tuple[str, str], ...]:
    """Each part of a canonical URL that may be irrelevant, as the pattern and the URL with :data:`PLACE` for that
    part. These are the segments with a number or id and the query values; two URLs that differ in one such part share
    a pair.

        >>> places_of("http://a.cn/s/5f3e9ab2/17.html?by=time")[0]
        ('a.cn/s/{}/#.html?by', 'http://a.cn/s/{}/17.html?by=time')
        >>> places_of("http://a.cn/s/5f3e9ab2/17.html?by=time")[2]
        ('a.cn/s/*/#.html?by={}', 'http://a.cn/s/5f3e9ab2/17.html?by={}')
    """
    address, mark, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    host, *segments = rest.split("/")
    pieces = query.split("&") if query else []
    shape = [*map(_folded, segments[:-1]), *map(_page, segments[-1:])]
    names = [_folded(piece.partition("=")[0]) for piece in pieces]
    pairs = []
    for n, folded in enumerate(shape):
        if "#" in folded or "*" in folded:
            path, bare = ("/".join([host, *parts[:n], PLACE, *parts[n + 1 :]]) for parts in (shape, segments))
            pairs.append((path + mark + "&".join(sorted(names)[:MOST_PARAMETERS]), f"{scheme}://{bare}{mark}{query}"))
    for n, piece in enumerate(pieces[:MOST_PARAMETERS]):
        named = [*names[:n], f"{names[n]}={PLACE}", *names[n + 1 :]]
        bare = "&".join([*pieces[:n], f"{piece.partition('=')[0]}={PLACE}", *pieces[n + 1 :]])
        pairs.append((f"{'/'.join([host, *shape])}?{'&'.join(sorted(named))}", f"{address}?{bare}"))
    return tuple(pairs)


def _page(segment: str) -> str:
    """The last segment with its suffix unchanged."""
    suffix = _SUFFIX.search(segment)
    stem, end = (segment[: suffix.start()], suffix[0].lower()) if suffix else (segment, "")
    return _fold(stem, WORD_LETTERS, len(stem)) + end


def _fold(segment: str, longest: int = LONGEST_FOLDER, longest_numbered: int = LONGEST_NUMBERED) -> str:
    """A segment with ``#`` for numbers and ``*`` for ids, titles, and words of more than ``longest`` letters."""
    if "%" in segment or len(segment) > LONGEST_SEGMENT:
        return "*"
    return _STARS.sub("*", "".join(_word(piece, longest, longest_numbered) for piece in _PIECE.findall(segment)))


_folded = bounded_cache(4096)(_fold)  # cache: folders of URLs; folders and parameter names recur


def _word(piece: str, longest: int, longest_numbered: int) -> str:
    runs: list[str] = _RUN.findall(piece)
    words = [run for run in runs if not run.isdigit()]
    if (
        len(runs) > MOST_RUNS
        or (runs != words and len(piece) > longest_numbered)
        or any(len(word) > longest for word in words)
    ):
        return "*"
    return "".join("#" if run.isdigit() else run for run in runs)


def _once(folders: Sequence[str]) -> list[str]:
    """The folders, with a repeated sequence written once as ``(a/b)+``; numbers alone are no such sequence."""
    written: list[str] = []
    start = 0
    while start < len(folders):
        size, end = _repetition(folders, start)
        sequence = "/".join(folders[start : start + size])
        written.append(sequence if end == start + size else f"({sequence})+")
        start = end
    return written


def _repetition(folders: Sequence[str], start: int) -> tuple[int, int]:
    """The length of the shortest sequence that is repeated from ``start`` on, and where its repetitions end; the next
    folder alone if none is."""
    for size in range(1, min(LONGEST_SEQUENCE, (len(folders) - start) // 2) + 1):
        sequence = folders[start : start + size]
        if all(folder == "#" for folder in sequence):
            continue
        end = start + size
        while folders[end : end + size] == sequence:
            end += size
        if end > start + size:
            return size, end
    return 1, start + 1
