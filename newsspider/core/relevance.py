"""Decides whether a document is about a topic, by one of three classical models or by a blend of headline and body.

* ``boolean``: S = |D ∩ T| / |T|; for a long T the profile's ``saturation`` stands for |T| and S ends at 1.
* ``tags``: S = (α St + β Sh + γ Sm) / 3 over <title>, <h1>-<h6>, and <meta> keywords and description, each Sx the
  mean topic weight of that tag's m words (a word that is no term weighs 0).
* ``vector``: the cosine of the topic vector (w_i) and the page vector (x_i w_i), x_i = frequency / highest frequency.
* ``blend``: S = 1 - 2^-E with the evidence E. A term of weight w alone is evidence -log2(1 - w), so S = w; several
  terms add up (a noisy-or), negative terms subtract; a repeated term counts log2(1 + its frequency) times. The evidence
  of a body is divided by (1 + length / 100)^0.75 * 1.25: a long text must say more (the length is a third of the UTF-8
  bytes, so that a Latin letter is a third of a Chinese one). Headline and body are then averaged, 2 to 3.

In the classical models a negative term of weight n in the headline multiplies the score by 1 - n.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import log2, sqrt

from newsspider.core.model import Relevance
from newsspider.core.topic import Document, Model, Term, Threshold, TopicProfile
from newsspider.core.words import cut

__all__ = ["Document", "Model", "Relevance", "Term", "Threshold", "TopicProfile", "score"]

Scored = tuple[float, Mapping[str, float]]  # the score, and what each term gave

TEXT_READ = 6000  # characters of a body: what comes after decides nothing
BODY_POWER, BODY_UNIT = 0.75, 1.25  # fitted on full articles of two collections
BODY_SHARE = 0.6  # of the evidence, where there is a headline too
FULL_BODY = 200  # characters; a shorter body has less to say beside its headline
MOST_EVIDENCE = 3.0  # of headline or body in the average: a headline alone decides nothing against a silent body
CERTAIN = 0.99  # a weight of 1 would be infinite evidence
SURE_THRESHOLD = Threshold(article=0.5, headline=0.5)
MOST_TERMS = 20


def score(profile: TopicProfile, document: Document, model: str | None = None) -> Relevance:
    """Return how much ``document`` is about ``profile``, by ``model`` or else the profile's own.

    The score is in 0-1; the terms that made it come strongest first. An unknown model raises :exc:`ValueError`.
    """
    chosen = Model.ANY if profile.model is Model.ANY else Model(model or profile.model)
    if chosen is Model.ANY:
        return Relevance(1.0, relevant=True, model=chosen.value)
    value, gave = MODELS[chosen](profile, document)
    if chosen is not Model.BLEND:
        value *= _damping(profile, document.headline)
    value = round(min(1.0, max(0.0, value)), 4)
    threshold = profile.thresholds.get(chosen, SURE_THRESHOLD)
    least = threshold.headline if document.is_headline_only else threshold.article
    terms = sorted((name for name, part in gave.items() if part > 0), key=lambda name: -gave[name])
    return Relevance(value, value >= least, tuple(terms[:MOST_TERMS]), chosen.value)


def boolean(profile: TopicProfile, document: Document) -> Scored:
    found = _frequencies(profile, _whole(document))
    enough = min(len(profile.terms), profile.saturation or len(profile.terms))
    return (min(1.0, len(found) / enough) if enough else 0.0), {name: profile.weights[name] for name in found}


def tags(profile: TopicProfile, document: Document) -> Scored:
    pages = (
        document.meta_title or document.headline,
        "\n".join(document.headings),
        "\n".join([*document.meta_keywords, document.meta_description]),
    )
    total = 0.0
    gave: Counter[str] = Counter()
    for factor, text in zip(profile.tag_factors, pages, strict=True):
        found, words = _tag_words(profile, text)
        for name, times in found.items():
            part = factor * times * profile.weights[name] / words / len(pages)
            gave[name] += part  # type: ignore[assignment]
            total += part
    return total, gave


def vector(profile: TopicProfile, document: Document) -> Scored:
    found = _frequencies(profile, _whole(document))
    if not found:
        return 0.0, {}
    most = max(found.values())
    page = {name: times / most * profile.weights[name] for name, times in found.items()}
    topic_length = sqrt(sum(weight * weight for weight in profile.weights.values()))
    page_length = sqrt(sum(part * part for part in page.values()))
    gave = {name: part * profile.weights[name] / (topic_length * page_length) for name, part in page.items()}
    return sum(gave.values()), gave


def blend(profile: TopicProfile, document: Document) -> Scored:
    text = document.text[:TEXT_READ]
    head, body = _evidence(profile, document.headline), _evidence(profile, text)
    length = len(text.encode("utf-8", "replace")) / 3
    scale = (1 + length / 100) ** BODY_POWER * BODY_UNIT
    in_body, in_head = sum(body.values()) / scale, sum(head.values())
    if not document.headline:
        return _certainty(in_body), body
    if not text:
        return _certainty(in_head), head
    share = BODY_SHARE * min(1.0, length / FULL_BODY)
    gave = {name: (1 - share) * head.get(name, 0.0) + share * body.get(name, 0.0) / scale for name in {**head, **body}}
    return _certainty((1 - share) * _bounded(in_head) + share * _bounded(in_body)), gave


MODELS: dict[Model, Callable[[TopicProfile, Document], Scored]] = {
    Model.BOOLEAN: boolean,
    Model.TAGS: tags,
    Model.VECTOR: vector,
    Model.BLEND: blend,
}


def _certainty(evidence: float) -> float:
    return 1 - 2**-evidence if evidence > 0 else 0.0


def _bounded(evidence: float) -> float:
    return max(-MOST_EVIDENCE, min(MOST_EVIDENCE, evidence))


def _evidence(profile: TopicProfile, text: str) -> dict[str, float]:
    """What each term says for the topic, and each negative term (below 0) against it."""
    weights, negative = profile.weights, profile.negative
    evidence = {}
    for name, times in Counter(name for name, _, _ in profile.lexicon.find(text)).items():
        weight, sign = (weights[name], 1) if name in weights else (negative[name], -1)
        evidence[name] = -sign * log2(1 - min(weight, CERTAIN)) * log2(1 + times)
    return evidence


def _frequencies(profile: TopicProfile, text: str) -> Counter[str]:
    return Counter(name for name, _, _ in profile.lexicon.find(text) if name in profile.weights)


def _tag_words(profile: TopicProfile, text: str) -> tuple[Counter[str], int]:
    """The terms of a tag's text, and how many words it has, a term being one word."""
    found: Counter[str] = Counter()
    words = gap = 0
    for name, start, end in profile.lexicon.find(text):
        if name in profile.weights:
            words += _word_count(text[gap:start]) + 1
            found[name] += 1
            gap = end
    return found, words + _word_count(text[gap:])


def _word_count(text: str) -> int:
    return sum(word[0].isalnum() for word in cut(text))


def _damping(profile: TopicProfile, headline: str) -> float:
    kept = 1.0
    for name in {name for name, _, _ in profile.lexicon.find(headline)}:
        kept *= 1 - profile.negative.get(name, 0.0)
    return kept


def _whole(document: Document) -> str:
    return "\n".join(
        [document.headline, *document.headings, *document.meta_keywords, document.meta_description, document.text]
    )
