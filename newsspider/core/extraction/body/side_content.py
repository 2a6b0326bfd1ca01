"""Finds the containers of side content: by their class or id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.body.tables import is_record
from newsspider.core.extraction.dom import SIDE_NAME, Node, Outline

COMMENTS = re.compile(r"comment|pinglun|repl(?:y|ies)|discuss", re.IGNORECASE)
# the person, who signs in a line, or the program, whose container holds the text
EDITOR = re.compile(r"(?:editor|zebian)(?![a-z])")
MAJORITY = 0.5  # share of the page's text from which a container is no side content, whatever its name
# weight of running text from which a container is a text, not side content
BELOW_TEXT = 60.0


def side_content_of(outline: Outline, weights: Sequence[float]) -> list[bool]:
    """For each container, whether it is side content or stands in side content; ``weights`` are those of the lines."""
    nodes = outline.nodes
    is_side = [False] * len(nodes)
    for at in _records(outline, weights):
        is_side[at] = True
    for at in range(1, len(nodes)):
        node = nodes[at]
        if is_side[node.parent] or node.hidden or (node.is_side and _is_for_comments(node.name)):
            is_side[at] = True
    total = [0.0] * len(nodes)
    for line, weight in zip(outline.lines, weights, strict=True):
        if not is_side[line.node]:
            total[line.node] += weight
    for at in range(len(nodes) - 1, 0, -1):
        if total[at]:
            total[nodes[at].parent] += total[at]
    limit = MAJORITY * total[0]
    for at, node in enumerate(nodes):
        if (at and is_side[node.parent]) or (node.is_side and _is_side(node, total[at], limit)):
            is_side[at] = True
    return is_side


def _records(outline: Outline, weights: Sequence[float]) -> Iterator[int]:
    """The tables in which an office records what the document below is: labels, and no running text."""
    for at, node in enumerate(outline.nodes):
        if node.tag == "table" and sum(weights[node.first : node.last]) < BELOW_TEXT and is_record(outline, node):
            yield at


def _is_side(node: Node, total: float, limit: float) -> bool:
    """Whether a container with a name of side content, holding ``total`` running text, is side content."""
    return total < limit and (total < BELOW_TEXT or not _is_for_editor(node.name))


@bounded_cache(4096)  # cache: classes and ids
def _is_for_editor(name: str) -> bool:
    """Whether the word for an editor is all that makes a name one of side content."""
    words = name.lower()
    return EDITOR.search(words) is not None and SIDE_NAME.search(EDITOR.sub(" ", words)) is None


@bounded_cache(4096)  # cache: classes and ids
def _is_for_comments(name: str) -> bool:
    return COMMENTS.search(name) is not None
