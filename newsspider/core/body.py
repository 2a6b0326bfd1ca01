"""Finds the article's text among a page's lines: where sentences are dense and links are few."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from newsspider.core.chatter import ends_text, is_chatter, is_legal, is_masthead
from newsspider.core.outline import Line, Outline
from newsspider.core.posts import is_thread, posts_of

SENTENCE = 12  # characters outside links from which a line with punctuation counts as running text
RUNNING = re.compile(r"[，。]|[,.]\s|”$")  # what sentences have and most headlines have not
DECAY = 0.62  # what a container gets of its inner containers' score: the nearest one around the text wins
NAMED = 1.2  # how much a name like "content" helps a container
BESIDE = 0.06  # what a line is worth inside a container named for comments, related links ...
LINK_LINE = 0.5  # share of linked characters from which a line is a link, not text
LEAD = 16.0  # weight of running text from which the lines that say when and who are over
ENDING = 0.4  # share of the text after which a line like "related news" ends it
CLIMB = 0.6  # share of further running text from which the parent is the article

STANDFIRST = 40  # characters from which a paragraph between title and text introduces the text
STANDFIRST_ABOVE = 12  # lines above the text in which it stands
REPEATED = slice(6, 26)  # of an introduction, behind a label like "摘要：": what stands in the text again shows that it is one from there
WARM = 5  # short lines kept, from which on there is no masthead to come: programmes and tables begin like that
TABLE_ROWS = 4  # rows of TABLE_CELLS or more that make the table right behind the text a part of it
TABLE_CELLS = 3
TABLE_LINKED = 0.05  # share of links from which a table is a menu

COMMENTS = re.compile(r"comment|pinglun|repl(?:y|ies)|discuss", re.IGNORECASE)
MAJORITY = 0.5  # share of the page's text from which a container is not beside it, whatever its name


@dataclass(frozen=True, slots=True)
class Body:
    """The article's lines, as indices into the outline's, and the container they were found in."""

    lines: tuple[int, ...] = ()
    node: int = 0
    first: int = 0  # the first line of running text: above it the page says when, whence and who
    further: tuple[int, ...] = ()  # the containers of further posts of the same make: the replies of a thread


def body_of(outline: Outline) -> Body:
    """The body of the article on the page; empty where the page has no running text."""
    plain = [_weight(line) for line in outline.lines]
    if not any(plain):
        return Body()
    beside = _beside(outline, plain)
    weights = [
        weight * BESIDE if beside[line.node] else weight for weight, line in zip(plain, outline.lines, strict=True)
    ]
    node, *further = posts_of(outline, _container(outline, weights), weights, beside)
    chosen = _kept(outline, node, weights, beside)
    first = next((i for i in chosen if weights[i] >= LEAD), chosen[0] if chosen else 0)
    return Body((*_standfirst(outline, chosen, beside), *chosen), node, first, tuple(further))


def comments_of(outline: Outline, body: Body) -> tuple[str, ...]:
    """The texts of the posts that follow the one that is the body, a paragraph a line; empty on a page that is no thread."""
    if not body.further or not is_thread(outline.lines):
        return ()
    found = []
    for post in body.further:
        lines = outline.lines[outline.nodes[post].first : outline.nodes[post].last]
        if text := "\n".join(line.text for line in lines if _is_text(line, above=False)):
            found.append(text)
    return tuple(found)


def _weight(line: Line) -> float:
    plain = len(line.text) - line.linked
    if line.linked > LINK_LINE * len(line.text) or line.tag or is_legal(line.text):
        return 0.0
    if not line.marks or plain < SENTENCE:
        return plain * 0.15
    return float(plain) if RUNNING.search(line.text) else plain * 0.5


def _beside(outline: Outline, weights: list[float]) -> list[bool]:
    """Which containers stand, or stand in one that stands, beside the article."""
    nodes = outline.nodes
    never = [False]
    for node in nodes[1:]:
        never.append(never[node.parent] or node.hidden or (node.beside and _is_for_comments(node.name)))
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
        if (at and beside[node.parent]) or (node.beside and total[at] < limit):
            beside[at] = True
    return beside


@lru_cache(maxsize=4096)
def _is_for_comments(name: str) -> bool:
    return COMMENTS.search(name) is not None


def _container(outline: Outline, weights: list[float]) -> int:
    """The container whose own text is worth most; one with a single line gives all its worth to what it stands in."""
    nodes = outline.nodes
    count = len(nodes)
    score = [0.0] * count
    lines, chars, linked = [0] * count, [1] * count, [0] * count
    for line, weight in zip(outline.lines, weights, strict=True):
        at = line.node
        score[at] += weight
        lines[at] += 1
        chars[at] += len(line.text)
        linked[at] += line.linked
    total = score.copy()
    best, best_score = 0, -1.0
    for at in range(count - 1, 0, -1):
        if not lines[at]:
            continue
        node = nodes[at]
        single = lines[at] == 1
        if not single or (node.named_text and node.tag != "p"):
            value = score[at] * (1 - linked[at] / chars[at]) * (NAMED if node.named_text else 1.0)
            if value > best_score:
                best, best_score = at, value
        up = node.parent
        score[up] += score[at] * (1.0 if single else DECAY)
        total[up] += total[at]
        lines[up] += lines[at]
        chars[up] += chars[at]
        linked[up] += linked[at]
    while (up := nodes[best].parent) > 0 and nodes[up].tag != "body" and total[up] - total[best] > CLIMB * total[best]:
        best = up
    return best


def _kept(outline: Outline, node: int, weights: list[float], beside: list[bool]) -> list[int]:
    top = outline.nodes[node]
    whole = sum(weights[top.first : top.last])
    kept: list[int] = []
    seen = 0.0
    for i in range(top.first, _end(outline, node)):
        line = outline.lines[i]
        if seen > ENDING * whole and ends_text(line.text):
            break
        if (beside[line.node] and not beside[node]) or not _is_text(line, seen < LEAD and len(kept) < WARM):
            continue
        kept.append(i)
        if line.marks > 1 or line.text.endswith("。"):
            seen += weights[i]
    return kept


def _is_text(line: Line, above: bool) -> bool:
    """Whether a line of the article's container is of the article; ``above``: no running text came before it."""
    text = line.text
    if line.linked > LINK_LINE * len(text) and (line.marks < 2 or line.linked > 0.8 * len(text)):
        return False
    if is_chatter(text) or is_legal(text):
        return False
    if not above:
        return True
    return line.tag != "h1" and (len(text) >= 80 or text.endswith(("。", "！", "？", "”")) or not is_masthead(text))


