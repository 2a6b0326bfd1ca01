"""Recognises pages that users write: blogs, forums, posts of accounts (WeChat). Whoever posted there is the author.

The posts of a thread are containers with the same tag and name, each with text or date. The page of an account's post
says in its scripts when and by whom it was posted and, if it has no markup of its own, what. The card of an account,
which is no post, says only who it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import dropwhile
from urllib.parse import urlsplit

from newsspider.core.caching import bounded_cache
from newsspider.core.dates.date_reader import Stamp, machine_stamp
from newsspider.core.extraction.dom import Line, Node, Outline, Page, outline_of
from newsspider.core.extraction.dom.charset import unescape_entities
from newsspider.core.extraction.dom.script_data import unescaped_string
from newsspider.core.extraction.lines.boilerplate_lines import END_LINE
from newsspider.core.extraction.lines.text_and_mastheads import weight_of
from newsspider.core.model import Article

LEAST_POSTS = 3  # such containers that make a thread or a page of posts
POST_WEIGHT = 30.0  # weight of running text that makes one of them a post
LEAST_IN_ROW = 2  # dated containers with the same tag and name that may be posts
MOST_OF_POST = 0.9  # of the running text of a post that its container has
OPENING_WEIGHT = 8.0  # ... and the first of them: many a thread opens with one question

LEAST_FLOORS = 2  # lines that say who posted when, or on which floor, that make a page a thread
POSTED = re.compile(  # one set first, which a search runs through fast
    r"[发發回楼樓沙板#](?:(?<=发)表于|(?<=發)表於|(?<=回)(?:复于|覆於)|(?<=[楼樓])主|(?<=沙)发|(?<=板)凳"
    r"|(?<=\d[楼樓#])|(?<=\d\s[楼樓#]))"
)
_DIGITS = re.compile(r"\d+")
# When a post was written: to the minute, or how long ago.
_WHEN = re.compile(r"\d{4}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}日?|\d{1,2}:\d{2}|(?:天|小时|分钟)前|[昨前]天")
LONGEST_HEADER = 120  # characters of a line that says when a post was written
DATED_SHARE = 0.6  # share of the containers in a row that have such a line, if they are posts

FORUM_URL = re.compile(
    r"(?:^|[./])(?:bbs|forum|club|tieba|luntan|discuss)\.|/(?:bbs|forum|thread|viewthread|showtopic|topic|forumdisplay|"
    r"luntan)[-_./?\d]|(?:^|[?&])tid=\d|/t/\d{3,}|/thread-\d",
    re.IGNORECASE,
)
_FORUM = r"楼主|樓主|沙发|回[帖复]数?|发表于|發表於|只看该作者|倒序浏览|看帖|引用回[复帖]|主题[:：]|使用道具"
FORUM_WORDS = re.compile(_FORUM)
FORUM_FLOORS = re.compile(_FORUM + r"|(?:^|\s)\d+\s?[楼樓]")  # slower: asked only of lines with such a word
FORUM_TITLE = re.compile(r"(?:论坛|論壇|贴吧)$")
FORUM_GENERATOR = re.compile(r"discuz|phpwind|phpbb|vbulletin|discourse|dvbbs|xiuno", re.IGNORECASE)
# what a forum's software publishes beside its threads
PORTAL_URL = re.compile(r"/article-\d+-\d+\.html|portal\.php\?", re.IGNORECASE)
BLOG_URL = re.compile(
    r"(?:^|[./])(?:blog|weblog|boke|zhuanlan|pixnet)s?[\d.]|/blogs?/|/boke/|/archives/\d+|\.(?:blogspot|wordpress|"
    r"cnblogs|pixnet)\.|/(?:column|zhuanlan)/",
    re.IGNORECASE,
)
BLOG_GENERATOR = re.compile(r"wordpress|blogger|typecho|z-blog|hexo|movable type|halo|ghost", re.IGNORECASE)
MARKS = ("js_content", "msg_title", "item_show_type")  # names that only such pages have
LONGEST_KEY = 24  # characters before the end of the name of a moment in which it begins
LONGEST_NAME = 30  # characters of an account's name
LONGEST_CARD = 300  # characters of the text of a card
CARD_LABELS = 2  # labels that make a card of an undated page
PLAIN_TYPES = ("5", "7", "8", "10", "11")  # of posts that consist of a video, sound, pictures or a text

_QUOTED = r"""\s*(?:\w{0,12}\(\s*)?(?:'((?:[^'\\\n]++|\\.)*+)'|"((?:[^"\\\n]++|\\.)*+)")"""
# Patterns begin with a literal, which a search in a long page runs through fast; a look behind it checks what precedes.
_CT = re.compile(r"""ct(?:(?<=[\s]ct)|(?<=window\.ct))\s*=\s*["']?(\d{10})(?!\d)""")
_CT_NAMES = ("var ct", "window.ct")  # as pages without such marks name it
_MOMENT = r"""\s*[:=]\s*(?:\w{0,12}\(\s*)?["']?(\d{10}(?!\d)|\d{4}-\d\d?-\d\d?(?: \d\d?:\d\d)?)"""
_MOMENTS = re.compile(rf"(ct){_MOMENT}"), re.compile(rf"(ime(?:[sS]tamp)?){_MOMENT}")
_NAME_OF_MOMENT = re.compile(
    r"(?:window\.|[{,;\s])(?:ct|(?:ori_?)?create_?time(?:stamp)?|publish_?time)$", re.IGNORECASE
)
_ACCOUNT = re.compile(
    r"nick_?name(?:(?<=window\.nick_name)|(?<=window\.nickname)|(?<![\w.]nick_name)(?<![\w.]nickname))"
    rf"\s*[:=]{_QUOTED}"
)
_TYPE = re.compile(r"""item_show_type(?<=[\s.]item_show_type)\s*=\s*["']?(\d{1,2})\b""")
_TYPE_IN_DATA = re.compile(r"""item_show_type(?<=[{,\s]item_show_type)\s*:\s*["'](\d{1,2})["']""")
_TEXTS = (
    re.compile(rf"text_page_info\s*:\s*\{{\s*content\s*:{_QUOTED}"),
    re.compile(rf"content_noencode(?<![\w.]content_noencode)\s*:{_QUOTED}"),
)

