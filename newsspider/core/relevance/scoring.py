"""Scores how relevant a document is to a topic, by one of several relevance models, and compares it with the threshold.

* ``blend``, the default: adds the log odds of four parts and names the strongest. *learned*: the trained weights of
  the profile (:mod:`newsspider.core.relevance.learned_model`); *words*: its terms, weighted by the same training;
  *tags*: its terms in <meta> and headings; *rules*: its rules. Without trained weights, the terms count as in
  ``words``.
* ``learned``: the trained weights alone.
* ``boolean``: S = |D ∩ T| / |T|. A long T may set ``saturation``, which replaces |T|; S is capped at 1.
* ``tags``: S = (α St + β Sh + γ Sm) / 3 over <title>, <h1>-<h6>, and <meta> keywords and description. Each Sx is the
  mean topic weight of the m words of that tag; a word that is not a term weighs 0.
* ``vector``: the cosine of the topic vector (w_i) and the page vector (x_i w_i), x_i = frequency / highest frequency.
* ``words``: S = 1 - 2^-E with the evidence E in bits. A single term of weight w gives -log2(1 - w), so S = w. Several
  terms add up (a noisy-or), negative terms subtract, and a repeated term counts log2(1 + frequency) times. The
  evidence of a body is divided by (1 + length / 100)^0.75 * 1.25, so a long text needs more evidence (length = UTF-8
  bytes / 3, so a Latin letter counts a third of a Chinese one). Headline and body are averaged 2 to 3.

In the classical models a negative term of weight n in the headline multiplies the score by 1 - n. In every model, a
keep or drop rule that matches decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import log, log2, prod, sqrt

from newsspider.core.model import Relevance
from newsspider.core.relevance.document import Document, Facts
from newsspider.core.relevance.learned_model import Learned, Odds, Words, log_odds_of, probability
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.rule_language import CERTAIN_WEIGHT, RuleVerdict, matching_rules
from newsspider.core.relevance.topic import Term, Threshold, TopicProfile
from newsspider.core.text.tokenizer import cut_words

__all__ = ["Document", "Model", "Relevance", "Term", "Threshold", "TopicProfile", "score", "threshold_of"]

Parts = tuple[tuple[str, float], ...]

TEXT_READ = 6000  # characters of a body that are scored
BODY_POWER, BODY_UNIT = 0.75, 1.25  # fitted on full articles of two collections
BODY_SHARE = 0.6  # weight of the body beside a headline
STRONG_WEIGHT = 0.75  # weight of a term that the learned weights cannot overrule in a headline
FULL_BODY = 200  # characters; trained weights read a shorter body together with its headline
MOST_EVIDENCE = 3.0  # bits of headline or body in the average: a headline cannot outvote a body without terms
SURE_THRESHOLD = Threshold(article=0.5, headline=0.5)
MOST_TERMS = 20
TAG_ODDS, MOST_TAG_BITS = 0.3, 3.0  # log odds per bit of evidence in the tags, which authors fill as they like
SHARE_BITS = 4.0  # bits of a term that a word equals, when terms are sorted, which is all that the learned weights see
LEAST_SHARE = 0.05  # of what the learned weights see in a headline: a word that adds less is not reported
SHORTEST_WORD = 2
BORDERLINE_SHARE = 0.5  # share of the threshold from which a text that does not reach it is borderline
EXPLAINED_SCORE = 0.1  # from here the learned weights' words are reported, which takes as long as scoring
Scored = tuple[float, Mapping[str, float]]  # the score, and the contribution of each term


def score(profile: TopicProfile, document: Document, model: str | None = None) -> Relevance:
    """Return how relevant ``document`` is to ``profile``, scored by ``model`` or the profile's own model.

    The score is in 0-1; the terms that contributed come strongest first. An unknown model raises :exc:`ValueError`;
    ``learned`` without trained weights falls back to ``words``.
    """
    chosen = Model.ANY if profile.model is Model.ANY else Model(model or profile.model)
    if chosen is Model.ANY:
        return Relevance(1.0, relevant=True, model=chosen.value)
    if chosen is Model.LEARNED and profile.learned is None:
        chosen = Model.WORDS
    least = threshold_of(profile, document, chosen)
    parts: Parts = ()
    facts = _facts(document)
    rule_odds, weighing_labels, verdicts = matching_rules(profile.rules, facts)
    if profile.learned is not None and chosen in (Model.BLEND, Model.LEARNED):
        value, by_term, parts = _by_weights(profile, profile.learned, document, rule_odds, least, chosen)
    else:
        value, by_term = MODELS[chosen](profile, document)
        if chosen not in (Model.BLEND, Model.WORDS):
            value *= negative_factor(profile, document.headline)
        elif chosen is Model.BLEND and rule_odds:
            evidence, _ = _of_words(profile, document)
            needed = -log2(1 - min(least, CERTAIN_WEIGHT))
            parts = (("words", round((evidence - needed) * log(2), 3)), ("rules", round(rule_odds, 3)))
            value = _certainty(evidence + rule_odds / log(2))
    value = round(min(1.0, max(0.0, value)), 4)
    relevant = value >= least
    labels = weighing_labels if chosen is Model.BLEND else ()
    if verdicts:
        relevant = RuleVerdict.DROP not in verdicts
        parts = (("rules", 1.0 if relevant else -1.0),)
        labels = verdicts[RuleVerdict.KEEP if relevant else RuleVerdict.DROP]
    terms = sorted((name for name, part in by_term.items() if part > 0), key=lambda name: -by_term[name])
    subtopics = tuple(name for name, rule in profile.subtopics.items() if rule.holds(facts)) if relevant else ()
    borderline = not (relevant or verdicts) and value >= least * BORDERLINE_SHARE
    top_terms = tuple(terms[:MOST_TERMS])
    return Relevance(value, relevant, top_terms, chosen.value, parts, subtopics, tuple(labels), borderline)


def threshold_of(profile: TopicProfile, document: Document, model: Model) -> float:
    """The score from which a document is relevant by a model."""
    threshold = profile.thresholds.get(model)
    if threshold is None and profile.learned is not None and model in (Model.BLEND, Model.LEARNED):
        threshold = Threshold(*profile.learned.thresholds)
    elif threshold is None and model is Model.BLEND:
        threshold = profile.thresholds.get(Model.WORDS)
    threshold = threshold or SURE_THRESHOLD
    return threshold.headline if document.is_headline_only else threshold.article


def _facts(document: Document) -> Facts:
    return Facts(
        title=document.headline,
        body=document.text[:TEXT_READ],
        url=document.url,
        site=document.site,
        channel=document.channel,
        media=document.media,
        authors=document.authors,
    )


def _by_weights(
    profile: TopicProfile, learned: Learned, document: Document, rule_odds: float, least: float, model: Model
) -> tuple[float, Mapping[str, float], Parts]:
    headline, text = document.headline, document.text[:TEXT_READ]
    head_bits = _evidence(profile, headline)
    body_bits = _evidence(profile, f"{headline}\n{text}") if text else {}
    grams_only = model is Model.LEARNED
    odds = Odds(0.0)
    is_short = _length(text) < FULL_BODY
    if headline or is_short:  # a short text is read together with its headline
        lead_bits = body_bits if text and is_short else head_bits
        lead = f"{headline}\n{text}" if text and is_short else headline
        odds = learned.of_headline(lead, None if grams_only else _words(lead_bits))
        if not grams_only and _is_unanimous(profile, head_bits):
            odds = odds._replace(learned=max(odds.learned, log_odds_of(least) - odds.words))
    if text and not is_short:
        share = BODY_SHARE if headline else 1.0
        text_odds = learned.of_article(
            headline, text, None if grams_only else _words(body_bits, _body_scale(headline + text))
        )
        odds = Odds(*(head * (1 - share) + body * share for head, body in zip(odds, text_odds, strict=True)))
    tag_odds = 0.0 if grams_only else _tag_odds(profile, document)
    parts = (
        ("learned", odds.learned - log_odds_of(least)),
        ("words", odds.words),
        ("tags", tag_odds),
        ("rules", rule_odds),
    )
    total = odds.learned + odds.words + (0.0 if grams_only else tag_odds + rule_odds)
    by_term = {name: bits for name, bits in head_bits.items() if bits > 0}
    for name, bits in body_bits.items():
        by_term[name] = by_term.get(name, 0.0) + bits / 2
    score = probability(total) if headline or text else 0.0
    if score >= EXPLAINED_SCORE:
        _add_learned_words(by_term, profile, learned, headline or text.lstrip().partition("\n")[0][:FULL_BODY])
    return score, by_term, tuple((name, round(part, 3)) for name, part in (parts[:1] if grams_only else parts))


def _is_unanimous(profile: TopicProfile, head_bits: Mapping[str, float]) -> bool:
    """Whether a headline has a strong term and none against the topic."""
    return any(profile.weights.get(name, 0.0) >= STRONG_WEIGHT for name in head_bits) and min(head_bits.values()) > 0


def _add_learned_words(by_term: dict[str, float], profile: TopicProfile, learned: Learned, headline: str) -> None:
    """Add the headline's words that the learned weights respond to, unless a term already covers them."""
    headline = " ".join(headline.split())
    margins = learned.word_contributions(headline, cut_words(headline, profile.words))
    whole = sum(map(abs, margins.values())) or 1.0
    for word, margin in margins.items():
        if len(word) >= SHORTEST_WORD and margin >= LEAST_SHARE * whole and not any(word in term for term in by_term):
            by_term[word] = margin / whole * SHARE_BITS


