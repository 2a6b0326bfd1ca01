"""Decides whether a guard, a gateway or a closed site answered instead of the page, with status 200.

Such a page says nothing of its URL: the host is out of order for us, and the page is asked for again. ``page_type.py``
recognises log-in pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from newsspider.core.dates.date_reader import DAY_PATTERN, url_date
from newsspider.core.extraction.dom import Page, outline_of
from newsspider.core.extraction.lines.site_in_title import is_only_site_names
from newsspider.core.model import Article
from newsspider.core.text.characters import fold_text
from newsspider.core.text.phrases import any_of

MOST_LINKS, MOST_TEXT = 12, 800  # links and characters that a guard's page has at most
GUARD_TEXT = 500  # characters of a text from which on it is no guard's
LONG_TEXT = 300  # characters of a text from which on it is a guard's only with a number of the refusal
LONGEST_LINE = 200  # characters of a line that is looked at
BLANK_LETTERS = 40  # characters of a page that only runs a script
LEAST_PARTS = 4  # bigrams and words of an anchor by which another page is known
FOREIGN_TEXT = 200  # characters of a text that is short enough to be a notice
UNLIKE_SHARE = 0.1  # of the parts of an anchor, which any text may have by chance
LIKE_SHARE = 0.8  # of the parts of an anchor that a title has if it is that of the page

GUARD_WORDS = re.compile(any_of("guard_pages"))
# the number by which the owner of the site finds the refusal
_TRACE = re.compile(
    r"^\W*(?:(?:事件|拦截|请求|错误|追踪|日志)\s?(?:编号|id|代码|标识)|(?:event|ray|incident|request|trace|reference) (?:id|#|number)"
    r"|(?:您|你)的ip|(?:client|your) ip)"
)
_MORE_THAN_A_NAME = re.compile(r"[，,：:]|.{13}|(?:公告|通知|通告|公示|说明|启事)$")  # such a title is no guard's
_UNDATED_NOTICE = re.compile(r"关于.{4,}(?:公告|通知|通告|公示|说明|启事)$")
_WAITING = re.compile(r"^请稍[候后等]|^正在(?:加载|进入)")  # what pages also say whose content a script loads
# the element that an application fills
_SHELL = re.compile(
    r"""<(?:div|main|section)\s[^<>]{0,99}\bid=["']?(?:app|root|__next|__nuxt|q-app)["'\s>]""", re.IGNORECASE
)
_CHALLENGE = re.compile(r"document\.cookie|location\.reload|\beval\(|captcha|challenge|\b_0x[0-9a-f]{3}")
_BUTTON = re.compile(  # what a link says that names no page
    r"点击|这里|此处|查看|阅读|浏览|更多|详细|详情|内容|全文|原文|正文|了解|展开|继续|进入|下载"
    r"|\b(?:click|here|read|more|full|story|article|view|details|continue|reading)\b"
)
_LATIN = re.compile(r"[a-z]{4,}")
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
_DAY = re.compile(DAY_PATTERN)
_SHOWN = ("img", "video", "audio", "object", "embed", "iframe", "frame")


class GuardPageError(Exception):
    """A guard's page stands in the place of a page; the text is the line by which it shows itself."""


def guard_line(page: Page, article: Article | None, links: int, anchor: str = "") -> str | None:
    """The line by which a page with this number of ``links`` shows that a guard, a gateway or a closed site sent it;
    ``None`` for any other page. A page with date, source or author is news about guards, unless its title or a number
    of the refusal says that it is none; so is one that has the title of its link, the ``anchor``. ``article`` is
    ``None`` for a list."""
    if links > MOST_LINKS:
        return None
    outline = outline_of(page)
    lines = [line.text for line in outline.lines]
    length = sum(map(len, lines))
    if length >= MOST_TEXT or outline.passwords:
        return None
    if length < BLANK_LETTERS and _runs_challenge(page):
        return lines[0] if lines else "a script instead of a page"
    texts = [fold_text(text) for text in (outline.title or "", *lines) if len(text) < LONGEST_LINE]
    guard_line = next((text for text in texts if GUARD_WORDS.search(text)), None)
    if guard_line is None:
        guard_line = next((text for text in texts if _WAITING.search(text)), None)
        return guard_line if guard_line is not None and _runs_challenge(page) else None
    if article is not None and (_is_news(page, article, texts) or _is_titled(article, anchor)):
        return None
    return guard_line


def shows_another_page(page: Page, article: Article, anchor: str) -> bool:
    """Whether a short text without date, source and pictures has nothing in common with the text of its link: not one
    pair of Chinese characters, not one word."""
    if not 0 < len(article.text) < FOREIGN_TEXT or article.source or article.authors or _is_dated(page, article):
        return False
    parts = _parts(_BUTTON.sub("\n", fold_text(anchor)))
    outline = outline_of(page)
    lines = [line.text for line in outline.lines]
    if len(parts) < LEAST_PARTS or sum(map(len, lines)) >= MOST_TEXT:
        return False
    if next(page.tree.iter(*_SHOWN), None) is not None:
        return False
    title = "" if is_only_site_names(outline.title or "") else outline.title or ""
    return parts.isdisjoint(_parts("\n".join((title, *lines))))


def is_unlike(anchor: str, title: str, text: str) -> bool:
    """Whether a title and a text share almost nothing with the text of their link. Several such links to one
    text mean that a guard sent it.

    >>> is_unlike("寒潮来袭各地停课", "", "前面还有三十六位"), is_unlike("寒潮来袭各地停课", "停课通知", "明天放假")
    (True, False)
    """
    parts = _parts(_BUTTON.sub("\n", fold_text(anchor)))
    most = len(parts) * UNLIKE_SHARE
    if not text or len(parts) < LEAST_PARTS or len(parts & _parts(title)) > most:
        return False
    return len(parts & _parts(f"{title}\n{text}")) <= most


def _is_dated(page: Page, article: Article) -> bool:
    """Whether a page says of what day it is: its URL alone says nothing of what stands there."""
    at = article.published_at
    if at is None:
        return False
    in_url = url_date(page.url, at)
    return in_url is None or in_url.at != at or any(_DAY.search(line.text) for line in outline_of(page).lines)


def _is_news(page: Page, article: Article, texts: Sequence[str]) -> bool:
    if any(map(_TRACE.search, texts)):
        return False
    if article.source or article.authors or len(article.text) >= LONG_TEXT:
        return True
    title = fold_text(article.title or "")
    if not _is_dated(page, article):
        return _UNDATED_NOTICE.match(title) is not None
    return _MORE_THAN_A_NAME.search(title) is not None or GUARD_WORDS.search(title) is None


def _is_titled(article: Article, anchor: str) -> bool:
    """Whether an article has the title that its link names."""
    parts = _parts(_BUTTON.sub("\n", fold_text(anchor)))
    return len(parts) >= LEAST_PARTS and len(parts & _parts(article.title or "")) >= LIKE_SHARE * len(parts)


def _runs_challenge(page: Page) -> bool:
    """Whether a script of the page may be a test of its reader; those of an application are none."""
    if _SHELL.search(page.text):
        return False
    scripts: Sequence[str] = [script.text or "" for script in page.tree.iter("script")]
    return any(map(_CHALLENGE.search, scripts))


def _parts(text: str) -> set[str]:
    """The pairs of Chinese characters and the words of a text."""
    text = fold_text(text)
    pairs = {first + second for run in _HAN.findall(text) for first, second in pairwise(run)}
    return pairs | set(_LATIN.findall(text))
