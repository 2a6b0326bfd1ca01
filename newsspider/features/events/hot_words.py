"""The words that are hot in a time, against their own past."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from newsspider.core.extraction.keywords import word_rarity
from newsspider.core.text.characters import fold_text
from newsspider.features.events.rules.bursts import burst_weight, expected_articles
from newsspider.features.events.rules.explanations import is_phrase, sentence_with, whole_word
from newsspider.features.events.rules.terms import LEAD_CHARACTERS, is_place, is_verb
from newsspider.features.events.rules.whole_words import shown_word
from newsspider.features.events.tables import event_articles
from newsspider.store.articles.article_filters import FINDABLE, MOMENT, Filters
from newsspider.store.engine.statement import rows_among
from newsspider.store.tables import articles

PERIODS_COMPARED = 14  # the time that is asked for, and as long ones before it
LEAST_ARTICLES = 3  # of a hot word
LEAST_WEIGHT = 4.0  # of a burst: among the thousands of words of a time, some burst a little by chance
LEAST_RARITY = 6.0  # of a word that is no name: commoner ones (学校, 启动, 意见) say nothing of what happened
MOST_CANDIDATES = 100  # candidates, of which the names are made whole
MOST_COVERED = 0.6  # share of its articles that may have a hotter word, too
MOST_BESIDE = 5
ARTICLES_SHOWN = 3  # articles that say why

_TEXTS = "SELECT id, title, substr(text, 1, :lead) AS lead FROM articles WHERE id IN ({keys})"


@dataclass(frozen=True, slots=True)
class HotWord:
    """A word, how much it bursts, in how many articles it is and would be expected, and those that say why."""

    word: str
    weight: float
    articles: int
    expected: float
    beside: tuple[str, ...]  # other words that burst in these articles
    reasons: tuple[dict[str, Any], ...]  # article, title, sentence

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {
            "word": self.word,
            "weight": round(self.weight, 2),
            "articles": self.articles,
            "expected": round(self.expected, 2),
            "beside": list(self.beside),
            "why": list(self.reasons),
        }


def hot_words(conn: Connection, filters: Filters, limit: int, without: Iterable[str] = ()) -> list[HotWord]:
    """The words that burst from ``filters.since`` to ``filters.until``, which must both be there, those of most weight
    times rarity first. Words that stand in the same articles are one row."""
    left_out, members = frozenset(without), _members(conn, filters)
    often = [word for word in members if len(members[word]) >= LEAST_ARTICLES and word not in left_out]
    totals, counts = _counted(conn, filters, {word for word in often if may_be_hot(word)})
    weights = {word: burst_weight(counts[word], totals) for word in counts}
    bursting = [word for word in weights if weights[word] >= LEAST_WEIGHT]
    best = sorted(bursting, key=lambda word: (-weights[word] * word_rarity(word), word))[:MOST_CANDIDATES]
    texts = _texts(conn, {number for word in best for number, _ in members[word]})
    hot: list[HotWord] = []
    covered: set[int] = set()
    for word in best:
        numbers = {number for number, _ in members[word]}
        if len(numbers & covered) > MOST_COVERED * len(numbers):
            continue
        its_texts = [fold_text(texts[number]) for number in sorted(numbers)]
        name = shown_word(word, its_texts)
        whole = whole_word(name, [texts[number] for number in _firsts(members[word]).values()]) if name else ""
        if not whole or not (is_phrase(whole) or whole == name):
            continue
        covered |= numbers
        others = [other for other in best if other != word and other not in whole]
        together = (shown_word(other, its_texts) for other in others if _stands_in(members[other], numbers))
        beside = list(dict.fromkeys(other for other in together if other and other not in whole))
        hot.append(
            HotWord(
                whole,
                weights[word],
                len(numbers),
                expected_articles(counts[word], totals),
                tuple(beside[:MOST_BESIDE]),
                _reasons(word, members[word], texts),
            )
        )
        if len(hot) == limit:
            break
    return hot


def may_be_hot(word: str) -> bool:
    """Whether a word says what happened: a place, or a rarer word that is not only a verb.

    >>> may_be_hot("北京"), may_be_hot("流感"), may_be_hot("学校"), may_be_hot("发布")
    (True, True, False, False)
    """
    return is_place(word) or (word_rarity(word) >= LEAST_RARITY and not is_verb(word))


def _members(conn: Connection, filters: Filters) -> Mapping[str, list[tuple[int, int]]]:
    """The articles of each word in a time, each with its event."""
    members: dict[str, list[tuple[int, int]]] = defaultdict(list)
    columns = event_articles.c.article_id, event_articles.c.event_id, event_articles.c.words
    for article, event, words in conn.execute(_chosen(filters, *columns).order_by(articles.c.id)):
        for word in words.split():
            members[word].append((article, event))
    return members


def _counted(conn: Connection, filters: Filters, counted_words: set[str]) -> tuple[list[int], Mapping[str, list[int]]]:
    """The articles of each period, and those with each of these words."""
    assert filters.since is not None
    assert filters.until is not None
    width = filters.until - filters.since
    begin = filters.until - PERIODS_COMPARED * width
    number = func.floor((MOMENT - int(begin.timestamp())) / width.total_seconds())
    totals = [0] * PERIODS_COMPARED
    counts = {word: [0] * PERIODS_COMPARED for word in counted_words}
    for words, period in conn.execute(_chosen(replace(filters, since=begin), event_articles.c.words, number)):
        at = min(int(period), PERIODS_COMPARED - 1)
        totals[at] += 1
        for word in counted_words.intersection(words.split()):
            counts[word][at] += 1
    return totals, counts


def _chosen(filters: Filters, *columns: ColumnElement[Any]) -> Select[Any]:
    joined = articles.join(event_articles, event_articles.c.article_id == articles.c.id)
    return select(*columns).select_from(joined).where(FINDABLE, *filters.conditions())


def _texts(conn: Connection, numbers: Iterable[int]) -> dict[int, str]:
    return {row.id: f"{row.title}\n{row.lead}" for row in rows_among(conn, _TEXTS, numbers, {"lead": LEAD_CHARACTERS})}


def _stands_in(members: Sequence[tuple[int, int]], numbers: set[int]) -> bool:
    """Whether a word stands in these articles more than elsewhere."""
    return sum(number in numbers for number, _ in members) > MOST_COVERED * len(members)


def _reasons(word: str, members: Sequence[tuple[int, int]], texts: Mapping[int, str]) -> tuple[dict[str, Any], ...]:
    """Articles of different events that have the word, of the largest first, each with its sentence."""
    sizes = Counter(event for _, event in members)
    first = _firsts(members)
    reasons = []
    for event in sorted(first, key=lambda event: (-sizes[event], event))[:ARTICLES_SHOWN]:
        title, _, lead = texts[first[event]].partition("\n")
        sentence = title if word in fold_text(title) else sentence_with(lead, {word: 1.0})
        reasons.append({"article": first[event], "event": event, "title": title, "sentence": sentence})
    return tuple(reasons)


def _firsts(members: Sequence[tuple[int, int]]) -> dict[int, int]:
    """The first article of each event."""
    first: dict[int, int] = {}
    for article, event in members:
        first.setdefault(event, article)
    return first
