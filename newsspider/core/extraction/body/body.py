"""Body extraction (main content, without boilerplate): finds the article's text among a page's lines, where sentences
are dense and links are few; where it begins and ends, past boxes of links in it and the table that follows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.dates.date_reader import CLOCK_PATTERN, DAY_PATTERN
from newsspider.core.extraction.body.side_content import (
    BELOW_TEXT,
    around_table,
    is_data,
    is_imprint_box,
    side_content_of,
)
from newsspider.core.extraction.body.user_posts import is_thread, opening_of, posts_of
from newsspider.core.extraction.dom import Line, Node, Outline, ancestors, next_texts, titles_of
from newsspider.core.extraction.lines.boilerplate_lines import (
    ADVERTISEMENT,
    FILES,
    closes_text,
    ends_text,
    heads_comments,
    is_boilerplate_line,
    is_final,
    is_label,
    is_legal,
    is_notice,
)
from newsspider.core.extraction.lines.person_names import names_people, names_staff
from newsspider.core.extraction.lines.text_and_mastheads import (
    ADDRESSED,
    LEAD_WEIGHT,
    gives_date,
    is_event_time,
    is_link,
    is_paragraph,
    is_text,
    weight_of,
)
from newsspider.core.text.text_comparison import stands_in, title_key

CONTAINER_DECAY = 0.62  # what a container gets of its inner containers' score: the nearest one around the text wins
NAMED_FACTOR = 1.2  # how much a name like "content" helps a container
ELSEWHERE_FACTOR = 0.8  # what a container is worth that does not hold the first paragraph below the title
SIDE_WEIGHT = 0.06  # what a line is worth inside a container named for comments, related links ...
ENDING_SHARE = 0.4  # share of the text after which a line like "related news" ends it
CLIMB_BY, CLIMB_FROM_P = 0.6, 0.2  # share of further running text that makes the parent the article; of a <p>

LEAST_STANDFIRST = 40  # characters from which a paragraph between title and text introduces the text
STANDFIRST_ABOVE = 12  # lines above the text in which it stands
WHOLE = "js_content"  # what WeChat calls the container of an article, and of nothing else
TITLE_LETTERS = 6  # of a line below which an introduction may stand
# characters of an introduction, after a label like "摘要：": if the text has them too, the introduction quotes the text
REPEATED = slice(6, 26)
LINES_PAST_MASTHEAD = 5  # short lines after which no masthead is expected: programmes and tables begin with such
LINES_TO_DATE = 3  # lines between headline and date
STAMP = re.compile(rf"{DAY_PATTERN}(?:\s+{CLOCK_PATTERN})?")

COLONS = (":", "：")
LABEL_LETTERS = 11  # characters of a last line that labels nothing: "附表：", "热门关键词:"
STATEMENT = re.compile(r"[\W_]*(?:声明|聲明)\s?[:：]?")

SET_OFF = re.compile(r"[:：︰﹕/／|｜丨]")  # between who made a text ready for print and what they did

LEAST_VERSES, LONG_VERSE, POEM_LINES = 6, 24, 120  # lines of a poem, letters of one, lines that are searched
LABEL = re.compile(r"[:：\d|©]|^[□■文图]")  # what verses have not
COLUMN = re.compile(r"【[^】]{2,12}】")
CELLS = frozenset(("td", "th", "li", "dd", "dt"))  # in which a word like "advertisement" may be an item

GOES_ON = 2  # paragraphs behind links among paragraphs, from which on the text goes on there; one behind a box
# share of the text that must be left without the lines at its edges: a table, or verse, is more than an edge
LEAST_LEFT = 0.75
# One link in brackets: a remark between two paragraphs.
ASIDE = re.compile(r"[（(【\[][^（()）【】\[\]]*[:：][^（()）【】\[\]]{4,}[)）】\]]")
CARRIES = re.compile(r"[:：]\s*[^\s:：]{6}")  # a line that carries the headline itself, whether it is a link or not


@dataclass(frozen=True, slots=True)
class Body:
    """The article's lines, as indices into the outline's, and the container they were found in."""

    lines: tuple[int, ...] = ()
    node: int = 0
    first: int = 0  # the first line of running text: above it the page says when, whence and who
    further: tuple[int, ...] = ()  # the containers of further posts: the replies of a thread


def body_of(outline: Outline, *, thread: bool = False) -> Body:
    """The body of the article on the page, on a ``thread`` the first post; empty where the page has no running text."""
    plain = [weight_of(line) for line in outline.lines]
    if not any(plain):
        return Body()
    titles = titles_of(outline)
    is_side = side_content_of(outline, plain, titles)
    weights = [
        weight * SIDE_WEIGHT if is_side[line.node] else weight
        for weight, line in zip(plain, outline.lines, strict=True)
    ]
    node = _container(outline, weights, titles)
    node, *further = posts_of(outline, node if is_side[node] else around_table(outline, node), weights, is_side)
    opening = opening_of(outline, node, titles) if thread else None
    if opening and opening.holds(outline.nodes[node]):
        further = further or opening.replies
    elif opening and (first := opening.container(outline, weights)):
        node, further = first, opening.replies
    chosen = _article_lines(outline, node, weights, is_side)
    if is_imprint_box(outline, chosen):
        return _verse(outline, titles, is_side)
    first = next((i for i in chosen if weights[i] >= LEAD_WEIGHT), chosen[0] if chosen else 0)
    return Body((*_standfirst(outline, chosen, is_side, titles), *chosen), node, first, tuple(further))


def _verse(outline: Outline, titles: Sequence[int], is_side: Sequence[bool]) -> Body:
    """The poem below the title: short lines in a row, in one container; empty where there is none."""
    lines, start = outline.lines, titles[-1] + 1 if titles else len(outline.lines)
    rows: list[list[int]] = [[]]
    for at in range(start, min(len(lines), start + POEM_LINES)):
        if is_side[lines[at].node] or not _may_be_verse(lines[at]):
            rows.append([])
        elif rows[-1] and _holder(outline, rows[-1][-1]) != _holder(outline, at):
            rows.append([at])
        else:
            rows[-1].append(at)
    best = max(rows, key=len)
    return Body(tuple(best), lines[best[0]].node, best[0]) if len(best) >= LEAST_VERSES else Body()


def _may_be_verse(line: Line) -> bool:
    text = line.text
    return len(text) <= LONG_VERSE and not (line.linked or line.tag or LABEL.search(text)) and is_text(line, above=True)


def _holder(outline: Outline, at: int) -> int:
    """The container of a line, that of the paragraph where a line is one."""
    node = outline.lines[at].node
    return outline.nodes[node].parent if outline.nodes[node].last - outline.nodes[node].first == 1 else node


def comments_of(outline: Outline, body: Body) -> tuple[str, ...]:
    """The texts of the posts behind the body, a paragraph a line; empty on a page that is no thread."""
    if not is_thread(outline.lines):
        return ()
    results = []
    for post in body.further:
        lines = outline.lines[outline.nodes[post].first : outline.nodes[post].last]
        if text := "\n".join(line.text for line in lines if is_text(line)):
            results.append(text)
    return tuple(results)


def _container(outline: Outline, weights: Sequence[float], titles: Sequence[int]) -> int:
    """The container whose own text is worth most; one with a single line gives all its worth to what it stands in."""
    nodes = outline.nodes
    count = len(nodes)
    whole = next((at for at, node in enumerate(nodes) if WHOLE in node.name and WHOLE in node.name.split()), None)
    if whole is not None and sum(weights[nodes[whole].first : nodes[whole].last]) >= LEAD_WEIGHT:
        return whole
    score = [0.0] * count
    lines, chars, linked = [0] * count, [1] * count, [0] * count
    for line, weight in zip(outline.lines, weights, strict=True):
        at = line.node
        score[at] += weight
        lines[at] += 1
        chars[at] += len(line.text)
        linked[at] += line.linked
    total = score.copy()
    start = titles[0] if titles else len(outline.lines)
    begins = next((i for i in range(start, len(weights)) if is_paragraph(outline.lines[i], weights[i])), None)
    best, best_score = 0, -1.0
    for at in range(count - 1, 0, -1):
        if not lines[at]:
            continue
        node = nodes[at]
        single = lines[at] == 1
        if not single or (node.is_text and node.tag != "p"):
            value = score[at] * (1 - linked[at] / chars[at]) * (NAMED_FACTOR if node.is_text else 1.0)
            if begins is not None and not node.first <= begins < node.last:
                value *= ELSEWHERE_FACTOR
            if value > best_score:
                best, best_score = at, value
        up = node.parent
        score[up] += score[at] * (1.0 if single else CONTAINER_DECAY)
        total[up] += total[at]
        lines[up] += lines[at]
        chars[up] += chars[at]
        linked[up] += linked[at]
    up = best
    while (up := nodes[up].parent) > 0 and nodes[up].tag != "body":
        share = CLIMB_FROM_P if nodes[best].tag == "p" else CLIMB_BY
        if total[up] - total[best] > share * total[best] or _begins_above(outline, weights, nodes[up], nodes[best]):
            best = up
        elif nodes[best].tag != "p" or nodes[up].last - nodes[up].first > nodes[best].last - nodes[best].first:
            break  # the box of a single <p> says nothing of what stands beside it
    return best


def _begins_above(outline: Outline, weights: Sequence[float], outer: Node, inner: Node) -> bool:
    """Whether the outer container ends with the inner one, and has only text above it, with a paragraph or the line of
    its addressee ("各学院：")."""
    added = range(outer.first, inner.first)
    lines = outline.lines[outer.first : inner.first]
    if outer.last > inner.last or not all(not line.linked and not line.tag and is_text(line, True) for line in lines):
        return False
    return any(
        is_paragraph(line, weights[at]) or line.text.endswith(ADDRESSED) for line, at in zip(lines, added, strict=True)
    )


def _article_lines(outline: Outline, node: int, weights: Sequence[float], is_side: Sequence[bool]) -> list[int]:
    """The lines of the article among those of its container."""
    top = outline.nodes[node]
    whole = sum(weights[top.first : top.last])
    chosen: list[int] = []
    weight, main_block = 0.0, None
    title = outline.title or ""
    at, end = top.first, end_of(outline, node)
    while at < end:
        line, following = outline.lines[at], outline.lines[at + 1 : at + 2]
        in_comments = (
            weight >= BELOW_TEXT
            and heads_comments(line.text)
            and not continues_in_block(outline, at, end, chosen, weights)
        )
        if in_comments or (weight > ENDING_SHARE * whole and ends_text(line.text)):
            main_block = main_block_of(outline, chosen, weights) if main_block is None else main_block
            at = resumed_at(outline, at, end, main_block, weights, is_side)
            continue
        if chosen and _heads_date(outline, chosen, at, weight):
            chosen.clear()
            weight = 0.0
        if chosen and STATEMENT.fullmatch(line.text) and any(is_notice(other.text) for other in following):
            break  # the heading of a notice of rights
        above = weight < LEAD_WEIGHT and len(chosen) < LINES_PAST_MASTHEAD and not _is_event(outline, at)
        beside = is_side[line.node] and not is_side[node]
        beside = beside or (any(map(is_link, following)) and ends_text(line.text))  # only heads links: "相关新闻："
        is_item = line.tag or outline.nodes[line.node].tag in CELLS  # there, an advertisement is what the text is about
        if not beside and is_text(line, above=above) and (is_item or not ADVERTISEMENT.match(line.text)):
            chosen.append(at)
            if (line.marks > 1 or line.text.endswith("。")) and not _is_titled(line.text, title):
                weight += weights[at] or len(line.text) - line.linked
        at += 1
    chosen = _uncredited(outline, trimmed(outline, chosen, weights))
    if len(chosen) > 1 and _names_channel(outline, outline.lines[chosen[0]].text):
        del chosen[0]
    while chosen and _is_below(outline, chosen):
        chosen.pop()
    last = next((at for at in reversed(chosen) if is_paragraph(outline.lines[at], weights[at])), -1)
    # labels like "来源：某某报" are text between paragraphs, but not behind the last one
    return [at for at in chosen if at <= last or not is_label(outline.lines[at].text)]


def _is_event(outline: Outline, at: int) -> bool:
    """Whether a line says when something takes place, rather than when the text was published."""
    preceding = (line.text for line in outline.lines[max(0, at - LINES_TO_DATE) : at])
    return is_event_time(outline.lines[at].text, next_texts(outline.lines, at), preceding)


def _names_channel(outline: Outline, text: str) -> bool:
    """Whether a line in brackets names the channel of the page, as a link on it does."""
    if COLUMN.fullmatch(text) is None:
        return False
    name = text[1:-1].strip()
    return any(2 * line.linked > len(line.text) and line.text.startswith(name) for line in outline.lines if line.linked)


def _heads_date(outline: Outline, chosen: Sequence[int], at: int, weight: float) -> bool:
    """Whether a line gives the date, and those chosen above it are no text: a headline like a sentence, or names."""
    lines, above = outline.lines, outline.lines[at - 1]
    if len(chosen) > LINES_TO_DATE or outline.nodes[lines[at].node].tag in CELLS:
        return False
    if not weight and STAMP.fullmatch(lines[at].text):
        no_text = not any(lines[i].marks for i in chosen)
    else:
        like_a_sentence = weight > 0 or (above.marks > 0 and not _is_titled(above.text, outline.title or ""))
        no_text = like_a_sentence and list(chosen) == [at - 1] and not above.text.endswith("。")
    return no_text and gives_date(lines[at].text, next_texts(lines, at))


def _uncredited(outline: Outline, chosen: list[int]) -> list[int]:
    """The lines without the credits at the end: who prepared the text for print and, right above, who wrote it. Names
    that only blanks set off are no credits."""
    lines, end = outline.lines, len(chosen)
    while end and names_people(lines[chosen[end - 1]].text):
        end -= 1
    credit_lines = [lines[i].text for i in chosen[end:]]
    return chosen[:end] if any(map(names_staff, credit_lines)) and any(map(SET_OFF.search, credit_lines)) else chosen


def _is_below(outline: Outline, chosen: Sequence[int]) -> bool:
    """Whether the last line of a text does not belong to it: a label in front of files or of nothing, a closing line,
    or a number alone, like a count of readers. In a cell, a number belongs to the text; several labels are a form."""
    *above, line = (outline.lines[at] for at in chosen[-2:])
    counts = line.text.isdecimal() and outline.nodes[line.node].tag not in CELLS
    labels = len(line.text) <= LABEL_LETTERS and line.text.endswith(COLONS)
    in_form = any(other.text.endswith(COLONS) for other in above)
    return (
        counts
        or FILES.fullmatch(line.text) is not None
        or (bool(above) and ((labels and not in_form) or closes_text(line.text)))
    )


def _is_titled(text: str, title: str) -> bool:
    """Whether a line stands in ``<title>``."""
    return len(text) <= len(title) and stands_in(text, title_key(title), 0)


def _standfirst(outline: Outline, chosen: list[int], is_side: list[bool], titles: Sequence[int]) -> list[int]:
    """The paragraphs between title and text that introduce the text and are not repeated by it."""
    first = chosen[0] if chosen else 0
    whole = len(title_key(outline.title or ""))  # a heading below the title may be one of the text
    titled = [at for at in titles if at < first and 2 * len(title_key(outline.lines[at].text)) >= whole]
    above = titled or [at for _, _, at in outline.headings if at < first]
    start = max(above) if above else _titled(outline, first)
    lines = outline.lines
    results = [i for i in range(max(start, first - STANDFIRST_ABOVE), first) if _introduces(lines[i], is_side)]
    text = "\n".join(lines[i].text for i in chosen) if results else ""
    return [i for i in results if lines[i].text[REPEATED] not in text]


def _titled(outline: Outline, first: int) -> int:
    """The last line close above the text that stands in ``<title>``; ``first`` where none does."""
    above = range(first - 1, max(-1, first - STANDFIRST_ABOVE - 1), -1)
    lines, title = outline.lines, outline.title or ""
    return next((i for i in above if len(lines[i].text) >= TITLE_LETTERS and _is_titled(lines[i].text, title)), first)


def _introduces(line: Line, is_side: list[bool]) -> bool:
    text = line.text
    return (
        len(text) >= LEAST_STANDFIRST
        and line.marks > 1
        and text[-1] in "。！？…”"
        and not (line.linked or line.tag or is_side[line.node] or is_boilerplate_line(text) or is_legal(text))
    )


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
    paragraph. The line of the addressee, right above the first paragraph, stays."""
    paragraphs = [i for i in chosen if is_paragraph(outline.lines[i], weights[i])]
    if not paragraphs:
        return chosen
    within = _common(outline, [outline.lines[i].node for i in paragraphs])
    first, last = outline.nodes[within].first, outline.nodes[within].last
    blocks = {_block_of(outline, i) for i in paragraphs}
    begins = paragraphs[0]
    if begins > 0 and outline.lines[begins - 1].text.endswith(ADDRESSED):
        begins -= 1
    inner = [i for i in chosen if begins <= i <= paragraphs[-1] or first <= i < last or _block_of(outline, i) in blocks]
    left, whole = (sum(len(outline.lines[i].text) for i in lines) for lines in (inner, chosen))
    return inner if left >= LEAST_LEFT * whole else chosen


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
