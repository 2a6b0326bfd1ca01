"""Finds the posts of a thread, or of a page of posts: containers with the same tag and name, each with a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.dom import Line, Node, Outline
from newsspider.core.extraction.lines.boilerplate_lines import END_LINE

POSTS = 3  # such containers that make a thread or a page of posts
POST = 30.0  # weight of running text that makes one of them a post
OPENING = 8.0  # ... and the first of them: many a thread opens with one question

FLOORS = 2  # lines that say who posted when, or on which floor, that make a page a thread
POSTED = re.compile(r"发表于|發表於|回复于|回覆於|楼主|樓主|沙发|板凳|\d\s?[楼樓#]")
_DIGITS = re.compile(r"\d+")


def posts_of(outline: Outline, best: int, weights: list[float], side: list[bool]) -> list[int]:
    """The containers made like the best one: of a thread or a page of posts, the first is what the page is about."""
    top = outline.nodes[best]
    within = _made_alike(outline, best + 1, top.last)
    if len(within) >= POSTS and is_thread(outline.lines[top.first : top.last], len(within) - 1):
        return within  # posts of a line each, which count for what they stand in
    like = _made_alike(outline, 1, len(outline.lines), like=best) if top.is_text else ()
    alike = [at for at in like if side[at] == side[best]]
    if len(alike) > 1 and is_thread(outline.lines, len(alike)):
        return alike  # the first post opens the thread, however short
    values = [sum(weights[outline.nodes[at].first : outline.nodes[at].last]) for at in alike]
    posts = [at for at, value in zip(alike, values, strict=True) if value >= (OPENING if at == alike[0] else POST)]
    first = posts[0] if len(posts) >= POSTS and best in posts else best
    return [first, *(at for at in alike if at > first)]


def _made_alike(outline: Outline, start: int, last: int, like: int | None = None) -> list[int]:
    """The containers named for text from ``start`` to line ``last`` made like one, or of the commonest make."""
    groups: dict[tuple[str, str], list[int]] = {}
    wanted = None if like is None else _make(outline.nodes[like])
    for at in range(start, len(outline.nodes)):
        node = outline.nodes[at]
        if node.first >= last and at > start:
            break
        if node.is_text and node.first < node.last and (wanted is None or node.tag == wanted[0]):
            make = _make(node)
            group = groups.setdefault(make, [])
            if wanted in (None, make) and (not group or node.first >= outline.nodes[group[-1]].last):
                group.append(at)
    return max(groups.values(), key=len, default=[])


def _make(node: Node) -> tuple[str, str]:
    return node.tag, _without_digits(node.name)


@bounded_cache(4096)  # cache: classes and ids
def _without_digits(name: str) -> str:
    return _DIGITS.sub("", name)


def is_thread(lines: Sequence[Line], floors: int = FLOORS) -> bool:
    """Whether so many of the lines, and two at least, say who posted when, or on which floor."""
    label = sum(len(line.text) < END_LINE and POSTED.search(line.text) is not None for line in lines)
    return label >= max(floors, FLOORS)
