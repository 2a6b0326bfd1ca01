"""Warms up extraction: loads dictionaries and tables before the first request."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from newsspider.core.extraction.article import read
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.keywords import keywords
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import page_links
from newsspider.core.relevance.scoring import score
from newsspider.core.relevance.topic import Document
from newsspider.core.text.fingerprint import md5_of, normalised

if TYPE_CHECKING:
    from newsspider.core.relevance.topic import TopicProfile

_TITLE = "鄉村教師招聘"
_TEXT = "教育部門公佈了今年的鄉村教師招聘計劃，學校將按照崗位要求組織考試。" * 3
_PAGE = (
    f"<html><head><title>{_TITLE}</title></head>"
    f"<body><a href='/1.html'>{_TITLE}</a><h1>{_TITLE}</h1><p>{_TEXT}</p></body></html>"
)


def prepare_reading(topic: TopicProfile, model: str | None, now: datetime) -> None:
    """Read a built-in page as a crawl reads others; this loads everything, and raises if it cannot."""
    page = parse(_PAGE.encode(), "http://www.example.cn/2024/1.html", "utf-8", "utf-8")
    article = read(page, now)
    page_type_of(page, article, page_links(page))
    score(topic, Document(title=_TITLE, text=_TEXT), model)
    keywords(_TITLE, _TEXT, ())
    md5_of(_TITLE, normalised(_TEXT))
