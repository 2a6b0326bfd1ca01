"""Finds what is no part of the text: the containers of side content, by their class or id or by the line that heads
them, and the imprint of a page, which is its footer or a box of contacts above the headline.

Tables are told by what they hold: figures that belong to the text, figures to pass over, an office's record of a
document. Each cell is a line (``dom/outline.py``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

from newsspider.core.caching import bounded_cache
from newsspider.core.extraction.body.user_posts import is_thread
from newsspider.core.extraction.dom import SIDE_NAME, Node, Outline, ancestors
from newsspider.core.extraction.lines.boilerplate_lines import (
    END_LINE,
    heads_box,
    heads_comments,
    heads_rights,
    is_contact,
    is_imprint,
    is_legal,
    leads_to_neighbour,
)
from newsspider.core.extraction.lines.site_in_title import without_site
from newsspider.core.text.text_comparison import SHORTEST_TITLE, stands_in, title_key

COMMENTS = re.compile(r"comment|pinglun|repl(?:y|ies)|discuss", re.IGNORECASE)
# the person, who signs in a line, or the program, whose container holds the text
EDITOR = re.compile(r"(?:editor|zebian)(?![a-z])")
MAJORITY_SHARE = 0.5  # share of the page's text from which a container is no side content, whatever its name
ANSWER = re.compile(  # the buttons below each comment
    r"(?:(?:回复|回覆|点赞|點讚|赞|讚|顶|踩|举报|檢舉|支持|反对|反對|引用|盖楼|有用|没用)(?:TA|他|她|此楼|这条)?[\W_]*+(?:\d++[\W_]*+)?)++",
    re.IGNORECASE,
)
LEAST_ANSWERS = 3  # containers with such a line that make comments of all of them
TITLE_LINES, TITLE_LETTERS = 400, 6  # lines of a page without a heading that may be its title, and letters of one
# weight of running text above a headed container from which it is side content, however much text it holds
BELOW_TEXT = 60.0
FOOT_LINES, NEAR_FOOT = 6, 3  # lines of the foot of a page, and between them and its notice of rights
MASTHEAD_LINES = 8  # lines between headline and text
BUTTON_LETTERS = 6  # linked characters of a row of buttons
DATA_ROWS = 4  # rows of DATA_CELLS or more that make the table right behind the text a part of it
DATA_CELLS = 3
PARTS = frozenset(("table", "tbody", "tr"))
HEAD = re.compile(r"\D{1,12}")  # a cell that says what its column holds
MOST_LINKED = 0.05  # share of links from which a table is a menu
LEAST_FIGURES = 6  # cells of a table of figures, at least
LABEL = re.compile(r"[:：/／©]")
RECORD = re.compile(  # what offices write into the table above a document
    r"[\W_]*(?:索[引取]号|信息索引号?|发[布文](?:机[构关]|时间|日期)|公开(?:机关|方式|范围|类别|时限)|发?文字?号|文件编号|(?:主题|信息|体裁|组配)分类|主题词|[成行]文日期|"
    r"生成日期|信息名称|有效性|备注)"
    r"[\W_]*"
)
# lines with such a label, and their share, that make a record of a table: one that lists documents has few
RECORD_LINES, RECORD_SHARE = 3, 0.25


def side_content_of(outline: Outline, weights: Sequence[float], titles: Sequence[int]) -> list[bool]:
    """For each container, whether it is side content or stands in side content.

    ``weights`` are those of the lines, ``titles`` the lines of the headings that stand in ``<title>``.
    """
    nodes = outline.nodes
    above = list(accumulate(weights, initial=0.0))  # the weight of all lines before each
    headed = _headed(outline, above, titles)
    is_side = [False] * len(nodes)
    for at, below_text in headed.items():
        is_side[at] = below_text
    tables = (at for at, node in enumerate(nodes) if node.tag == "table")
    short = (at for at in tables if above[nodes[at].last] - above[nodes[at].first] < BELOW_TEXT)
    for at in (*(at for at in short if is_record(outline, nodes[at])), *_answered(outline, above)):
        is_side[at] = True
    in_title = title_key(outline.title or "")
    lines = outline.lines[:TITLE_LINES] if in_title else ()
    titled = [i for i, line in enumerate(lines) if not line.linked and stands_in(line.text, in_title, TITLE_LETTERS)]
    title = _main_title(outline, titles, titled, above)  # that of a thread stands in the box of all its posts
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
    limit = MAJORITY_SHARE * total[0]
    titles = titles or titled
    for at in headed:
        if total[at] < limit:
            is_side[at] = True
    for at, node in enumerate(nodes):
        if (at and is_side[node.parent]) or (node.is_side and _is_side(node, total[at], limit, title)):
            is_side[at] = True
    return is_side


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


def _answered(outline: Outline, above: Sequence[float]) -> list[int]:
    """The containers below a text that are comments, recognised by their reply buttons where nothing names or heads
    them.

    Threads have none: what is answered there is the text.
    """
    lines, nodes = outline.lines, outline.nodes
    buttons = {line.node for line in lines if len(line.text) < END_LINE and ANSWER.fullmatch(line.text)}
    if not buttons or is_thread(lines):
        return []
    answered = defaultdict[int, list[int]](list)  # container -> its children that have such buttons
    results: list[int] = []
    for at in range(len(nodes) - 1, 0, -1):
        inside = answered.get(at, ())
        if len(inside) >= LEAST_ANSWERS:
            results += [node for node in inside if above[nodes[node].first] >= BELOW_TEXT]
        elif inside or at in buttons:
            answered[nodes[at].parent].append(at)
    return results


def _main_title(outline: Outline, titles: Sequence[int], titled: Sequence[int], above: Sequence[float]) -> int:
    """The first line that has most of ``<title>``, if it is a heading with no text above it; else -1. Other headings
    are those of sections, or repeat the title."""
    if not titles:
        return -1
    whole = len(title_key(without_site(outline.title or "")))
    whole_titles = (at for at in sorted({*titles, *titled}) if 2 * len(title_key(outline.lines[at].text)) >= whole)
    first = next(whole_titles, -1)
    return first if first in titles and above[first] < BELOW_TEXT else -1


def _is_side(node: Node, total: float, limit: float, title: int) -> bool:
    """Whether a container with a name of side content, holding ``total`` running text, is side content. One that holds
    a text below the ``title`` of the page is not."""
    if total >= limit:
        return False
    return total < BELOW_TEXT or not (_is_for_editor(node.name) or node.first <= title < node.last)


@bounded_cache(4096)  # cache: classes and ids
def _is_for_editor(name: str) -> bool:
    """Whether the word for an editor is all that makes a name one of side content."""
    words = name.lower()
    return EDITOR.search(words) is not None and SIDE_NAME.search(EDITOR.sub(" ", words)) is None


@bounded_cache(4096)  # cache: classes and ids
def _is_for_comments(name: str) -> bool:
    return COMMENTS.search(name) is not None


def is_imprint_box(outline: Outline, chosen: Sequence[int]) -> bool:
    """Whether the best text of a page is its footer: it has no headline, stands near a notice of rights, and each of
    its lines names the owner of the page or a contact; or a box of these above the first heading."""
    if not 0 < len(chosen) <= FOOT_LINES:
        return False
    lines, first, last = outline.lines, chosen[0], chosen[-1]
    texts = [lines[at].text for at in chosen]
    headline = next((at for tag, _, at in outline.headings if tag == "h1"), 0)
    if len(texts) > 1 and headline > last and all(map(is_contact, texts[1:])):
        return True
    if _is_headed(outline, first):
        return False
    near = lines[max(0, first - NEAR_FOOT) : last + 1 + NEAR_FOOT]
    return all(is_imprint(text) and "。" not in text for text in texts) and any(is_legal(line.text) for line in near)


def _is_headed(outline: Outline, first: int) -> bool:
    """Whether a headline stands close above a text, with nothing but a masthead and buttons between them."""
    title = title_key(outline.title or "")
    for at in range(first - 1, max(-1, first - 1 - MASTHEAD_LINES), -1):
        line = outline.lines[at]
        if line.tag or stands_in(line.text, title, SHORTEST_TITLE):
            return 2 * line.linked <= len(line.text)
        if line.linked > BUTTON_LETTERS or leads_to_neighbour(line.text) or is_legal(line.text):
            return False
    return False


def is_data(outline: Outline, table: int) -> bool:
    """Whether a table is one of figures and names: many rows of several short cells, and almost no links."""
    first, last = outline.nodes[table].first, outline.nodes[table].last
    lines = outline.lines[first:last]
    if sum(line.linked for line in lines) > MOST_LINKED * sum(len(line.text) for line in lines):
        return False
    rows = 0
    for at in range(table + 1, len(outline.nodes)):
        node = outline.nodes[at]
        if node.first >= last:
            break
        rows += node.tag == "tr" and node.last - node.first >= DATA_CELLS
    return rows >= DATA_ROWS


def around_table(outline: Outline, node: int) -> int:
    """The container of the table, if the node is a table with a head of short cells, or a part of one; else the
    node."""
    nodes = outline.nodes
    if nodes[node].tag not in PARTS:
        return node
    table = next((at for at in (node, *ancestors(outline, node)) if nodes[at].tag == "table"), node)
    head = next((row for row in nodes[table + 1 :] if row.tag == "tr"), nodes[node])
    cells = outline.lines[head.first : head.last]
    is_headed = len(cells) >= DATA_CELLS and all(HEAD.fullmatch(cell.text) and not cell.linked for cell in cells)
    return nodes[table].parent if is_headed else node


def holds_figures(outline: Outline, table: Node) -> bool:
    """Whether a table holds many short cells, and neither links nor labels like "来源："."""
    lines = outline.lines[table.first : table.last]
    return len(lines) >= LEAST_FIGURES and not any(line.linked or LABEL.search(line.text) for line in lines)


def is_record(outline: Outline, table: Node) -> bool:
    """Whether a table is one in which an office records what the document below is, behind labels."""
    count = table.last - table.first
    if count < RECORD_LINES:
        return False
    texts = (line.text for line in outline.lines[table.first : table.last])
    labels = sum(len(text) <= END_LINE and RECORD.fullmatch(text) is not None for text in texts)
    return labels >= max(RECORD_LINES, RECORD_SHARE * count)
