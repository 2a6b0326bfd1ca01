"""Finds the article's text among a page's lines: where sentences are dense and links are few."""

from __future__ import annotations

import re
from dataclasses import dataclass

from newsspider.core.outline import Line, Outline

SENTENCE = 12  # characters outside links from which a line with punctuation counts as running text
CHATTER_LINE = 100  # characters over which a line is no business of the page
LEGAL_LINE = 200  # characters over which a line is no notice of rights
RUNNING = re.compile(r"[，。]|[,.]\s|”$")  # what sentences have and most headlines have not
DECAY = 0.62  # what a container gets of its inner containers' score: the nearest one around the text wins
NAMED = 1.2  # how much a name like "content" helps a container
BESIDE = 0.06  # what a line is worth inside a container named for comments, related links ...
LINK_LINE = 0.5  # share of linked characters from which a line is a link, not text
LEAD = 16.0  # weight of running text from which the lines that say when and who are over
ENDING = 0.4  # share of the text after which a line like "related news" ends it
CLIMB = 0.6  # share of further running text from which the parent is the article

# Lines that end the article: all that follows is not its text.
ENDS = re.compile(
    r"^[\W_]*(?:相关(?:日志|博文|视频|话题|阅读|新闻|报道|链接|文章|推荐|专题|资讯|内容)|(?:延伸|推荐|扩展|精彩|更多|热门)(?:阅读|推荐|新闻|内容|文章)|更多精彩|"
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
    r"(?:本文)?来源\s*[:：][^，。]{0,16}|[AＡ][+\-－＋]|T\|T|【[^】]{0,6}】|本文来源\s*[:：].{0,20}(?:责任)?编辑.{0,24})[\s:：]*$",
    re.IGNORECASE,
)
LEGAL = re.compile(  # without IGNORECASE, each branch with a plain first character: so the search finds these fast
    r"版[权權]所有|ICP[备備证]|公网安备|All [Rr]ights [Rr]eserved|all [Rr]ights [Rr]eserved|ALL RIGHTS|COPYRIGHT|"
    r"Copy[Rr]ight\s*(?:©|&copy|\d{4}|\([cC]\))|copy[Rr]ight\s*(?:©|&copy|\d{4}|\([cC]\))"
)
# Lines above the text that say when, whence and who.
TOP = re.compile(
    r"\d{4}\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}|\d{1,2}:\d{2}|来源\s*[:：]|來源\s*[:：]|作者\s*[:：]|编辑\s*[:：]|字号|字体|评论|分享|浏览|阅读|点击|"
    r"^(?:今天|昨天|前天|刚刚|\S{1,5}前)$|打印|发布[时人]|发表于|当前位置|您的位置|所在位置|首页|收藏|关注|訂閱|订阅|责编"
)


COMMENTS = re.compile(r"comment|pinglun|repl(?:y|ies)|discuss", re.IGNORECASE)
MAJORITY = 0.5  # share of the page's text from which a container is not beside it, whatever its name


@dataclass(frozen=True, slots=True)
class Body:
    """The article's lines, as indices into the outline's, and the container they were found in."""

    lines: tuple[int, ...] = ()
    node: int = 0
    first: int = 0  # the first line of running text: above it the page says when, whence and who


def body_of(outline: Outline) -> Body:
    """The body of the article on the page; empty where the page has no running text."""
    plain = [_weight(line) for line in outline.lines]
    if not any(plain):
        return Body()
    beside = _beside(outline, plain)
    weights = [
        weight * BESIDE if beside[line.node] else weight for weight, line in zip(plain, outline.lines, strict=True)
    ]
    node = _container(outline, weights)
    chosen = _kept(outline, node, weights, beside)
    first = next((i for i in chosen if weights[i] >= LEAD), chosen[0] if chosen else 0)
    return Body(tuple(chosen), node, first)


def _weight(line: Line) -> float:
    plain = len(line.text) - line.linked
    if line.linked > LINK_LINE * len(line.text) or line.tag or _is_legal(line.text):
        return 0.0
    if not line.marks or plain < SENTENCE:
        return plain * 0.15
    return float(plain) if RUNNING.search(line.text) else plain * 0.5


def _is_legal(text: str) -> bool:
    return len(text) < LEGAL_LINE and LEGAL.search(text) is not None


def _beside(outline: Outline, weights: list[float]) -> list[bool]:
    """Which containers stand, or stand in one that stands, beside the article."""
    nodes = outline.nodes
    never = [False]
    for node in nodes[1:]:
        never.append(never[node.parent] or node.hidden or (node.beside and COMMENTS.search(node.name) is not None))
    total = [0.0] * len(nodes)
    for line, weight in zip(outline.lines, weights, strict=True):
        if not never[line.node]:
            total[line.node] += weight
    for at in range(len(nodes) - 1, 0, -1):
        if total[at]:
            total[nodes[at].parent] += total[at]
    limit = MAJORITY * total[0]
    beside = never
    for at, node in enumerate(nodes[1:], 1):
        beside[at] = beside[at] or beside[node.parent] or (node.beside and total[at] < limit)
    return beside


def _container(outline: Outline, weights: list[float]) -> int:
    """The container whose own text is worth most; one with a single line gives all its worth to what it stands in."""
    nodes = outline.nodes
    count = len(nodes)
    score, total = [0.0] * count, [0.0] * count
    lines, chars, linked = [0] * count, [1] * count, [0] * count
    for line, weight in zip(outline.lines, weights, strict=True):
        at = line.node
        score[at] += weight
        total[at] += weight
        lines[at] += 1
        chars[at] += len(line.text)
        linked[at] += line.linked
    best, best_score = 0, -1.0
    for at in range(count - 1, 0, -1):
        node = nodes[at]
        single = lines[at] <= 1
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
    for i in range(top.first, top.last):
        line = outline.lines[i]
        if seen > ENDING * whole and len(line.text) < 40 and ENDS.match(line.text):
            break
        if (beside[line.node] and not beside[node]) or not _is_text(line, seen < LEAD):
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
    if (len(text) <= CHATTER_LINE and CHATTER.match(text)) or _is_legal(text):
        return False
    if not above:
        return True
    return line.tag != "h1" and (len(text) >= 80 or text.endswith(("。", "！", "？", "”")) or not TOP.search(text))