_ACCOUNT_WORD = re.compile(r"(?:的|官方|微信){0,3}(?:公众号|[帐账]号)(?:名片|资料|主页|简介)?$")
# What an account says of itself, and what an event or a notice has.
_INTRODUCES = re.compile("(?:公众|服务|订阅|[帐账])号|本号|本平台|官方(?:微信|微博|平台|发布)|推送|权威(?:发布|信息)")
_TELLS = re.compile(r"[今昨明]天|[今昨明本]日|\d\s?[月日点时]|[上下]午|近日|日前|本周|了|各位|停课|放假|通知")
_CARD_LABEL = re.compile(r"(微信号|功能介绍|微信认证|(?:公众号|[帐账]号)(?:主体|简介|介绍|类型))\s*(?:[:：]|$)")


@dataclass(frozen=True, slots=True)
class Opening:
    """Where the first post of a thread stands, and the containers of its replies."""

    lines: range
    replies: list[int]

    def holds(self, node: Node) -> bool:
        """Whether a container stands in the first post."""
        return self.lines.start <= node.first and node.last <= self.lines.stop

    def container(self, outline: Outline, weights: Sequence[float]) -> int | None:
        """The smallest container of the first post that has most of its running text, named for text if one is."""
        inside = [at for at in range(1, len(outline.nodes)) if self.holds(outline.nodes[at])]
        worth = {at: sum(weights[outline.nodes[at].first : outline.nodes[at].last]) for at in inside}
        most = max(worth.values(), default=0.0)
        if most < OPENING_WEIGHT:
            return None
        whole = [at for at in inside if worth[at] >= MOST_OF_POST * most]
        named = [at for at in whole if outline.nodes[at].is_text and outline.nodes[at].tag != "p"]
        return next(reversed(named or [at for at in whole if outline.nodes[at].tag != "p"]), None)


def opening_of(outline: Outline, best: int, titles: Sequence[int]) -> Opening | None:
    """Where the first post of the thread of the ``best`` text stands; ``None`` if there is no row of posts.

    Posts are siblings with the same tag and name, and with lines that say when each was written. If text stands between
    the title and the row, it is the first post and the row its replies; else the first post is the first of the row.
    """
    nodes = outline.nodes
    while best:
        row = _row_in(outline, best)
        if row is not None:
            start = max((at for at in titles if at < nodes[row[0]].first), default=nodes[row[0]].first)
            above = range(start + 1, nodes[row[0]].first)
            if sum(weight_of(outline.lines[at]) for at in above) >= OPENING_WEIGHT:
                return Opening(above, row)
            return Opening(range(nodes[row[0]].first, nodes[row[0]].last), row[1:])
        best = nodes[best].parent
    return None