def _words(evidence: Mapping[str, float], scale: float = 1.0) -> Words:
    in_favour = [bits for bits in evidence.values() if bits > 0]
    against = sum(evidence.values()) - sum(in_favour)
    return Words(sum(in_favour) / scale, against / scale, len(in_favour))


def words_of(profile: TopicProfile, headline: str, text: str) -> Words:
    """What the terms of ``profile`` say about a headline or a whole article; input for training the weights."""
    if not text:
        return _words(_evidence(profile, headline))
    text_read = f"{headline}\n{text[:TEXT_READ]}"
    return _words(_evidence(profile, text_read), _body_scale(text_read))


def _tag_odds(profile: TopicProfile, document: Document) -> float:
    tags = "\n".join([*document.meta_keywords, document.meta_description, *document.headings])
    bits = sum(_evidence(profile, tags).values()) if tags.strip() else 0.0
    return TAG_ODDS * max(-MOST_TAG_BITS, min(MOST_TAG_BITS, bits))


def _length(text: str) -> float:
    return len(text.encode("utf-8", "replace")) / 3


def _body_scale(text: str) -> float:
    return float((1 + _length(text) / 100) ** BODY_POWER * BODY_UNIT)


def words(profile: TopicProfile, document: Document) -> Scored:
    evidence, by_term = _of_words(profile, document)
    return _certainty(evidence), by_term


