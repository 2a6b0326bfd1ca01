"""Finds an article's title: the longest heading that <title> contains, or else <title> without the names of the site."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from newsspider.core.outline import Outline
from newsspider.core.page import Page

SHORTEST = 4  # characters of a title, spaces aside
TITLE_METAS = ("og:title", "twitter:title", "articletitle", "headline", "dc.title", "title")
# What stands between a title and the names of channel and site; the first that splits well wins.
SEPARATOR = re.compile(r"\s*(?:[|｜_＿»›•·]|::|>>|\s[-–—]+\s|--+|——+)\s*")
WEAK_SEPARATOR = re.compile(r"\s*[-–—]\s*")
# A last part that is the name of a site or channel.
SITE_NAME = re.compile(
    r"(?:网|網|报|報|社|台|台网|频道|頻道|新闻|新聞|资讯|資訊|中心|在线|線上|论坛|論壇|博客|部落格|门户|社区|客户端|官网|号|网站|網站|"
    r"日报|晚报|周刊|杂志|大学|学院|政府|委员会|局|厅|教育|财经|科技|首页|专栏|正文|[a-z0-9]+\.(?:com|cn|net|org)\S*)$",
    re.IGNORECASE,
)
_KEY = re.compile(r"[\W_]+")


def title_of(page: Page, outline: Outline, linked_data: Iterable[dict[str, Any]] = ()) -> str | None:
    """The title of the article, or ``None`` where the page has none."""
    whole = outline.title or ""
    whole_key = _key(whole)
    told = [text for text in _told(page, linked_data) if len(_key(text)) >= SHORTEST]
    headings = [(text, at) for _, text, at in outline.headings if len(_key(text)) >= SHORTEST]
    within = [text for text, _ in headings if _key(text) in whole_key]
    if within:
        best = max(within, key=lambda text: len(_key(text)))
        trimmed = without_site(whole)
        # a section heading inside the title is not the title
        if len(_key(best)) * 2 >= len(_key(trimmed)) or len(within) == 1 and len(_key(trimmed)) < SHORTEST:
            return best
    for text in told:
        if _key(text) in whole_key or not whole_key:
            return without_site(text)
    for line in outline.lines[:120]:
        if not line.linked and len(line.text) >= 6 and whole_key.startswith(key := _key(line.text)) and len(key) >= 6:
            return line.text
    first = next((text for tag, text, _ in outline.headings if tag == "h1" and len(_key(text)) >= SHORTEST), None)
    if whole_key:
        trimmed = without_site(whole)
        if first and SITE_NAME.search(trimmed):
            return first
        return trimmed or None
    return first or (told[0] if told else None)


def without_site(text: str) -> str:
    """``text`` without the names of site and channel behind it.

    >>> without_site("双减之后的课堂_教育频道_某某网")
    '双减之后的课堂'
    """
    parts = [part for part in SEPARATOR.split(text) if part]
    if len(parts) > 1:
        if len(_key(parts[0])) >= SHORTEST + 2 and not SITE_NAME.search(parts[0]):
            return _cut_at(text, parts[0])
        return max(parts, key=lambda part: len(_key(part)))
    head, tail = text, ""
    for match in WEAK_SEPARATOR.finditer(text):
        head, tail = text[: match.start()], text[match.end() :]
    if tail and len(_key(head)) >= SHORTEST and len(tail) <= 14 and SITE_NAME.search(tail):
        return without_site(head)
    return text.strip()


def _cut_at(text: str, part: str) -> str:
    return text[: text.index(part) + len(part)].strip()


def _told(page: Page, linked_data: Iterable[dict[str, Any]]) -> Iterator[str]:
    for item in linked_data:
        if isinstance(headline := item.get("headline") or (item.get("title") if "pubDate" in item else None), str):
            yield " ".join(headline.split())
    for name in TITLE_METAS:
        if text := page.metas.get(name):
            yield " ".join(text.split())


def _key(text: str) -> str:
    return _KEY.sub("", unicodedata.normalize("NFKC", text)).lower()


def linked_data_of(outline: Outline) -> list[dict[str, Any]]:
    """The JSON-LD objects of the page, graphs and lists flattened; broken JSON is left out."""
    found: list[dict[str, Any]] = []
    for text in outline.ld_json:
        try:
            stack = [json.loads(text.strip().rstrip(";"), strict=False)]
        except (ValueError, RecursionError):
            continue
        while stack:
            value = stack.pop()
            if isinstance(value, list):
                stack.extend(reversed(value))
            elif isinstance(value, dict):
                found.append(value)
                if isinstance(graph := value.get("@graph"), list):
                    stack.extend(reversed(graph))
    return found
