"""Finds the containers of side content: by their class or id, or by the line that heads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.dom import SIDE_NAME, Node, Outline
from newsspider.core.extraction.lines.boilerplate_lines import END_LINE, heads_box, heads_comments, heads_rights

COMMENTS = re.compile(r"comment|pinglun|repl(?:y|ies)|discuss", re.IGNORECASE)
# the person, who signs in a line, or the program, whose container holds the text
EDITOR = re.compile(r"(?:editor|zebian)(?![a-z])")
MAJORITY = 0.5  # share of the page's text from which a container is no side content, whatever its name
# weight of running text above a headed container from which it is side content, however much text it holds
BELOW_TEXT = 60.0


def side_content_of(outline: Outline, weights: Sequence[float], titles: Sequence[int]) -> list[bool]:
    """For each container, whether it is side content or stands in side content.

    ``weights`` are those of the lines, ``titles`` the lines of the headings that stand in ``<title>``.
    """
    nodes = outline.nodes
    above = list(accumulate(weights, initial=0.0))  # the weight of all lines before each
    headed = _headed(outline, above, titles)
    is_side = [headed.get(at, False) for at in range(len(nodes))]
    title = next((at for at in titles if above[at] < BELOW_TEXT), -1)  # that of a thread heads the box of all its posts
    for at in range(1, len(nodes)):
        node = nodes[at]
        of_readers = node.is_side and _is_for_comments(node.name) and not node.first <= title < node.last
        if is_side[node.parent] or node.hidden or of_readers:
            is_side[at] = True
    total = [0.0] * len(nodes)
    for line, weight in zip(outline.lines, weights, strict=True):
        if not is_side[line.node]:
            total[line.node] += weight
    for at in range(len(nodes) - 1, 0, -1):
        if total[at]:
            total[nodes[at].parent] += total[at]
    limit = MAJORITY * total[0]
    for at in headed:
        if total[at] < limit:
            is_side[at] = True
    for at, node in enumerate(nodes):
        if (at and is_side[node.parent]) or (node.is_side and _is_side(node, total[at], limit, title)):
            is_side[at] = True
    return is_side


def _is_side(node: Node, total: float, limit: float, title: int) -> bool:
    """Whether a container with a name of side content, holding ``total`` running text, is side content. One that holds
    a text below the ``title`` of the page is not."""
    if total >= limit:
        return False
    return total < BELOW_TEXT or not (_is_for_editor(node.name) or node.first <= title < node.last)


def _headed(outline: Outline, above: Sequence[float], titles: Sequence[int]) -> dict[int, bool]:
    """The containers that begin with a line like "related news" or "comments", and whether they stand below a text.

    This finds side content on sites whose class names say nothing. It is the smallest container that begins with
    such a line and holds more than it. If a line like "comments" stands below the text in the text's own container,
    it is the containers that follow the line there.
    """
    nodes = outline.nodes
    results: dict[int, bool] = {}
    behind: dict[int, int] = {}  # container: the first line that heads comments in it
    for i, line in enumerate(outline.lines):
        text, at = line.text, line.node
        if len(text) >= END_LINE or 2 * line.linked > len(text) or nodes[at].first != i or not heads_box(text):
            continue
        comments = heads_comments(text)
        below_text = above[i] >= BELOW_TEXT
        while at and nodes[at].last - nodes[at].first == 1:
            at = nodes[at].parent
        if at and nodes[at].first == i:
            if (below_text or not heads_rights(text)) and not any(i <= title < nodes[at].last for title in titles):
                results[at] = below_text
        elif comments and below_text:
            behind.setdefault(at, i)
    for at, node in enumerate(nodes) if behind else ():
        if at and node.parent in behind and node.first > behind[node.parent] and node.tag != "p":
            results[at] = True
    return results


@bounded_cache(4096)  # cache: classes and ids
def _is_for_editor(name: str) -> bool:
    """Whether the word for an editor is all that makes a name one of side content."""
    words = name.lower()
    return EDITOR.search(words) is not None and SIDE_NAME.search(EDITOR.sub(" ", words)) is None


@bounded_cache(4096)  # cache: classes and ids
def _is_for_comments(name: str) -> bool:
    return COMMENTS.search(name) is not None
