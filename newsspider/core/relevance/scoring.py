"""Decides whether a document is about a topic: by a classical model, by its words, or by a blend of all evidence.

* ``blend``, the default: log odds of four parts that add up; the strongest is named. *learned*: the trained weights of
  the profile (:mod:`newsspider.core.relevance.learned_model`); *words*: its terms, weighed by the same training; *tags*:
  its terms in <meta> and headings; *rules*: its rules. Without trained weights the words weigh as in ``words``.
* ``learned``: the trained weights alone.
* ``boolean``: S = |D ∩ T| / |T|; for a long T the profile's ``saturation`` stands for |T| and S ends at 1.
* ``tags``: S = (α St + β Sh + γ Sm) / 3 over <title>, <h1>-<h6>, and <meta> keywords and description, each Sx the
  mean topic weight of that tag's m words (a word that is no term weighs 0).
* ``vector``: the cosine of the topic vector (w_i) and the page vector (x_i w_i), x_i = frequency / highest frequency.
* ``words``: S = 1 - 2^-E with the evidence E. A term of weight w alone is evidence -log2(1 - w), so S = w; several
  terms add up (a noisy-or), negative terms subtract; a repeated term counts log2(1 + its frequency) times. The evidence
  of a body is divided by (1 + length / 100)^0.75 * 1.25: a long text must say more (the length is a third of the UTF-8
  bytes, so that a Latin letter is a third of a Chinese one). Headline and body are then averaged, 2 to 3.

In the classical models a negative term of weight n in the headline multiplies the score by 1 - n. In every model a rule
that says keep or drop has the last word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import log, log2, sqrt

from newsspider.core.model import Relevance
from newsspider.core.relevance.document_fields import Facts
from newsspider.core.relevance.learned_model import Learned, Odds, Words, log_odds_of, probability
from newsspider.core.relevance.rules import Verdict
from newsspider.core.relevance.topic import Document, Model, Term, Threshold, TopicProfile
from newsspider.core.text.words import cut

__all__ = ["Document", "Model", "Relevance", "Term", "Threshold", "TopicProfile", "score"]

Scored = tuple[float, Mapping[str, float]]  # the score, and what each term gave
Parts = tuple[tuple[str, float], ...]

TEXT_READ = 6000  # characters of a body: what comes after decides nothing
BODY_POWER, BODY_UNIT = 0.75, 1.25  # fitted on full articles of two collections
BODY_SHARE = 0.6  # of the evidence, where there is a headline too
FULL_BODY = 200  # characters; a shorter body has less to say beside its headline
MOST_EVIDENCE = 3.0  # of headline or body in the average: a headline alone decides nothing against a silent body
CERTAIN = 0.99  # a weight of 1 would be infinite evidence
SURE_THRESHOLD = Threshold(article=0.5, headline=0.5)
MOST_TERMS = 20
TAG_ODDS, MOST_TAG_BITS = 0.3, 3.0  # log odds a bit of evidence in the tags: authors of pages fill them as they like
MARGIN_BITS = 4.0  # a lead of 1 between classes is as much as a term of so many bits, where terms are ordered
LEAST_MARGIN = 0.02  # a word that adds less is not named
SHORTEST_WORD = 2
WORTH_SAYING = 0.1  # a score from which the words that the weights heard are named, which costs as much as the score


def score(profile: TopicProfile, document: Document, model: str | None = None) -> Relevance:
    """Return how much ``document`` is about ``profile``, by ``model`` or else the profile's own.

    The score is in 0-1; the terms that made it come strongest first. An unknown model raises :exc:`ValueError`;
    ``learned`` without trained weights is ``words``.
    """
    chosen = Model.ANY if profile.model is Model.ANY else Model(model or profile.model)
    if chosen is Model.ANY:
        return Relevance(1.0, relevant=True, model=chosen.value)
    if chosen is Model.LEARNED and profile.learned is None:
        chosen = Model.WORDS
    least = _threshold(profile, document, chosen)
    parts: Parts = ()
    facts = _facts(document) if profile.rules or profile.subtopics else None
    ruled, weighing, verdicts = _ruled(profile, facts)
    if profile.learned is not None and chosen in (Model.BLEND, Model.LEARNED):
        value, gave, parts = _by_weights(profile, profile.learned, document, ruled, least, chosen)
    else:
        value, gave = MODELS[chosen](profile, document)
        if chosen not in (Model.BLEND, Model.WORDS):
            value *= _damping(profile, document.headline)
        elif chosen is Model.BLEND and ruled:
            evidence, _ = _of_words(profile, document)
            needed = -log2(1 - min(least, CERTAIN))
            parts = (("words", round((evidence - needed) * log(2), 3)), ("rules", round(ruled, 3)))
            value = _certainty(evidence + ruled / log(2))
    value = round(min(1.0, max(0.0, value)), 4)
    relevant = value >= least
    if verdicts:
        relevant = Verdict.DROP not in verdicts
        parts = (("rules", 1.0 if relevant else -1.0),)
    rules = (
        verdicts[Verdict.KEEP if relevant else Verdict.DROP] if verdicts else weighing if chosen is Model.BLEND else ()
    )
    terms = sorted((name for name, part in gave.items() if part > 0), key=lambda name: -gave[name])
    tagged = _tagged(profile, facts) if relevant else ()
    return Relevance(value, relevant, tuple(terms[:MOST_TERMS]), chosen.value, parts, tagged, tuple(rules))


def _threshold(profile: TopicProfile, document: Document, model: Model) -> float:
    found = profile.thresholds.get(model)
    if found is None and profile.learned is not None and model in (Model.BLEND, Model.LEARNED):
        found = Threshold(*profile.learned.thresholds)
    elif found is None and model is Model.BLEND:
        found = profile.thresholds.get(Model.WORDS)
    found = found or SURE_THRESHOLD
    return found.headline if document.is_headline_only else found.article


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


def _ruled(profile: TopicProfile, facts: Facts | None) -> tuple[float, Sequence[str], Mapping[Verdict, Sequence[str]]]:
    """The log odds that the rules give, the labels of those that weigh, and of those that do not by what they say."""
    odds = 0.0
    weighing: list[str] = []
    verdicts: dict[Verdict, list[str]] = {}
    for rule in profile.rules if facts is not None else ():
        if rule.holds(facts):  # type: ignore[arg-type] # there are facts where there are rules
            if rule.verdict is Verdict.WEIGH:
                odds -= log(1 - min(abs(rule.weight), CERTAIN)) * (1 if rule.weight > 0 else -1)
                weighing.append(rule.label)
            else:
                verdicts.setdefault(rule.verdict, []).append(rule.label)
    return odds, weighing, verdicts


def _tagged(profile: TopicProfile, facts: Facts | None) -> tuple[str, ...]:
    if facts is None:
        return ()
    return tuple(name for name, rule in profile.subtopics.items() if rule.holds(facts))


def _by_weights(
    profile: TopicProfile, learned: Learned, document: Document, ruled: float, least: float, model: Model
) -> tuple[float, Mapping[str, float], Parts]:
    headline, text = document.headline, document.text[:TEXT_READ]
    in_head = _evidence(profile, headline)
    in_body = _evidence(profile, f"{headline}\n{text}") if text else {}
    alone = model is Model.LEARNED
    odds = learned.of_headline(headline, None if alone else _words(in_head)) if headline else Odds(0.0)
    if text:
        share = BODY_SHARE * min(1.0, _length(text) / FULL_BODY) if headline else 1.0
        of_text = learned.of_article(headline, text, None if alone else _words(in_body, _body_scale(headline + text)))
        odds = _summed(_scaled(odds, 1 - share), _scaled(of_text, share))
    tagged = 0.0 if alone else _tag_odds(profile, document)
    parts = (("learned", odds.learned - log_odds_of(least)), ("words", odds.words), ("tags", tagged), ("rules", ruled))
    total = odds.learned + odds.words + (0.0 if alone else tagged + ruled)
    gave = {name: bits for name, bits in in_head.items() if bits > 0}
    for name, bits in in_body.items():
        gave[name] = gave.get(name, 0.0) + bits / 2
    found = probability(total) if headline or text else 0.0
    if found >= WORTH_SAYING:
        _add_spoken(gave, learned, headline or text.lstrip().partition("\n")[0][:FULL_BODY])
    return found, gave, tuple((name, round(part, 3)) for name, part in (parts[:1] if alone else parts))


def _add_spoken(gave: dict[str, float], learned: Learned, headline: str) -> None:
    """Name the words of the headline that the weights heard, unless a term has said it."""
    headline = " ".join(headline.split())
    for word, margin in learned.spoke(headline, cut(headline)).items():
        if len(word) >= SHORTEST_WORD and margin >= LEAST_MARGIN and not any(word in term for term in gave):
            gave[word] = margin * MARGIN_BITS


def _words(evidence: Mapping[str, float], scale: float = 1.0) -> Words:
    in_favour = [bits for bits in evidence.values() if bits > 0]
    against = sum(evidence.values()) - sum(in_favour)
    return Words(sum(in_favour) / scale, against / scale, len(in_favour))


def words_of(profile: TopicProfile, headline: str, text: str) -> Words:
    """What the words of ``profile`` say of a headline, or of a whole article; what the trained weights are trained
    beside."""
    if not text:
        return _words(_evidence(profile, headline))
    whole = f"{headline}\n{text[:TEXT_READ]}"
    return _words(_evidence(profile, whole), _body_scale(whole))


def _scaled(odds: Odds, by: float) -> Odds:
    return Odds(odds.learned * by, odds.words * by)


def _summed(one: Odds, other: Odds) -> Odds:
    return Odds(one.learned + other.learned, one.words + other.words)


def _tag_odds(profile: TopicProfile, document: Document) -> float:
    tags = "\n".join([*document.meta_keywords, document.meta_description, *document.headings])
    bits = sum(_evidence(profile, tags).values()) if tags.strip() else 0.0
    return TAG_ODDS * max(-MOST_TAG_BITS, min(MOST_TAG_BITS, bits))


def _length(text: str) -> float:
    return len(text.encode("utf-8", "replace")) / 3


def _body_scale(text: str) -> float:
    return float((1 + _length(text) / 100) ** BODY_POWER * BODY_UNIT)


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


def words(profile: TopicProfile, document: Document) -> Scored:
    evidence, gave = _of_words(profile, document)
    return _certainty(evidence), gave


def _of_words(profile: TopicProfile, document: Document) -> Scored:
    """The evidence of headline and body, in bits, and what each term gave."""
    text = document.text[:TEXT_READ]
    head, body = _evidence(profile, document.headline), _evidence(profile, text)
    length, scale = _length(text), _body_scale(text)
    in_body, in_head = sum(body.values()) / scale, sum(head.values())
    if not document.headline:
        return in_body, body
    if not text:
        return in_head, head
    share = BODY_SHARE * min(1.0, length / FULL_BODY)
    gave = {name: (1 - share) * head.get(name, 0.0) + share * body.get(name, 0.0) / scale for name in {**head, **body}}
    return (1 - share) * _bounded(in_head) + share * _bounded(in_body), gave


MODELS: dict[Model, Callable[[TopicProfile, Document], Scored]] = {
    Model.BOOLEAN: boolean,
    Model.TAGS: tags,
    Model.VECTOR: vector,
    Model.BLEND: words,
    Model.WORDS: words,
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
