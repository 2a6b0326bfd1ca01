"""Says why articles are one event: the sentence of each that has most of the event's words, the title that stands for
all, the names that many have."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from newsspider.core.analysis.terms import is_place, words

SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?]?")
MOST_READ = 5_000  # characters of a text
SHORT_TITLE = 8  # characters: one that is shorter says too little
NAMED_BY = 1 / 3  # of the articles, and at least by two of them, where there are more
MOST_NAMES = 12


def sentence_with(text: str, weights: Mapping[str, float]) -> str:
    """The sentence of a text that has the words of most weight, the first of equals; empty if none has any.

    >>> sentence_with("记者昨日到场。杭州一学校起火。原因不明。", {"杭州": 2.0, "起火": 1.0})
    '杭州一学校起火。'
    """
    sentences = [sentence.strip() for sentence in SENTENCE.findall(text[:MOST_READ])]
    weighed = [(_weight(sentence, weights), -number) for number, sentence in enumerate(sentences)]
    best = max(weighed, default=(0.0, 0))
    return sentences[-best[1]] if best[0] > 0 else ""


def shared_words(article_words: Iterable[str], weights: Mapping[str, float], count: int = 5) -> tuple[str, ...]:
    """The words of an article that weigh most in its event."""
    shared = [word for word in article_words if word in weights]
    return tuple(sorted(shared, key=lambda word: -weights[word])[:count])


def best_title(titles: Iterable[str], weights: Mapping[str, float]) -> str:
    """The title that says most of an event in few words, the first of equals; empty if there are no titles."""
    several = list(titles)
    weighed = [
        (_weight(title, weights) / math.sqrt(max(len(title), SHORT_TITLE)), -number)
        for number, title in enumerate(several)
    ]
    return several[-max(weighed)[1]] if several else ""


def places_and_names(names: Mapping[str, int], articles: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The places that many of the articles name, and the other names, the commonest first; none that is part of
    another."""
    least = max(min(articles, 2), NAMED_BY * articles)
    common = [name for name, times in names.items() if times >= least][: 2 * MOST_NAMES]
    places = [name for name in common if is_place(name)]
    whole = [name for name in common if not any(name in other and name != other for other in common)]
    others = [name for name in whole if name not in places]
    return tuple(places[:MOST_NAMES]), tuple(others[:MOST_NAMES])


def _weight(text: str, weights: Mapping[str, float]) -> float:
    return sum(weights.get(word, 0.0) for word in {word for word, _ in words(text)})
