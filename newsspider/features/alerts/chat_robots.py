"""Requests to the robots of WeCom, DingTalk and Feishu: the Markdown of ``messages.py``, cut to what each takes.

These services answer a refused message with status 200; its reason stands in the answer.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from newsspider.hooks import MessageContent

WECOM_BYTES = 4_096  # of the Markdown
DINGTALK_BYTES = 20_000  # of the request
FEISHU_BYTES = 20_000  # of the request
TITLE_BYTES = 400  # left for the title where a service has none of its own
LONGEST_REASON = 200
_CHAT_MARKS = str.maketrans("[]*_`~<>", "［］＊＿｀～＜＞")
_URL_MARKS = ' ()<>"\\'


class Robot(NamedTuple):
    """The robot of a service: its address, the body of a request with this Markdown, and whether it takes that."""

    url: str
    body: Callable[[str], bytes]
    fits: Callable[[str], bool]


def robot(service: Any, title: str, now: float) -> Robot | None:
    """The robot that a service of apprise names; ``None`` if it is none of the three."""
    match service.secure_protocol:
        case "wecombot":

            def note(shown: str) -> bytes:
                return _body({"msgtype": "markdown", "markdown": {"content": shown}})

            return Robot(service.api_url, note, lambda shown: len(shown.encode()) <= WECOM_BYTES)
        case "dingtalk":

            def talk(shown: str) -> bytes:
                at = {"atMobiles": service.targets, "isAtAll": False}
                return _body({"msgtype": "markdown", "at": at, "markdown": {"title": title, "text": shown}})

            url = service.notify_url.format(token=service.token) + _signed(service.secret, now)
            return Robot(url, talk, lambda shown: len(talk(shown)) <= DINGTALK_BYTES)
        case "feishu":

            def card(shown: str) -> bytes:
                header = {"title": {"tag": "plain_text", "content": title}}
                elements = [{"tag": "div", "text": {"tag": "lark_md", "content": shown}}]
                return _body({"msg_type": "interactive", "card": {"header": header, "elements": elements}})

            url = service.notify_url.format(token=service.token)
            return Robot(url, card, lambda shown: len(card(shown)) <= FEISHU_BYTES)
    return None


def objection(answer: bytes) -> str:
    """Why a service refused a message, by its answer; empty if it took it.

    >>> objection(b'{"errcode":93000,"errmsg":"invalid webhook url"}'), objection(b'{"code":0}'), objection(b"ok")
    ('the service refused it: 93000 invalid webhook url', '', '')
    """
    try:
        read = json.loads(answer)
    except ValueError:
        return ""
    if not isinstance(read, dict):
        return ""
    code = read.get("errcode") or read.get("code") or 0
    reason = " ".join(str(read.get("errmsg") or read.get("msg") or "").split())
    return f"the service refused it: {code} {reason[:LONGEST_REASON]}".rstrip() if code else ""


def whole_paragraphs(content: MessageContent, fits: Callable[[str], bool]) -> str:
    """The Markdown, or as many of its paragraphs as fit, with the link to all of it behind them.

    >>> content = MessageContent("早报", "http://a.cn/1", "一二\\n\\n" + "三" * 50)
    >>> whole_paragraphs(content, lambda shown: len(shown) <= 50)
    '一二\\n\\n全文见 [http://a.cn/1](http://a.cn/1)'
    """
    if fits(content.markdown):
        return content.markdown
    paragraphs, end = content.markdown.split("\n\n"), f"全文见 [{content.link}]({content.link})"
    low, high = 0, len(paragraphs) - 1
    while low < high:  # the largest number of paragraphs that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits("\n\n".join([*paragraphs[:middle], end])) else (low, middle - 1)
    return "\n\n".join([*paragraphs[:low], end])


def pieces(content: MessageContent, fits: Callable[[str], bool]) -> list[str]:
    """The Markdown in pieces that fit, none of which cuts a paragraph that fits; one piece where a page has all of it.

    >>> pieces(MessageContent("提醒", "", "一二\\n\\n三四\\n\\n五六七八"), lambda shown: len(shown) <= 6)
    ['一二\\n\\n三四', '五六七八']
    """
    if content.link:
        return [whole_paragraphs(content, fits)]
    found: list[str] = []
    for paragraph in content.markdown.split("\n\n"):
        shown = paragraph
        while shown and not fits(shown):
            shown = shown[: len(shown) * 3 // 4]
        if found and fits(joined := f"{found[-1]}\n\n{shown}"):
            found[-1] = joined
        else:
            found.append(shown)
    return found


def plain_chat_text(text: str) -> str:
    """The text without marks of Markdown, for services that know no escapes; nobody is called by it.

    >>> plain_chat_text("[1] *2* <@all>\\n# 3")
    '［1］ ＊2＊ ＜@all＞ # 3'
    """
    return " ".join(text.split()).translate(_CHAT_MARKS)


def chat_link(url: str) -> str:
    """The URL as it can stand in parentheses.

    >>> chat_link("http://a.cn/a b(1)")
    'http://a.cn/a%20b%281%29'
    """
    return "".join(f"%{ord(mark):02X}" if mark in _URL_MARKS else mark for mark in url)


def _body(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False).encode()


def _signed(secret: str | None, now: float) -> str:
    """What DingTalk wants behind the URL of a robot with a secret."""
    if not secret:
        return ""
    moment = str(round(now * 1000))
    sign = hmac.new(secret.encode(), f"{moment}\n{secret}".encode(), hashlib.sha256).digest()
    return "&" + urlencode({"timestamp": moment, "sign": base64.b64encode(sign).decode()})
