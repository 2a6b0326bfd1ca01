"""The records of articles as types. Written by ``make docs`` from the declaration of their fields; edit that."""

from __future__ import annotations

from typing import Annotated, TypedDict

MOMENT = "ISO 8601 with an offset"
Moment = Annotated[str, MOMENT]


class ImageRecord(TypedDict):
    """A picture of an article."""

    url: str
    caption: str


class ArticleRecord(TypedDict):
    """What was read on a page, ready for JSON; moments are ISO 8601 with their offset."""

    url: str
    title: str | None
    author: list[str]
    editors: list[str]
    source: str | None
    published_at: str | None
    modified_at: str | None
    text: str | None
    summary: str | None
    images: list[ImageRecord]
    comments: list[str]
    keywords: list[str]
    charset: str
    charset_reason: str
    kind: str
    kind_probability: float
    truncated: bool


class StoredRecord(TypedDict):
    """What the store knows of an article; docs/reference/articles.md says what each field means."""

    id: int
    url: str
    canonical_url: str
    site: str
    channel: str
    media_class: str
    anchor: str
    title: str
    author: list[str]
    source: str | None
    published_at: Moment | None
    crawled_at: Moment
    meta_keywords: list[str]
    meta_description: str | None
    text: str
    summary: str
    language: str | None
    charset: str
    kind: str
    link_count: int
    priority: int
    region: str
    places: list[str]
    attachments: list[str]
    editors: list[str]
    modified_at: Moment | None
    images: list[ImageRecord]
    comments: list[str]
    parts: list[str]
    topic: str
    score: float
    terms: list[str]
    model: str
    body_md5: str
    snapshot: str
    truncated: bool
    urls: list[str]
    noindex: bool
    vanished_at: Moment | None
    absence: str | None
    keywords: list[str]
    subtopics: list[str]
    reprint_of: str | None
    reprints: int
