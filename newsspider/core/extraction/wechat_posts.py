"""Reads what the page of an account's post (WeChat) says of itself in its scripts: when, by whom and, of a post that
has no markup of its own, what. The card of an account, which is no post, says only who it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from newsspider.core.dates.date_reader import Stamp, machine_stamp
from newsspider.core.extraction.dom import Page, outline_of
from newsspider.core.extraction.dom.charset import unescape_entities
from newsspider.core.extraction.dom.script_data import unescaped_string
from newsspider.core.model import Article

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