def _of_words(profile: TopicProfile, document: Document) -> Scored:
    """The evidence of headline and body in bits, and the contribution of each term."""
    text = document.text[:TEXT_READ]
    head, body = _evidence(profile, document.headline), _evidence(profile, text)
    length, scale = _length(text), _body_scale(text)
    body_bits, head_bits = sum(body.values()) / scale, sum(head.values())
    if not document.headline:
        return body_bits, body
    if not text:
        return head_bits, head
    share = BODY_SHARE * min(1.0, length / FULL_BODY)
    by_term = {
        name: (1 - share) * head.get(name, 0.0) + share * body.get(name, 0.0) / scale for name in {**head, **body}
    }
    return (1 - share) * _bounded(head_bits) + share * _bounded(body_bits), by_term


def _certainty(evidence: float) -> float:
    return 1 - 2**-evidence if evidence > 0 else 0.0


def _bounded(evidence: float) -> float:
    return max(-MOST_EVIDENCE, min(MOST_EVIDENCE, evidence))


def _evidence(profile: TopicProfile, text: str) -> dict[str, float]:
    """The evidence of each term in bits: above 0 for the topic, below 0 for a negative term."""
    weights, negative = profile.weights, profile.negative
    evidence = {}
    for name, times in Counter(name for name, _, _ in profile.lexicon.find(text)).items():
        weight, sign = (weights[name], 1) if name in weights else (negative[name], -1)
        evidence[name] = -sign * log2(1 - min(weight, CERTAIN_WEIGHT)) * log2(1 + times)
    return evidence


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
    return sum(word[0].isalnum() for word in cut_words(text, profile.words))


def _all_text(document: Document) -> str:
    return "\n".join(
        [document.headline, *document.headings, *document.meta_keywords, document.meta_description, document.text]
    )


MODELS: dict[Model, Callable[[TopicProfile, Document], Scored]] = {
    Model.BOOLEAN: boolean,
    Model.TAGS: tags,
    Model.VECTOR: vector,
    Model.BLEND: words,
    Model.WORDS: words,
}
