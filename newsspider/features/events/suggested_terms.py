"""Frequent words in the articles of a topic that are not among its terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from newsspider.core.extraction.keywords import word_rarity
from newsspider.features.events.rules.terms import is_verb
from newsspider.features.events.tables import event_articles
from newsspider.store.articles.article_filters import FINDABLE, Filters
from newsspider.store.tables import articles

LEAST_EVENTS = 3  # of a word that is recommended: what only one event is about is no term of the topic
MOST_WORDS = 10  # words of an article that count: those that say most of it
ARTICLES_SHOWN = 3  # articles that say why


@dataclass(frozen=True, slots=True)
class TopicTerm:
    """A word, in how many events and articles it stands, and the latest articles of different events that have it."""

    word: str
    events: int
    articles: int
    reasons: tuple[tuple[int, str], ...]  # number and title

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        why = [{"article": number, "title": title} for number, title in self.reasons]
        return {"word": self.word, "events": self.events, "articles": self.articles, "why": why}


def topic_terms(conn: Connection, filters: Filters, limit: int, own: Sequence[str]) -> list[TopicTerm]:
    """The words found in most events of the filtered articles, rare words first among equals (TF-IDF with events as
    documents), from the :data:`MOST_WORDS` words of each article. Verbs, names, words in Latin letters and words that
    contain one of the ``own`` terms are left out."""
    joined = articles.join(event_articles, event_articles.c.article_id == articles.c.id)
    of_event = (event_articles.c.event_id, event_articles.c.words, event_articles.c.names)
    columns = (articles.c.id, articles.c.title, *of_event)
    query = select(*columns).select_from(joined).where(FINDABLE, *filters.conditions())
    members: dict[str, list[tuple[int, int, str]]] = defaultdict(list)  # event, number and title of an article
    for row in conn.execute(query.order_by(articles.c.id.desc())):
        for word in set(row.words.split()[:MOST_WORDS]).difference(row.names.split()):
            members[word].append((row.event_id, row.id, row.title))
    events = {word: {event for event, _, _ in several} for word, several in members.items()}
    often = (word for word in members if len(events[word]) >= LEAST_EVENTS)
    often = (word for word in often if not any(term in word for term in own))
    best = sorted(often, key=lambda word: (-len(events[word]) * word_rarity(word), word))
    terms = []
    for word in best:
        if not word.isascii() and not is_verb(word):
            latest = {event: (number, title) for event, number, title in reversed(members[word])}
            reasons = tuple(sorted(latest.values(), reverse=True)[:ARTICLES_SHOWN])
            terms.append(TopicTerm(word, len(events[word]), len(members[word]), reasons))
        if len(terms) == limit:
            break
    return terms
