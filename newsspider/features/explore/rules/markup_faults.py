"""Plain faults of a page's markup, as the World Wide Web Worm recorded them for the authors of the pages.

Only what is wrong in every version of HTML counts: nothing that a page may leave out is called a fault. The markup is
read once from the left, so the time grows with its length and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from operator import itemgetter

MOST_FAULTS = 20  # faults reported for one page
LOOKED_AT = 1000  # faults after which the scan of a page stops

_TAG = re.compile(r"<(?:(!--)|(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)(>?))")
_RAW = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea", "xmp")}
_COMMENT_END = re.compile("-->")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MUST_END = frozenset({"a", "title"}) | _HEADINGS


class FaultKind(StrEnum):
    """What is wrong."""

    NO_TITLE = "no_title"
    NOT_ENDED = "not_ended"  # a title, heading or anchor without its end tag
    NOT_STARTED = "not_started"  # the end tag of one that was not open
    ANCHOR_IN_ANCHOR = "anchor_in_anchor"
    TAG_OPEN = "tag_open"  # a tag without its >
    QUOTE_OPEN = "quote_open"  # a tag with an odd number of quotation marks
    COMMENT_OPEN = "comment_open"  # a comment, script or style that never ends


@dataclass(frozen=True, slots=True)
class MarkupFault:
    """A fault, the tag it is about and the line where it stands, from 1."""

    fault: FaultKind
    tag: str
    line: int


def markup_faults(markup: str) -> tuple[MarkupFault, ...]:
    """The first :data:`MOST_FAULTS` faults of a page, in page order, a missing title last.

    >>> faults = markup_faults('<title>A</title>\\n<h1>B<p><a href="x>C</a>')
    >>> [(fault.fault.value, fault.tag, fault.line) for fault in faults]
    [('not_ended', 'h1', 2), ('quote_open', 'a', 2)]
    """
    results: list[MarkupFault] = []
    line = at = 0
    for fault, tag, position in sorted(islice(_faults(markup), LOOKED_AT), key=itemgetter(2))[:MOST_FAULTS]:
        line, at = line + markup.count("\n", at, position), position
        results.append(MarkupFault(fault, tag, line + 1))
    return tuple(results)


def _faults(markup: str) -> Iterator[tuple[FaultKind, str, int]]:
    """The faults with their positions."""
    opened: dict[str, int] = {}  # what has to be ended, with the position of its tag
    titled, position = False, 0
    while tag := _TAG.search(markup, position):
        position = tag.end()
        comment, end, name = tag.group(1, 2, 3)
        name = "!--" if comment else name.lower()
        if not comment:
            titled = titled or name == "title"
            yield from ((fault, name, tag.start()) for fault in _faults_of_tag(opened, name, tag))
        if comment or (name in _RAW and not end):
            ended = (_COMMENT_END if comment else _RAW[name]).search(markup, position)
            if ended is None:
                yield FaultKind.COMMENT_OPEN, name, tag.start()
                break
            position = ended.start()
    yield from ((FaultKind.NOT_ENDED, name, start) for name, start in opened.items())
    if not titled:
        yield FaultKind.NO_TITLE, "title", len(markup)


def _faults_of_tag(opened: dict[str, int], name: str, tag: re.Match[str]) -> Iterator[FaultKind]:
    """The faults of one tag; what it opens or closes is noted."""
    end, attributes, closed = tag.group(2, 4, 5)
    if not closed:
        yield FaultKind.TAG_OPEN
    elif attributes.count('"') % 2 or (not attributes.count('"') and attributes.count("'") % 2):
        yield FaultKind.QUOTE_OPEN
    if name not in _MUST_END:
        return
    if end:
        if opened.pop(name, None) is None:
            yield FaultKind.NOT_STARTED
    elif name == "a" and "a" in opened:
        yield FaultKind.ANCHOR_IN_ANCHOR
    else:
        opened[name] = tag.start()