def _row_in(outline: Outline, top: int) -> list[int] | None:
    """The longest row of siblings in a container that have the same tag and name and are mostly dated."""
    nodes = outline.nodes
    rows: dict[tuple[int, tuple[str, str]], list[int]] = {}
    for at in range(top + 1, len(nodes)):
        if nodes[at].first >= nodes[top].last:
            break
        if nodes[at].first < nodes[at].last:
            rows.setdefault((nodes[at].parent, _signature(nodes[at])), []).append(at)
    posts = [
        list(dropwhile(lambda at: not _is_dated(outline, at), row)) for row in rows.values() if len(row) >= LEAST_IN_ROW
    ]
    return max((row for row in posts if _are_posts(outline, row)), key=len, default=None)


def _are_posts(outline: Outline, row: Sequence[int]) -> bool:
    """Whether the containers of a row are posts: articles by their tag, or most of them dated."""
    dated = sum(_is_dated(outline, at) for at in row)
    return len(row) >= LEAST_IN_ROW and (
        outline.nodes[row[0]].tag == "article" or dated >= max(LEAST_IN_ROW, DATED_SHARE * len(row))
    )


def _is_dated(outline: Outline, at: int) -> bool:
    lines = outline.lines[outline.nodes[at].first : outline.nodes[at].last]
    return len(lines) > 1 and any(len(line.text) < LONGEST_HEADER and _WHEN.search(line.text) for line in lines)


def posts_of(outline: Outline, best: int, weights: list[float], is_side: list[bool]) -> list[int]:
    """The containers with the tag and name of the best one; the first is the article."""
    top = outline.nodes[best]
    within = _with_signature(outline, best + 1, top.last)
    if len(within) >= LEAST_POSTS and is_thread(outline.lines[top.first : top.last], len(within) - 1):
        return within  # posts of a line each, which count for what they stand in
    like = _with_signature(outline, 1, len(outline.lines), like=best) if top.is_text else ()
    alike = [at for at in like if is_side[at] == is_side[best]]
    if len(alike) > 1 and is_thread(outline.lines, len(alike)):
        return alike  # the first post opens the thread, however short
    values = [sum(weights[outline.nodes[at].first : outline.nodes[at].last]) for at in alike]
    posts = [
        at
        for at, value in zip(alike, values, strict=True)
        if value >= (OPENING_WEIGHT if at == alike[0] else POST_WEIGHT)
    ]
    first = posts[0] if len(posts) >= LEAST_POSTS and best in posts else best
    return [first, *(at for at in alike if at > first)]


def _with_signature(outline: Outline, start: int, last: int, like: int | None = None) -> list[int]:
    """The containers named for text, from ``start`` to line ``last``, that have the tag and name of ``like``, or the
    commonest tag and name."""
    groups: dict[tuple[str, str], list[int]] = {}
    target = None if like is None else _signature(outline.nodes[like])
    for at in range(start, len(outline.nodes)):
        node = outline.nodes[at]
        if node.first >= last and at > start:
            break
        if node.is_text and node.first < node.last and (target is None or node.tag == target[0]):
            signature = _signature(node)
            group = groups.setdefault(signature, [])
            if target in (None, signature) and (not group or node.first >= outline.nodes[group[-1]].last):
                group.append(at)
    return max(groups.values(), key=len, default=[])


def _signature(node: Node) -> tuple[str, str]:
    return node.tag, _without_digits(node.name)


@bounded_cache(4096)  # cache: classes and ids
def _without_digits(name: str) -> str:
    return _DIGITS.sub("", name)


def is_thread(lines: Sequence[Line], floors: int = LEAST_FLOORS) -> bool:
    """Whether at least ``floors`` lines, and two in any case, say who posted when, or on which floor."""
    short = [line.text for line in lines if len(line.text) < END_LINE]
    least = max(floors, LEAST_FLOORS)  # the joined lines are searched first, because most pages have too few matches
    return len(POSTED.findall("|".join(short))) >= least and sum(map(bool, map(POSTED.search, short))) >= least


