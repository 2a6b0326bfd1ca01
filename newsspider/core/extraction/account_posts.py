"""Reads what the page of an account's post (WeChat) says of itself in its scripts: when, by whom and, of a post that
has no markup of its own, what. The card of an account, which is no post, says only who it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from newsspider.core.extraction.dates.moments import machine_stamp
from newsspider.core.extraction.dates.times_of_day import Stamp
from newsspider.core.extraction.dom import Page, outline_of
from newsspider.core.extraction.dom.escaped import unescaped
from newsspider.core.extraction.dom.script_data import unescaped_string
from newsspider.core.model import Article

MARKS = ("js_content", "msg_title", "item_show_type", "rich_media")  # names that only such pages have
LONGEST_NAME = 30  # characters of an account's name
LONGEST_CARD = 300  # characters of the text of a card
CARD_LABELS = 2  # labels that make a card of an undated page
PLAIN_TYPES = ("5", "7", "8", "10", "11")  # of posts that consist of a video, sound, pictures or a text

_QUOTED = r"""\s*(?:\w{0,12}\(\s*)?(?:'((?:[^'\\\n]++|\\.)*+)'|"((?:[^"\\\n]++|\\.)*+)")"""
_MOMENT = re.compile(
    r"(?:\b(?:var|let|const)\s|window\.|[{,;\s])(?:ct|(?:ori_?)?create_?time(?:stamp)?|publish_?time)\s*[:=]\s*"
    r"""(?:\w{0,12}\(\s*)?["']?(\d{10}(?!\d)|\d{4}-\d\d?-\d\d?(?: \d\d?:\d\d)?)""",
    re.IGNORECASE,
)
# Patterns begin with a literal, which a search in a long page runs through fast; a look behind it checks what precedes.
_CT = re.compile(r"""ct(?:(?<=[\s]ct)|(?<=window\.ct))\s*=\s*["']?(\d{10})(?!\d)""")
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
_CARD_LABEL = re.compile(r"(微信号|功能介绍|微信认证|(?:公众号|[帐账]号)(?:主体|简介|介绍|类型))\s*(?:[:：]|$)")


def is_account_post(page: Page) -> bool:
    """Whether a page is that of an account's post."""
    return any(mark in page.text for mark in MARKS)


def posted_at(page: Page, now: datetime) -> Stamp | None:
    """When the account posted it, as the page's scripts say; ``None`` on other pages."""
    if "ct" not in page.text and "reate" not in page.text:
        return None
    match = _CT.search(page.text) or (_MOMENT.search(page.text) if is_account_post(page) else None)
    return machine_stamp(match[1], now) if match else None


def account_in_scripts(page: Page) -> str | None:
    """The name of the account, as the page's scripts say; ``None`` on other pages."""
    if not is_account_post(page):
        return None
    names = (name.strip() for name in _strings(_ACCOUNT, page))
    return next((name for name in names if 1 < len(name) <= LONGEST_NAME), None)


def post_in_scripts(page: Page) -> list[str]:
    """The lines of a post that consists of a text or pictures, without markup; empty on other pages."""
    kind = (_TYPE.search(page.text) or _TYPE_IN_DATA.search(page.text)) if "item_show_type" in page.text else None
    if kind is None or kind[1] not in PLAIN_TYPES:
        return []
    texts = (text for pattern in _TEXTS for text in _strings(pattern, page))
    text = next((text for text in texts if text and "<" not in text), "")
    text = text or unescaped_string(page.metas.get("description", ""))
    return [line for raw in text.split("\n") if (line := " ".join(raw.split()))]


def is_account_card(page: Page, article: Article) -> bool:
    """Whether a page introduces an account: a post that is called like its account, or an undated page with several
    labels of a card, with little text besides."""
    if len(article.text) > LONGEST_CARD:
        return False
    title = _ACCOUNT_WORD.sub("", article.title or "").strip()
    if title and is_account_post(page) and title in (account_in_scripts(page), article.source):
        return not post_in_scripts(page)
    if article.published_at is not None:
        return False
    labels = {match[1] for line in outline_of(page).lines if (match := _CARD_LABEL.match(line.text))}
    return len(labels) >= CARD_LABELS


def _strings(pattern: re.Pattern[str], page: Page) -> Iterator[str]:
    for match in pattern.finditer(page.text):
        yield unescaped(unescaped_string(match[1] or match[2] or ""))
