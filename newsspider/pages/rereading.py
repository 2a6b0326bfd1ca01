"""Rereads stored articles from their snapshots, with the current extraction, sites and topics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from newsspider.core.duplicates.content_hashes import md5_of
from newsspider.core.duplicates.reprints import fingerprints_of
from newsspider.core.extraction.article import extract_article, record_of, without_boilerplate
from newsspider.core.extraction.dom.page import Page, UnreadablePageError, parse
from newsspider.core.extraction.keywords import extract_keywords
from newsspider.core.extraction.lines.boilerplate_lines import Boilerplate
from newsspider.core.links.article_parts import continued_article, next_part
from newsspider.core.model import NO_RULES, Article, ArticlePart, Link, Relevance, StoredArticle
from newsspider.core.relevance.scoring import score
from newsspider.core.text.regions import regions_named
from newsspider.core.text.text_comparison import normalise_text
from newsspider.core.text.tokenizer import NO_TERMS
from newsspider.core.url import same_site
from newsspider.pages.read_page import document_of, read_page
from newsspider.store.articles.article_rows import article_of

if TYPE_CHECKING:
    from newsspider.core.model import ArticleRules
    from newsspider.core.relevance.topic import TopicProfile

# fields that reading leaves as they are
KNOWN_BEFORE = ("url", "site", "channel", "media_class", "region", "anchor", "priority")


class Unread(StrEnum):
    """Why an article stays as it is stored."""

    NO_SNAPSHOT = "no_snapshot"  # the page has noarchive, or the snapshot was deleted
    UNREADABLE = "unreadable"
    NO_ARTICLE = "no_article"  # its page no longer counts as an article


def snapshots_of(row: Mapping[str, Any]) -> set[str]:
    """The names of the snapshots needed to reread the article of this row."""
    return {name for name in (row["snapshot"], *(part["snapshot"] for part in json.loads(row["parts"]))) if name}


@dataclass(frozen=True, slots=True)
class Rereader:
    """Reads like a crawl, from title to relevance; ``topics`` are the profiles by name.

    Articles of other topics keep their score and subtopics. ``boilerplate`` is removed from the articles of a site,
    unless an XPath locates the text. If a further page of an article has no snapshot, the text is kept; only the
    fields of its first page are new.
    """

    rules: Mapping[str, ArticleRules]  # by site
    boilerplate: Mapping[str, Boilerplate]
    topics: Mapping[str, TopicProfile]
    model: str | None
    default_charset: str

    def read(self, row: Mapping[str, Any], contents: Mapping[str, bytes]) -> StoredArticle | Unread:
        """The article of a stored row as it is read now, with its subtopics, or why it stays as it is. ``contents``
        are pages by snapshot name."""
        if row["snapshot"] not in contents:
            return Unread.NO_SNAPSHOT
        try:
            article = self._joined(row, contents)
        except UnreadablePageError:
            return Unread.UNREADABLE
        if article is None:
            return Unread.NO_ARTICLE
        complete_article(article, self.topics.get(article.topic), self.model)
        return article

    def judged(
        self, row: Mapping[str, Any], contents: Mapping[str, bytes], topic: TopicProfile
    ) -> tuple[StoredArticle, Relevance]:
        """The article of a stored row, with the headings that its snapshot shows, and how relevant it is to a topic."""
        article = article_of(row)
        try:
            page = self._joined({**row, "subtopics": ()}, contents) if row["snapshot"] in contents else None
        except UnreadablePageError:
            page = None
        if page is not None:
            article.headings, article.meta_title = page.headings, page.meta_title
        return article, score(topic, document_of(ItemAdapter(article)), self.model)

    def _joined(self, row: Mapping[str, Any], contents: Mapping[str, bytes]) -> StoredArticle | None:
        rules, crawled_at = self.rules.get(row["site"], NO_RULES), datetime.fromisoformat(row["crawled_at"])
        page = self._page(row, row["url"], contents[row["snapshot"]])
        reading = read_page(page, crawled_at, rules, row["anchor"])
        if not reading.is_stored:
            return None
        known = {name: row[name] for name in KNOWN_BEFORE}
        bared = self._bared(row, reading.article)
        record = record_of(page, bared, reading.kind, reading.links, crawled_at, **known)
        article = _with_row_values(row, record)
        if not article.parts and _goes_on(page, reading.links):
            return replace(article, text=row["text"])
        for part in article.parts:
            if part.snapshot not in contents:
                return replace(article, text=row["text"])
            further = extract_article(self._page(row, part.url, contents[part.snapshot]), crawled_at, rules)
            article = continued_article(article, self._bared(row, further)) or article
        return article

    def _bared(self, row: Mapping[str, Any], article: Article) -> Article:
        site = self.boilerplate.get(row["site"])
        if site is None or self.rules.get(row["site"], NO_RULES).body is not None:
            return article
        return without_boilerplate(article, site)

    def _page(self, row: Mapping[str, Any], url: str, body: bytes) -> Page:
        return parse(body, url, f"text/html; charset={row['charset']}", self.default_charset)


def complete_article(article: StoredArticle, topic: TopicProfile | None, model: str | None) -> Relevance | None:
    """Add what the pipelines of a crawl add; returns the relevance to the topic, if there is one. Places that a spider
    gave to a held article stay."""
    letters = normalise_text(article.text)
    article.body_md5, article.fingerprints = md5_of(article.title, letters), fingerprints_of(letters, article.title)
    terms = topic.words if topic else NO_TERMS
    article.keywords = extract_keywords(article.title, article.text, article.meta_keywords, terms=terms)
    article.places = article.places or regions_named(article.title, article.text)
    relevance = score(topic, document_of(ItemAdapter(article)), model) if topic else None
    if topic is not None and relevance is not None:
        article.topic, article.score, article.terms = topic.name, relevance.score, relevance.terms
        article.model, article.subtopics = relevance.model, relevance.subtopics
    return relevance


def _with_row_values(row: Mapping[str, Any], article: StoredArticle) -> StoredArticle:
    """The article with the values that are not on its page, from the row."""
    return replace(
        article,
        link_count=row["link_count"],
        parts=tuple(ArticlePart(**part) for part in json.loads(row["parts"])),
        topic=row["topic"],
        score=row["score"],
        terms=tuple(json.loads(row["terms"])),
        model=row["model"],
        subtopics=row["subtopics"],
        snapshot=row["snapshot"],
    )


def _goes_on(page: Page, links: Iterable[Link]) -> bool:
    following = next_part(page, links)
    return following is not None and same_site(following, page.url)
