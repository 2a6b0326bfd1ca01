"""Tells tables by what they hold: figures that belong to a text, figures to pass over, an office's record of a
document. Each cell is a line (``dom/outline.py``); ``body.py`` keeps or drops them."""

from __future__ import annotations

import re

from newsspider.core.extraction.dom import Node, Outline, ancestors
from newsspider.core.extraction.lines.boilerplate_lines import END_LINE

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
    """The container of the table, if the node is a table with a head of short cells, or a part of one; else the node."""
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