def _standfirst(outline: Outline, chosen: list[int], beside: list[bool]) -> list[int]:
    """The paragraphs between title and text that introduce it, where the page sets them apart and the text does not repeat them."""
    first = chosen[0] if chosen else 0
    start = max((at for _, _, at in outline.headings if at < first), default=first)
    lines = outline.lines
    found = [i for i in range(max(start, first - STANDFIRST_ABOVE), first) if _introduces(lines[i], beside)]
    text = "\n".join(lines[i].text for i in chosen) if found else ""
    return [i for i in found if lines[i].text[REPEATED] not in text]


def _introduces(line: Line, beside: list[bool]) -> bool:
    text = line.text
    return (
        len(text) >= STANDFIRST
        and line.marks > 1
        and text[-1] in "。！？…”"
        and not (line.linked or line.tag or beside[line.node] or is_chatter(text) or is_legal(text))
    )


def _end(outline: Outline, node: int) -> int:
    """Where the lines of the text end: behind its container, or behind the table of figures that follows it at once."""
    end = outline.nodes[node].last
    above = set(_ancestors(outline, node))
    for at in range(node + 1, len(outline.nodes)):
        following = outline.nodes[at]
        if following.first > end:
            break
        if following.first == end and following.tag == "table" and following.parent in above:
            return following.last if _is_data(outline, at) else end
    return end


def _ancestors(outline: Outline, node: int) -> Iterator[int]:
    while (node := outline.nodes[node].parent) > 0:
        yield node


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
