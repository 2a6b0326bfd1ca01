"""Finds where an article's text begins and ends: past boxes of links in it and the table that follows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from newsspider.core.extraction.body.tables import is_data
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


def end_of(outline: Outline, node: int) -> int:
    """Where the lines of the text end: behind its container, or behind the table of figures that follows it at once."""
    end = outline.nodes[node].last
    above = set(ancestors(outline, node))
    for at in range(node + 1, len(outline.nodes)):
        following = outline.nodes[at]
        if following.first > end:
            break
        if following.first == end and following.tag == "table" and following.parent in above:
            return following.last if is_data(outline, at) else end
    return end


def resumed_at(
    outline: Outline, ending: int, end: int, main_block: int | None, weights: Sequence[float], is_side: Sequence[bool]
) -> int:
    """The line at which the text goes on after the line ``ending``, which says "related news" or the like; ``end`` if
    it does not go on.

    It goes on if paragraphs follow in ``main_block``, the container of most of the text so far. The links may stand
    in a box of their own or in a row among the paragraphs. Summaries of links and notices of rights do not count.
    """
    lines = outline.lines
    if is_final(lines[ending].text) or main_block is None:
        return end
    boxed = (
        is_side[lines[ending].node]
        or _block_of(outline, ending) != main_block
        or ASIDE.fullmatch(lines[ending].text) is not None
    )
    links, result, needed = int(CARRIES.search(lines[ending].text) is not None), list[int](), 1 if boxed else GOES_ON
    for i in range(ending + 1, end):
        line = lines[i]
        if is_side[line.node]:
            continue
        in_block = _block_of(outline, i) == main_block and not ends_text(line.text)
        if result and (not in_block or (is_link(line) and not boxed)):
            break
        links += is_link(line)
        if in_block and is_paragraph(line, weights[i]) and is_text(line) and not is_notice(line.text):
            if not (boxed or links):
                break
            result.append(i)
            if len(result) == needed:
                return result[0]
    return end


def continues_in_block(outline: Outline, at: int, end: int, chosen: Sequence[int], weights: Sequence[float]) -> bool:
    """Whether the next paragraph stands in the same container as the last one: then the line "comments" between them
    heads a part of the text."""
    previous = next((i for i in reversed(chosen) if is_paragraph(outline.lines[i], weights[i])), None)
    after = next((i for i in range(at + 1, min(end, at + 4)) if is_paragraph(outline.lines[i], weights[i])), None)
    return previous is not None and after is not None and _block_of(outline, previous) == _block_of(outline, after)


def trimmed(outline: Outline, chosen: list[int], weights: Sequence[float]) -> list[int]:
    """The lines without those before the first and after the last paragraph that share no container with any
    paragraph."""
    paragraphs = [i for i in chosen if is_paragraph(outline.lines[i], weights[i])]
    if not paragraphs:
        return chosen
    within = _common(outline, [outline.lines[i].node for i in paragraphs])
    first, last = outline.nodes[within].first, outline.nodes[within].last
    blocks = {_block_of(outline, i) for i in paragraphs}
    inner = [
        i
        for i in chosen
        if paragraphs[0] <= i <= paragraphs[-1] or first <= i < last or _block_of(outline, i) in blocks
    ]
    return inner if _characters(outline, inner) >= LEFT * _characters(outline, chosen) else chosen


def _common(outline: Outline, nodes: Sequence[int]) -> int:
    """The smallest container, no <p>, that holds all of these."""
    low, high = outline.nodes[nodes[0]].first, max(outline.nodes[at].last for at in nodes)
    at = nodes[0]
    while at and (outline.nodes[at].tag == "p" or outline.nodes[at].first > low or outline.nodes[at].last < high):
        at = outline.nodes[at].parent
    return at


def main_block_of(outline: Outline, chosen: Sequence[int], weights: Sequence[float]) -> int | None:
    """The container in which most of a text stands."""
    blocks: Counter[int] = Counter()
    for i in chosen:
        blocks[_block_of(outline, i)] += int(weights[i])
    return max(blocks, key=blocks.__getitem__, default=None)


def _block_of(outline: Outline, line: int) -> int:
    """The container that a line stands in together with others."""
    nodes, at = outline.nodes, outline.lines[line].node
    while at and (nodes[at].last - nodes[at].first == 1 or nodes[at].tag == "p"):
        at = nodes[at].parent
    return at


def _characters(outline: Outline, lines: Sequence[int]) -> int:
    return sum(len(outline.lines[i].text) for i in lines)
