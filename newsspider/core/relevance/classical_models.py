"""The classical relevance models boolean, tags and vector (formulas: :mod:`newsspider.core.relevance.scoring`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import prod, sqrt

from newsspider.core.relevance.document import Document
from newsspider.core.relevance.topic import TopicProfile
from newsspider.core.text.word_segmentation import cut

Scored = tuple[float, Mapping[str, float]]  # the score, and the contribution of each term


def boolean(profile: TopicProfile, document: Document) -> Scored:
    frequencies = _frequencies(profile, _all_text(document))
    enough = min(len(profile.terms), profile.saturation or len(profile.terms))
    return (min(1.0, len(frequencies) / enough) if enough else 0.0), {
        name: profile.weights[name] for name in frequencies
    }


def tags(profile: TopicProfile, document: Document) -> Scored:
    pages = (
        document.meta_title or document.headline,
        "\n".join(document.headings),
        "\n".join([*document.meta_keywords, document.meta_description]),
    )
    total = 0.0
    by_term: Counter[str] = Counter()
    for factor, text in zip(profile.tag_factors, pages, strict=True):
        frequencies, words = _tag_words(profile, text)
        for name, times in frequencies.items():
            part = factor * times * profile.weights[name] / words / len(pages)
            by_term[name] += part  # type: ignore[assignment]
            total += part
    return total, by_term


def vector(profile: TopicProfile, document: Document) -> Scored:
    frequencies = _frequencies(profile, _all_text(document))
    if not frequencies:
        return 0.0, {}
    highest = max(frequencies.values())
    page_vector = {name: times / highest * profile.weights[name] for name, times in frequencies.items()}
    topic_length = sqrt(sum(weight * weight for weight in profile.weights.values()))
    page_length = sqrt(sum(part * part for part in page_vector.values()))
    by_term = {name: part * profile.weights[name] / (topic_length * page_length) for name, part in page_vector.items()}
    return sum(by_term.values()), by_term


def negative_factor(profile: TopicProfile, headline: str) -> float:
    """The factor of the negative terms in a headline: the product of 1 - weight."""
    names = {name for name, _, _ in profile.lexicon.find(headline)}
    return prod(1 - profile.negative.get(name, 0.0) for name in names)


def _frequencies(profile: TopicProfile, text: str) -> Counter[str]:
    return Counter(name for name, _, _ in profile.lexicon.find(text) if name in profile.weights)


def _tag_words(profile: TopicProfile, text: str) -> tuple[Counter[str], int]:
    """How often each term occurs in a tag's text, and the number of words, a term being one word."""
    frequencies: Counter[str] = Counter()
    words = gap = 0
    for name, start, end in profile.lexicon.find(text):
        if name in profile.weights:
            words += _word_count(profile, text[gap:start]) + 1
            frequencies[name] += 1
            gap = end
    return frequencies, words + _word_count(profile, text[gap:])


def _word_count(profile: TopicProfile, text: str) -> int:
    return sum(word[0].isalnum() for word in cut(text, profile.words))


def _all_text(document: Document) -> str:
    return "\n".join(
        [document.headline, *document.headings, *document.meta_keywords, document.meta_description, document.text]
    )
