"""Scorers of anchors that guide the peers of the focused crawler: naive Bayes and a support vector machine, learned from headlines.

Source: Pant and Srinivasan, "Learning to crawl: comparing classification schemes" (2005), who guide best-first crawlers by both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING

from bench.phrases import Phrases

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

Judge = Callable[[str], float]


def naive_bayes(phrases: Phrases) -> Judge:
    """The posterior of a multinomial model on character 1- and 2-grams."""
    from sklearn.naive_bayes import MultinomialNB

    grams, texts, labels = _learned_from(phrases)
    model = MultinomialNB().fit(grams.transform(texts), labels)
    return lru_cache(None)(lambda text: float(model.predict_proba(grams.transform([text]))[0, 1]))


def support_vectors(phrases: Phrases) -> Judge:
    """The margin of a linear machine on the same, drawn together to 0-1."""
    from sklearn.svm import LinearSVC

    grams, texts, labels = _learned_from(phrases)
    model = LinearSVC(class_weight="balanced", random_state=0).fit(grams.transform(texts), labels)
    return lru_cache(None)(lambda text: 1 / (1 + exp(-2 * float(model.decision_function(grams.transform([text]))[0]))))


def _learned_from(phrases: Phrases) -> tuple[CountVectorizer, Sequence[str], Sequence[bool]]:
    from sklearn.feature_extraction.text import CountVectorizer

    texts = [*phrases.on, *phrases.off]
    labels = [True] * len(phrases.on) + [False] * len(phrases.off)
    return CountVectorizer(analyzer="char", ngram_range=(1, 2), min_df=2).fit(texts), texts, labels
