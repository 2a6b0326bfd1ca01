"""Finds the article's text among a page's lines: where sentences are dense and links are few."""

from __future__ import annotations

import re
from dataclasses import dataclass

from newsspider.core.outline import Line, Node, Outline

SENTENCE = 12  # characters outside links from which a line with punctuation counts as running text
DECAY = 0.62  # what a container gets of its inner containers' score: the nearest one around the text wins
NAMED = 1.35  # how much a name like "content" helps a container
BESIDE = 0.06  # what a line is worth inside a container named for comments, related links ...
LINK_LINE = 0.5  # share of linked characters from which a line is a link, not text
CLIMB = 0.18  # share of further running text from which the parent is the article

# Lines that end the article: all that follows is not its text.
ENDS = re.compile(
    r"^[\W_]*(?:相关(?:阅读|新闻|报道|链接|文章|推荐|专题|资讯|内容)|(?:延伸|推荐|扩展|精彩|更多|热门)(?:阅读|推荐|新闻|内容|文章)|更多精彩|"
    r"猜你喜欢|大家都在看|热门(?:评论|推荐|文章|资讯)|最新评论|网友评论|全部评论|发表评论|我要评论|相關(?:閱讀|新聞|報導|文章|連結)|延伸閱讀|"
    r"推薦閱讀|更多新聞|网友跟贴|参与评论|文章评论|我来说两句|你可能(?:也)?(?:感兴趣|喜欢)|为您推荐|今日(?:推荐|热点)|特别声明|热点推荐|"
    r"版权(?:声明|所有)|免责声明|©|copyright\b)[^。]{0,30}$",
    re.IGNORECASE,
)
# Lines of the page's own business wherever they stand.
CHATTER = re.compile(
    r"^[\W_]*(?:分享(?:到|至|给|按钮|本文)?|打印(?:本页|此文)?|关闭(?:窗口|本页)?|字[号体][^，。]{0,20}|收藏(?:本文)?|我要(?:纠错|投稿|评论|分享)|扫一扫.{0,30}|扫码.{0,20}|"
    r"(?:阅读|点击|浏览)(?:次数|量|数|率)?\s*[:：]?\s*\d*(?:次)?|评论\s*[(（]?\d*[)）]?|点赞\s*\d*|举报|返回(?:顶部|首页|列表|搜狐.*|腾讯.*)?|"
    r"上一[篇页条]\s*[:：]?.{0,60}|下一[篇页条]\s*[:：]?.{0,60}|微信扫.{0,30}|(?:标签|关键[词字]|Tags?)\s*[:：].{0,80}|复制链接|微信|微博|新浪微博|QQ空间|"
    r"(?:责任)?编辑\s*[:：].{0,24}|[【\[(（]?\s*(?:责任编辑|责编|编辑|責任編輯)\s*[:：].{0,24}[】\])）]?|(?:全文|展开|收起)(?:全文)?|大\s*中\s*小|"
    r"[\[【(（](?:纠错|打印|关闭|大|中|小|字体|推荐|复制|收藏)[\]】)）].{0,20}|浏览(?:次数|量)?\s*[:：].{0,12}|"
    r"(?:本文)?来源\s*[:：][^，。]{0,16}|[AＡ][+\-－＋]|T\|T|【[^】]{0,6}】)$",
    re.IGNORECASE,
)
# Lines above the text that say when, whence and who.
TOP = re.compile(
    r"\d{4}\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}|\d{1,2}:\d{2}|来源\s*[:：]|來源\s*[:：]|作者\s*[:：]|编辑\s*[:：]|字号|字体|评论|分享|浏览|阅读|点击|"
    r"打印|发布[时人]|发表于|当前位置|您的位置|所在位置|首页|收藏|关注|訂閱|订阅|责编"
)


@dataclass(frozen=True, slots=True)
class Body:
    """The article's lines, as indices into the outline's, and the container they were found in."""

    lines: tuple[int, ...] = ()
    node: int = 0
    first: int = 0  # where the container's text begins: what the page says of the article stands above


def body_of(outline: Outline, title: str | None = None) -> Body:
    """The body of the article on the page; empty where the page has no running text."""
    weights = [_weight(line, outline.nodes[line.node]) for line in outline.lines]
    if not any(weights):
        return Body()
    node = _container(outline, weights)
    chosen = _kept(outline, node, weights, title)
    return Body(tuple(chosen), node, chosen[0] if chosen else outline.nodes[node].first)


def _weight(line: Line, node: Node) -> float:
    length = len(line.text)
    plain = length - line.linked
    if line.linked > LINK_LINE * length or line.tag:
        return 0.0
    value = float(plain) if line.marks and plain >= SENTENCE else plain * 0.15
    return value * BESIDE if node.beside else value


def _container(outline: Outline, weights: list[float]) -> int:
    """The container whose own text is worth most; a paragraph gives all its worth to what it stands in."""
    nodes, lines = outline.nodes, outline.lines
    count = len(nodes)
    score = [0.0] * count
    own = [0] * count
    total = [0.0] * count
    chars = [1] * count
    linked = [0] * count
    inner = [False] * count
    for line, weight in zip(lines, weights, strict=True):
        at = line.node
        score[at] += weight
        total[at] += weight
        own[at] += 1
        chars[at] += len(line.text)
        linked[at] += line.linked
    best, best_score = 0, -1.0
    for at in range(count - 1, -1, -1):
        node = nodes[at]
        leaf = not inner[at] and own[at] <= 1
        value = score[at] * (1 - linked[at] / chars[at])
        if node.named_text:
            value *= NAMED
        if not leaf and value > best_score and node.tag not in ("html",):
            best, best_score = at, value
        up = node.parent
        if up >= 0:
            inner[up] = inner[up] or own[at] > 0 or inner[at]
            score[up] += score[at] * (1.0 if leaf else DECAY)
            total[up] += total[at]
            chars[up] += chars[at]
            linked[up] += linked[at]
    while (up := nodes[best].parent) > 0 and nodes[up].tag != "body" and total[up] - total[best] > CLIMB * total[best]:
        best = up
    return best


def _kept(outline: Outline, node: int, weights: list[float], title: str | None) -> list[int]:
    top = outline.nodes[node]
    lines = range(top.first, top.last)
    whole = sum(weights[i] for i in lines)
    kept: list[int] = []
    seen = 0.0
    for i in lines:
        line = outline.lines[i]
        if seen > whole * 0.4 and len(line.text) < 40 and ENDS.match(line.text):
            break
        if _is_text(line, outline.nodes[line.node], top, seen == 0, title):
            kept.append(i)
            seen += weights[i]
    return kept


def _is_text(line: Line, node: Node, top: Node, before_text: bool, title: str | None) -> bool:
    text = line.text
    if node.beside and not top.beside:
        return False
    if line.linked > LINK_LINE * len(text) and (line.marks < 2 or line.linked > 0.8 * len(text)):
        return False
    if CHATTER.match(text):
        return False
    if before_text:
        if title and (text == title or line.tag == "h1"):
            return False
        if len(text) < 80 and not text.endswith(("。", "！", "？", "”")) and TOP.search(text):
            return False
    return True
