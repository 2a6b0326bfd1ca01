"""Recognises pages that users write, blogs and forums: there whoever posted is the author."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from newsspider.core.extraction.dom.outline import Outline, outline_of
from newsspider.core.extraction.dom.page import Page

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


def written_by_users(page: Page) -> bool:
    """Whether a page is a blog's or a forum's: whoever posted it is its author."""
    return is_blog(page) or is_forum(page, outline_of(page))


def is_blog(page: Page) -> bool:
    """Whether a page is a blog's by its URL or the program that made it."""
    return bool(BLOG_URL.search(host_and_path(page.url)) or BLOG_GENERATOR.search(page.metas.get("generator", "")))


def is_forum(page: Page, outline: Outline) -> bool:
    """Whether a page is a forum's by its URL, the program that made it, or its words; judged on the first call."""
    if outline.is_forum is None:
        outline.is_forum = _is_forum(page, outline)
    return outline.is_forum


def _is_forum(page: Page, outline: Outline) -> bool:
    if PORTAL_URL.search(page.url):
        return False
    if FORUM_GENERATOR.search(page.metas.get("generator", "")) or FORUM_URL.search(host_and_path(page.url)):
        return True
    texts = [line.text for line in outline.lines if len(line.text) < 60]
    with_floors = [text for text in texts if "楼" in text or "樓" in text]
    words = {word.strip() for text in with_floors for word in FORUM_FLOORS.findall(text)}
    others = [text for text in texts if text not in with_floors] if with_floors else texts
    needed = 2 if FORUM_TITLE.search(outline.title or "") else 4
    return len(words.union(FORUM_WORDS.findall("\n".join(others)))) >= needed


def host_and_path(url: str) -> str:
    """A URL without its scheme, as the patterns want it."""
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}?{parts.query}"
