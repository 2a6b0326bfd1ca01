"""Tells which containers of a page stand beside its article: named so by class or id, or by the line that heads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from newsspider.core.chatter import END_LINE, ends_text, heads_comments
from newsspider.core.outline import Outline
from newsspider.core.prose import is_link

COMMENTS = re.compile(r"comment|pinglun|repl(?:y|ies)|discuss", re.IGNORECASE)
MAJORITY = 0.5  # share of the page's text from which a container is not beside it, whatever its name
BELOW_TEXT = 60.0  # weight of running text above a headed container, from which on it stands beside it, however much it holds


def beside_of(outline: Outline, weights: Sequence[float]) -> list[bool]:
    """Which containers stand, or stand in one that stands, beside the article; ``weights`` are those of the lines."""
    nodes = outline.nodes
    headed = _headed(outline, weights)
    never = [False]
    for at in range(1, len(nodes)):
        node = nodes[at]
        never.append(
            never[node.parent] or node.hidden or (node.beside and _is_for_comments(node.name)) or headed.get(at, False)
        )
    total = [0.0] * len(nodes)
    for line, weight in zip(outline.lines, weights, strict=True):
        if not never[line.node]:
            total[line.node] += weight
    for at in range(len(nodes) - 1, 0, -1):
        if total[at]:
            total[nodes[at].parent] += total[at]
    limit = MAJORITY * total[0]
    beside = never
    for at, node in enumerate(nodes):
        if (at and beside[node.parent]) or ((node.beside or at in headed) and total[at] < limit):
            beside[at] = True
    return beside


def _headed(outline: Outline, weights: Sequence[float]) -> dict[int, bool]:
    """The containers that begin with a line like "related news" or "comments", and whether they stand below a text.

    That is how a reader knows them, also where a site names nothing: the smallest container that holds the line in front, and more;
    where a line like "comments" stands below the text in its own container, those that follow it there.
    """
    nodes = outline.nodes
    found: dict[int, bool] = {}
    for i, line in enumerate(outline.lines):
        at = line.node
        if nodes[at].first != i or len(line.text) >= END_LINE or is_link(line):
            continue
        comments = heads_comments(line.text)
        if not (comments or ends_text(line.text)):
            continue
        below_text = sum(weights[:i]) >= BELOW_TEXT
        while at and nodes[at].last - nodes[at].first == 1:
            at = nodes[at].parent
        if at and nodes[at].first == i:
            found[at] = below_text
        elif comments and below_text:
            found |= {other: True for other, node in enumerate(nodes) if node.parent == at and node.first > i}
    return found


@lru_cache(maxsize=4096)
def _is_for_comments(name: str) -> bool:
    return COMMENTS.search(name) is not None