def written_by_users(page: Page) -> bool:
    """Whether a page is a blog's or a forum's: whoever posted it is its author."""
    return is_blog(page) or is_forum(page, outline_of(page))


def is_blog(page: Page) -> bool:
    """Whether a page is a blog's by its URL or the program that made it."""
    return bool(BLOG_URL.search(host_and_path(page.url)) or BLOG_GENERATOR.search(page.metas.get("generator", "")))


def is_forum(page: Page, outline: Outline) -> bool:
    """Whether a page is a forum's by its URL, the program that made it, or its words; judged on the first call."""
    if outline.is_forum is not None:
        return outline.is_forum
    if PORTAL_URL.search(page.url):
        outline.is_forum = False
    elif FORUM_GENERATOR.search(page.metas.get("generator", "")) or FORUM_URL.search(host_and_path(page.url)):
        outline.is_forum = True
    else:
        texts = [line.text for line in outline.lines if len(line.text) < 60]
        with_floors = [text for text in texts if "楼" in text or "樓" in text]
        words = {word.strip() for text in with_floors for word in FORUM_FLOORS.findall(text)}
        others = [text for text in texts if text not in with_floors] if with_floors else texts
        needed = 2 if FORUM_TITLE.search(outline.title or "") else 4
        outline.is_forum = len(words.union(FORUM_WORDS.findall("\n".join(others)))) >= needed
    return outline.is_forum


def host_and_path(url: str) -> str:
    """A URL without its scheme, as the patterns want it."""
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}?{parts.query}"


def is_account_post(page: Page) -> bool:
    """Whether a page is that of an account's post."""
    return any(mark in page.text for mark in MARKS)


def posted_at(page: Page, now: datetime, *, is_post: bool) -> Stamp | None:
    """When the account posted it, as the page's scripts say; ``is_post``: whether the page is that of a post, where
    other names than "ct" count, too."""
    if (is_post or any(name in page.text for name in _CT_NAMES)) and (match := _CT.search(page.text)):
        return machine_stamp(match[1], now)
    match = _moment(page.text) if is_post else None
    return machine_stamp(match[2], now) if match else None


def _moment(text: str) -> re.Match[str] | None:
    """The first value behind one of the names of the moment."""
    firsts = (next(filter(_is_named, pattern.finditer(text)), None) for pattern in _MOMENTS)
    return min(filter(None, firsts), key=lambda match: match.start(), default=None)


def _is_named(value: re.Match[str]) -> bool:
    return _NAME_OF_MOMENT.search(value.string, max(0, value.start() - LONGEST_KEY), value.end(1)) is not None


def account_in_scripts(page: Page) -> str | None:
    """The name of the account, as the scripts of its post's page say."""
    names = (name.strip() for name in _strings(_ACCOUNT, page))
    return next((name for name in names if 1 < len(name) <= LONGEST_NAME), None)


def post_in_scripts(page: Page) -> list[str]:
    """The lines of a post that consists of a text or pictures, without markup; empty for other posts."""
    kind = _TYPE.search(page.text) or _TYPE_IN_DATA.search(page.text)
    if kind is None or kind[1] not in PLAIN_TYPES:
        return []
    texts = (text for pattern in _TEXTS for text in _strings(pattern, page))
    text = next((text for text in texts if text and "<" not in text), "")
    text = text or unescaped_string(page.metas.get("description", ""))
    return [line for raw in text.split("\n") if (line := " ".join(raw.split()))]


def is_account_card(page: Page, article: Article) -> bool:
    """Whether a page introduces an account: a post that is called like its account and tells no event, or an undated
    page with several labels of a card, with little text besides."""
    if len(article.text) > LONGEST_CARD:
        return False
    title = _ACCOUNT_WORD.sub("", article.title or "").strip()
    if title and is_account_post(page) and title in (account_in_scripts(page), article.source):
        return not post_in_scripts(page) and (bool(_INTRODUCES.search(article.text)) or not _TELLS.search(article.text))
    if article.published_at is not None:
        return False
    labels = {match[1] for line in outline_of(page).lines if (match := _CARD_LABEL.match(line.text))}
    return len(labels) >= CARD_LABELS


def _strings(pattern: re.Pattern[str], page: Page) -> Iterator[str]:
    for match in pattern.finditer(page.text):
        yield unescape_entities(unescaped_string(match[1] or match[2] or ""))
