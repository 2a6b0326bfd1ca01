"""Answers the spider of a query from the index: the scored results, and the links of their pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from newsspider.core.query.query_tree import All, Either, Node, Text
from newsspider.core.relevance.scoring import Document, score
from newsspider.core.text.tokenizer import units_of_text
from newsspider.features.explore.rules.query_topic import parts_of, profile_of
from newsspider.search.hits import articles_with
from newsspider.store.articles.arrivals import settled
from newsspider.store.articles.article_records import articles_of
from newsspider.store.ledger.crawls import keys_of
from newsspider.store.ledger.stored_links import of_pages

MOST_CANDIDATES = 1000  # articles that are scored, latest first
LONGEST_QUESTION = 200  # characters of a question


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """A stored article, and its similarity to the query."""

    score: float
    whole: bool  # it contains every word of the query
    record: dict[str, Any]
    words: tuple[str, ...]  # of the query

    def place(self) -> tuple[float, str]:
        """The sort key: best first, then by URL."""
        return -self.score, self.record["url"]


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results among the articles with an id above ``after``, best first, and the id behind which to ask next time:
    on PostgreSQL articles with a lower id than some of the results have may still be committed."""

    answers: tuple[QueryAnswer, ...]
    last: int


def question_words(question: str) -> tuple[str, ...]:
    """The words of a question, each once; any blank separates them, also that of Chinese type.

    >>> question_words(" 高考　改革 高考 ")
    ('高考', '改革')
    """
    return tuple(dict.fromkeys(question.split()))


def find_answers(conn: Connection, question: str, after: int = 0, enough: int = 0) -> SearchResults:
    """The articles that contain every word of a query; if these are less than ``enough``, also those with any of its
    parts."""
    asked_words, last = question_words(question), settled(conn)
    results = _scored(conn, asked_words, All(_texts(asked_words)), after, whole=True)
    if len(results) < enough:
        urls = {answer.record["url"] for answer in results}
        partial = _scored(conn, asked_words, Either(_texts(parts_of(asked_words))), after, whole=False)
        results += [answer for answer in partial if answer.record["url"] not in urls]
    return SearchResults(tuple(sorted(results, key=QueryAnswer.place)), max(after, last))


def links_of(conn: Connection, answer: QueryAnswer) -> list[tuple[str, str]]:
    """The URLs that the pages of a result link to, each with its anchor."""
    anchors: dict[str, str] = {}
    keys = [key for url in answer.record["urls"] for key in keys_of(conn, url)]
    for link in of_pages(conn, keys):
        if not link.nofollow:
            anchors[link.url] = anchors.get(link.url) or link.anchor
    return list(anchors.items())


def node_of(asked_words: tuple[str, ...]) -> Node:
    """The query that asks for all of these words."""
    return All(_texts(asked_words))


def _texts(asked_words: tuple[str, ...]) -> tuple[Node, ...]:
    return tuple(Text(tuple(text_units)) for word in asked_words if (text_units := units_of_text(word)))


def _scored(
    conn: Connection, asked_words: tuple[str, ...], node: All | Either, after: int, *, whole: bool
) -> list[QueryAnswer]:
    if not node.sides:
        return []
    profile = profile_of(asked_words)
    results = []
    for record in articles_of(conn, articles_with(conn, node, after, MOST_CANDIDATES)):
        value = score(profile, Document(title=record["title"], text=record["text"])).score
        results.append(QueryAnswer(value, whole, record, asked_words))
    return results
