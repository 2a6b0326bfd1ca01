"""The model of a topic: weighted terms, negative terms, thresholds, rules and trained weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from newsspider.core.relevance.learned_model import Curve, Learned
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.rule_language import TopicRule
from newsspider.core.relevance.term_lexicon import Lexicon
from newsspider.core.text.tokenizer import JoinedTerms


@dataclass(frozen=True, slots=True)
class Term:
    """One concept of a topic: every spelling counts as the same term."""

    name: str
    weight: float  # (0, 1]
    category: str = ""
    synonyms: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.name, *self.synonyms)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The score from which a document is relevant: one for a whole article, one where only a headline is known."""

    article: float
    headline: float


@dataclass(frozen=True, slots=True)
class Target:
    """What a threshold shall reach on texts like those of the training: at least this precision, or this recall."""

    figure: str  # "precision" or "recall"
    least: float

    def threshold_on(self, curve: Curve) -> float | None:
        """The threshold that reaches the target and gives away least of the other figure; None if none reaches it.

        >>> curve = ((0.5, 1.0), (0.8, 0.9), (0.95, 0.6))
        >>> Target("precision", 0.8).threshold_on(curve), Target("recall", 0.9).threshold_on(curve)
        (0.02, 0.02)
        """
        at = ("precision", "recall").index(self.figure)
        places = [percent for percent, point in enumerate(curve, 1) if point[at] >= self.least]
        if not places:
            return None
        return (min(places) if self.figure == "precision" else max(places)) / 100


@dataclass(frozen=True, slots=True)
class TopicProfile:
    """A topic, ready to score. ``lexicon`` (the terms, negative terms and decoys) and ``words`` are built once."""

    name: str
    terms: tuple[Term, ...] = ()
    negative: Mapping[str, float] = field(default_factory=dict)  # term -> how much it speaks against the topic, (0, 1)
    decoys: tuple[str, ...] = ()  # words in which a term only seems to stand
    thresholds: Mapping[Model, Threshold] = field(default_factory=dict)
    model: Model = Model.BLEND
    title: str = ""  # for people
    saturation: int = 0  # boolean model: this many terms are enough for a score of 1; 0: all of them
    tag_factors: tuple[float, float, float] = (1.0, 1.0, 1.0)  # tags model: title, headings, meta
    learned: Learned | None = field(default=None, repr=False)  # trained weights
    rules: tuple[TopicRule, ...] = ()
    subtopics: Mapping[str, TopicRule] = field(default_factory=dict)  # the rule that tags an article, by subtopic
    target: Target | None = None  # of the thresholds, found on the curves of the trained weights
    link_threshold: float = 0.0  # a link whose anchor text scores less is not followed; 0: all are
    keeps_borderline: bool = False  # articles just below the threshold are held until somebody decides
    weights: Mapping[str, float] = field(init=False, repr=False, compare=False)
    lexicon: Lexicon = field(init=False, repr=False, compare=False)
    words: JoinedTerms = field(init=False, repr=False, compare=False)  # its terms, which no segmentation for it splits

    def __post_init__(self) -> None:
        spellings = [(spelling, term.name) for term in self.terms for spelling in term.spellings]
        spellings += [(word, word) for word in self.negative]
        object.__setattr__(self, "weights", {term.name: term.weight for term in self.terms})
        object.__setattr__(self, "lexicon", Lexicon(spellings, self.decoys))
        object.__setattr__(self, "words", JoinedTerms.of(self.spellings()))

    def spellings(self) -> tuple[str, ...]:
        """Every spelling of every term."""
        return tuple(spelling for term in self.terms for spelling in term.spellings)
