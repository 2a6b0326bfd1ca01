"""The record of a stored article, which ``scrapy export`` prints as it is."""

from __future__ import annotations

from typing import Annotated, TypedDict

from newsspider.library.articles import ImageRecord

MOMENT = "ISO 8601 with an offset"
Moment = Annotated[str, MOMENT]


class StoredRecord(TypedDict):
    """What the store knows of an article; docs/reference/tables.md says what each field means."""

    id: int
    url: str
    canonical_url: str
    urls: list[str]
    site: str
    channel: str
    media_class: str
    anchor: str
    title: str
    author: list[str]
    editors: list[str]
    source: str | None
    published_at: Moment | None
    modified_at: Moment | None
    crawled_at: Moment
    text: str
    summary: str
    keywords: list[str]
    meta_keywords: list[str]
    meta_description: str | None
    language: str | None
    charset: str
    kind: str
    images: list[ImageRecord]
    attachments: list[str]
    comments: list[str]
    parts: list[str]
    link_count: int
    priority: int
    truncated: bool
    noindex: bool
    topic: str
    score: float
    terms: list[str]
    model: str
    subtopics: list[str]
    body_md5: str
    snapshot: str
    reprint_of: str | None
    reprints: int
    vanished_at: Moment | None
    absence: str | None
