"""Finds where an article's text begins and ends: past boxes of links in it and the table that follows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from newsspider.core.extraction.dom import Outline, ancestors
from newsspider.core.extraction.lines.boilerplate_lines import ends_text, is_final, is_notice
from newsspider.core.extraction.lines.text_density import is_link, is_paragraph, is_text

# paragraphs behind links that stand among paragraphs, from which on the text goes on there; one behind a box
GOES_ON = 2
# share of the text that must be left without the lines at its edges: a table, or verse, is more than an edge
LEFT = 0.75

# One link in brackets: a remark between two paragraphs.
ASIDE = re.compile(r"[（(【\[][^（()）【】\[\]]*[:：][^（()）【】\[\]]{4,}[)）】\]]")
CARRIES = re.compile(r"[:：]\s*[^\s:：]{6}")  # a line that carries the headline itself, whether it is a link or not


TABLE_ROWS = 4  # rows of TABLE_CELLS or more that make the table right behind the text a part of it
TABLE_CELLS = 3
TABLE_LINKED = 0.05  # share of links from which a table is a menu


def end_of(outline: Outline, node: int) -> int:
    """Where the lines of the text end: behind its container, or behind the table of figures that follows it at once."""
    end = outline.nodes[node].last
    above = set(ancestors(outline, node))
    for at in range(node + 1, len(outline.nodes)):
        following = outline.nodes[at]
        if following.first > end:
            break
        if following.first == end and following.tag == "table" and following.parent in above:
            return following.last if _is_data(outline, at) else end
    return end


def goes_on(
    outline: Outline, ending: int, end: int, home: int | None, weights: Sequence[float], side: Sequence[bool]
) -> int:
    """The line from which a text goes on behind the line ``ending`` that says "related news" or the like; ``end`` if it
    does not.

    It goes on where paragraphs follow that stand in ``home``, the container of most of the text so far: behind a box of
    its own that holds the links, or behind a row of links among the paragraphs. Summaries of
    links and notices of rights do not count.
    """
    lines = outline.lines
    if is_final(lines[ending].text) or home is None:
        return end
    boxed = (
        side[lines[ending].node] or _home(outline, ending) != home or ASIDE.fullmatch(lines[ending].text) is not None
    )
    links, result, wanted = int(CARRIES.search(lines[ending].text) is not None), list[int](), 1 if boxed else GOES_ON
    for i in range(ending + 1, end):
        line = lines[i]
        if side[line.node]:
            continue
        at_home = _home(outline, i) == home and not ends_text(line.text)
        if result and (not at_home or (is_link(line) and not boxed)):
            break
        links += is_link(line)
        if at_home and is_paragraph(line, weights[i]) and is_text(line) and not is_notice(line.text):
            if not (boxed or links):
                break
            result.append(i)
            if len(result) == wanted:
                return result[0]
    return end


def stays_home(outline: Outline, at: int, end: int, kept: Sequence[int], weights: Sequence[float]) -> bool:
    """Whether the next paragraph stands where the last one does: then "comments" heads a part of the text."""
    before = next((i for i in reversed(kept) if is_paragraph(outline.lines[i], weights[i])), None)
    after = next((i for i in range(at + 1, min(end, at + 4)) if is_paragraph(outline.lines[i], weights[i])), None)
    return before is not None and after is not None and _home(outline, before) == _home(outline, after)


def trimmed(outline: Outline, kept: list[int], weights: Sequence[float]) -> list[int]:
    """The lines without those above the first paragraph and behind the last in other containers than all paragraphs."""
    paragraphs = [i for i in kept if is_paragraph(outline.lines[i], weights[i])]
    if not paragraphs:
        return kept
    within = _common(outline, [outline.lines[i].node for i in paragraphs])
    first, last = outline.nodes[within].first, outline.nodes[within].last
    homes = {_home(outline, i) for i in paragraphs}
    inner = [i for i in kept if paragraphs[0] <= i <= paragraphs[-1] or first <= i < last or _home(outline, i) in homes]
    return inner if _characters(outline, inner) >= LEFT * _characters(outline, kept) else kept


def _common(outline: Outline, nodes: Sequence[int]) -> int:
    """The smallest container, no <p>, that holds all of these."""
    low, high = outline.nodes[nodes[0]].first, max(outline.nodes[at].last for at in nodes)
    at = nodes[0]
    while at and (outline.nodes[at].tag == "p" or outline.nodes[at].first > low or outline.nodes[at].last < high):
        at = outline.nodes[at].parent
    return at


def home_of_most(outline: Outline, kept: Sequence[int], weights: Sequence[float]) -> int | None:
    """The container in which most of a text stands."""
    homes: Counter[int] = Counter()
    for i in kept:
        homes[_home(outline, i)] += int(weights[i])
    return max(homes, key=homes.__getitem__, default=None)


def _home(outline: Outline, line: int) -> int:
    """The container that a line stands in together with others."""
    nodes, at = outline.nodes, outline.lines[line].node
    while at and (nodes[at].last - nodes[at].first == 1 or nodes[at].tag == "p"):
        at = nodes[at].parent
    return at


def _characters(outline: Outline, lines: Sequence[int]) -> int:
    return sum(len(outline.lines[i].text) for i in lines)


def _is_data(outline: Outline, table: int) -> bool:
    """Whether a table is one of figures and names: many rows of several short cells, and hardly a link."""
    first, last = outline.nodes[table].first, outline.nodes[table].last
    lines = outline.lines[first:last]
    if sum(line.linked for line in lines) > TABLE_LINKED * sum(len(line.text) for line in lines):
        return False
    rows = 0
    for at in range(table + 1, len(outline.nodes)):
        node = outline.nodes[at]
        if node.first >= last:
            break
        rows += node.tag == "tr" and node.last - node.first >= TABLE_CELLS
    return rows >= TABLE_ROWS
