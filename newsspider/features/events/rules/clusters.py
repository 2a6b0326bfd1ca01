"""Event detection by clustering: assigns each article, as it comes in, to the event that it reports. The title of an
event is chosen by ``explanations.py``.

Single-pass clustering of word vectors with an inverted index of the recent events, after "On-line New Event Detection
and Tracking" (Allan, Papka and Lavrenko, 1998).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from newsspider.features.events.rules.terms import PROVINCES, ArticleTerms

DAY = 86_400
WINDOW_SECONDS = 5 * DAY  # from its last article to the end of an event
EVENT_THRESHOLD, SHORT_THRESHOLD = 0.42, 0.60  # of the similarity from which an article belongs to an event of several
PAIR_THRESHOLD, SHORT_PAIR_THRESHOLD = 0.55, 1.00  # ... of one article: two alone are no evidence of each other
ENOUGH_WORDS = 16  # of an article or event to be judged by them; the thresholds of shorter ones rise evenly
LEAST_SHARED = 3  # words besides places: two headlines with fewer in common may be of anything there
DAILY_DECAY = 0.03  # of the similarity, for each day since the last article
# By these the similarity is multiplied.
LEAST_NAMES, OTHER_NAMES = 0.1, 0.6  # both have names, and share less: another event of the same kind
LEAST_MATTER, OTHER_MATTER = 0.1, 0.7  # they share less than this of all other words: another matter of the same place
OTHER_PLACES, SAME_PLACES = 0.4, 1.1  # both titles name cities or provinces, and none or one in common
OTHER_FIGURES = 0.5  # their titles have other days, parts, decimals or counts: another report of a series
LEAST_NUMBERS, OTHER_NUMBERS = 2, 0.6  # both tell this many numbers, and share almost none
SAME_NUMBERS = 1.2
FEW_SHARED, MANY_SHARED = 0.2, 0.5  # of the numbers
RARE_EVENTS = 2  # events, or one in a hundred: a word that no more have tells what happened
LEAST_RARE, SAME_FORM = 0.05, 0.6  # they share less of such words, and no numbers: a form alone is no evidence
MUCH_RARE, SAME_RARE = 0.5, 1.1  # an event of several shares this much of them
MOST_GAINED = SAME_PLACES * SAME_NUMBERS * SAME_RARE
MOST_WEIGHTS = 40  # words of an event, and figures and places of its titles
COMMON_WORD_ARTICLES = 400  # events: a word that more have finds none
PRIOR_EVENTS = 200  # as if this many had been there before
NO_COUNTS = frozenset("年月日期届点周")
HAN = re.compile(r"[\u3400-\u9fff]")
RECOUNTED_SHARE = 0.05  # two counts of the same thing differ by at most this share
NUMBER_PATTERN = re.compile(r"[\d一二三四五六七八九十]+")
WEIGHT_DECIMALS = 4  # of a weight


@dataclass(frozen=True, slots=True)
class ClusterArticle:
    """An article: its id, when it was published and seen, its terms, the event of the article that it reprints, and
    the group that people put it in."""

    id: int
    moment: int
    seen: int
    terms: ArticleTerms
    reprint_of: int | None = None
    group: int | None = None


@dataclass(slots=True)
class EventCluster:
    """One event: the number of the article that began it, the times of its articles, and the sum of their vectors. One
    with articles of a group has all of them, and none of another group."""

    id: int
    first: int
    last: int
    seen: int
    size: int = 0
    weights: dict[str, float] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)  # in how many articles
    figures: set[str] = field(default_factory=set)  # of the titles
    places: set[str] = field(default_factory=set)  # of the titles
    numbers: set[str] = field(default_factory=set)  # that its articles tell
    group: int | None = None

    @property
    def norm(self) -> float:
        """The length of its vector; 1 for an empty one."""
        return _norm(self.weights) or 1.0


@dataclass(slots=True)
class _Shared:
    """What an article shares with an event: the sum of the products of the weights, its parts in names and in rare
    words, and the number of words besides places."""

    weight: float = 0.0
    names: float = 0.0
    rare: float = 0.0
    words: int = 0


class PlacedArticle(NamedTuple):
    """The event that an article was assigned to, the similarity (1 for a reprint or a decision of people, 0 if it
    began the event), and the events that were merged into that one because of it."""

    event: EventCluster
    similarity: float
    merged: tuple[int, ...] = ()


class Events:
    """The recent events. The assignment depends only on the articles and their order."""

    def __init__(self, events: Iterable[EventCluster] = ()) -> None:
        self._events: dict[int, EventCluster] = {}
        self._norms: dict[int, float] = {}
        self._index: dict[str, set[int]] = {}
        self._clock = 0
        for event in events:
            self._clock = max(self._clock, event.seen)
            self._enter(event)

    def place(self, article: ClusterArticle) -> PlacedArticle:
        """Add an article to its event, which is a new one if it belongs to none."""
        self._clock = max(self._clock, article.seen)
        for event in [event for event in self._events.values() if self._clock - event.seen > WINDOW_SECONDS]:
            if event.group is None:
                self._leave(event)
        vector = self._vector(article.terms.weights)
        scores = [] if article.group is not None else self._scores(vector, article)
        known = self._events.get(article.reprint_of or 0) if article.group is None else self._of_group(article.group)
        similarity = 1.0 if known is not None else scores[0][0] if scores else 0.0
        event = known or (
            self._events[scores[0][1]]
            if scores
            else EventCluster(article.id, article.moment, article.moment, self._clock, group=article.group)
        )
        merged = self._merge(event, [self._events[number] for _, number in scores if number != event.id])
        self._leave(event)
        _add(event, article, vector, self._clock)
        self._enter(event)
        return PlacedArticle(event, round(min(similarity, 1.0), WEIGHT_DECIMALS), merged)

    def remove(self, number: int) -> None:
        """Forget an event, whose articles are to be placed again."""
        if event := self._events.get(number):
            self._leave(event)

    def _of_group(self, group: int) -> EventCluster | None:
        return next((event for event in self._events.values() if event.group == group), None)

    def _vector(self, weights: Mapping[str, float]) -> dict[str, float]:
        """The weights as a vector of length 1, in which words of many events weigh less."""
        count = len(self._events) + PRIOR_EVENTS
        scaled = {
            word: weight * math.log(count / (len(self._index.get(word, ())) + 2)) for word, weight in weights.items()
        }
        norm = _norm(scaled) or 1.0
        return {word: weight / norm for word, weight in scaled.items()}

    def _scores(self, vector: Mapping[str, float], article: ClusterArticle) -> list[tuple[float, int]]:
        """The events that the article may belong to, the most similar first."""
        scores = []
        for number, shared in self._shared(vector, article.terms).items():
            event, norm = self._events[number], self._norms[number]
            least = _threshold(min(len(vector), len(event.weights)), event.size)
            if shared.words < LEAST_SHARED or shared.weight < least * norm / MOST_GAINED:
                continue
            gap = max(event.first - article.moment, article.moment - event.last, 0)
            score = shared.weight / norm * (1 - DAILY_DECAY * gap / DAY) * _evidence(article.terms, event, shared, norm)
            if gap <= WINDOW_SECONDS and score >= least:
                scores.append((score, number))
        return sorted(scores, key=lambda score: (-score[0], score[1]))

    def _shared(self, vector: Mapping[str, float], terms: ArticleTerms) -> dict[int, _Shared]:
        """What an article shares with each event, by the number of the event."""
        shared: dict[int, _Shared] = {}
        few = max(RARE_EVENTS, len(self._events) // 100)
        for word, weight in vector.items():
            postings = self._index.get(word, ())
            if len(postings) > COMMON_WORD_ARTICLES:
                continue
            is_name, is_word, is_rare = word in terms.names, word not in terms.places, len(postings) <= few
            for number in postings:
                product = weight * self._events[number].weights[word]
                sums = shared.setdefault(number, _Shared())
                sums.weight += product
                sums.words += is_word
                if is_name:
                    sums.names += product
                if is_rare:
                    sums.rare += product
        return shared

    def _merge(self, event: EventCluster, others: Iterable[EventCluster]) -> tuple[int, ...]:
        """Merge into the event those of the others that are similar enough, no series and of no other group; returns
        their numbers."""
        merged = []
        for other in others:
            apart = are_apart(event.places, other.places) or are_of_a_series(event.figures, other.figures)
            apart = apart or None not in {event.group, other.group}
            least = _threshold(min(len(event.weights), len(other.weights)), min(event.size, other.size))
            if not apart and cosine(event.weights, other.weights) >= least:
                self._leave(event)
                self._leave(other)
                _join(event, other)
                self._enter(event)
                merged.append(other.id)
        return tuple(merged)

    def _enter(self, event: EventCluster) -> None:
        self._events[event.id] = event
        self._norms[event.id] = event.norm
        for word in event.weights:
            self._index.setdefault(word, set()).add(event.id)

    def _leave(self, event: EventCluster) -> None:
        if self._events.pop(event.id, None) is None:
            return
        del self._norms[event.id]
        for word in event.weights:
            self._index[word].discard(event.id)
            if not self._index[word]:
                del self._index[word]


def cosine(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """The cosine of two vectors, 0 if one of them is empty.

    >>> cosine({"火灾": 3.0, "杭州": 4.0}, {"火灾": 1.0})
    0.6
    """
    norms = _norm(first) * _norm(second)
    return sum(weight * second[word] for word, weight in first.items() if word in second) / norms if norms else 0.0


def _norm(vector: Mapping[str, float]) -> float:
    """The length of a vector."""
    return math.sqrt(sum(weight * weight for weight in vector.values()))


def are_apart(first: Set[str], second: Set[str]) -> bool:
    """Whether the places are different cities, or different provinces.

    >>> are_apart({"杭州"}, {"兰州"}), are_apart({"浙江", "杭州"}, {"浙江"}), are_apart({"浙江"}, {"兰州"})
    (True, False, False)
    """
    pairs = (first & PROVINCES, second & PROVINCES), (first - PROVINCES, second - PROVINCES)
    return not first & second and any(first_places and second_places for first_places, second_places in pairs)


def are_of_a_series(first: Set[str], second: Set[str]) -> bool:
    """Whether figures of one kind differ: other days, other parts, other decimals, counts that are no recount.

    >>> are_of_a_series({"2026年", "(3)"}, {"2026年", "(7)"}), are_of_a_series({"3日"}, {"5日", "3日", "1.5"})
    (True, False)
    >>> are_of_a_series({"41项"}, {"62项"}), are_of_a_series({"898所"}, {"900所"})
    (True, False)
    """
    kinds = [_by_kind(figures) for figures in (first, second)] if first and second else [{}, {}]
    return any(_differ(kinds[0][kind], kinds[1][kind], kind) for kind in kinds[0].keys() & kinds[1].keys())


def _differ(first: Set[str], second: Set[str], kind: str) -> bool:
    """Whether two sets of figures of one kind have none in common, counts of the same within a twentieth."""
    if first & second:
        return False
    if kind in NO_COUNTS or not HAN.fullmatch(kind):
        return True
    counts = [[int(figure[:-1]) for figure in figures] for figures in (first, second)]
    return all(abs(one - other) > RECOUNTED_SHARE * max(one, other) for one in counts[0] for other in counts[1])


def shared_numbers(first: Set[str], second: Set[str]) -> float:
    """The share of the numbers of the one that tells fewer which the other tells too, 0 where there are none.

    >>> shared_numbers({"378", "12"}, {"378", "40", "66"}), shared_numbers(set(), {"378"})
    (0.5, 0.0)
    """
    return len(first & second) / (min(len(first), len(second)) or 1)


def _by_kind(figures: Iterable[str]) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for figure in figures:
        kinds.setdefault(NUMBER_PATTERN.sub("", figure), set()).add(figure)
    return kinds


def _evidence(terms: ArticleTerms, event: EventCluster, shared: _Shared, norm: float) -> float:
    """By how much names, places, figures and numbers speak for the event, above 1, or against it; ``norm`` is that of
    the event."""
    factor = 1.0
    if shared.weight - shared.names < LEAST_MATTER * norm:
        factor *= OTHER_MATTER
    if terms.names and event.names and shared.names < LEAST_NAMES * norm:
        factor *= OTHER_NAMES
    if are_of_a_series(terms.figures, event.figures):
        factor *= OTHER_FIGURES
    numbers = shared_numbers(terms.numbers, event.numbers)
    if numbers >= MANY_SHARED:
        factor *= SAME_NUMBERS
    elif numbers < FEW_SHARED and min(len(terms.numbers), len(event.numbers)) >= LEAST_NUMBERS:
        factor *= OTHER_NUMBERS
    if shared.rare < LEAST_RARE * norm and numbers < FEW_SHARED:
        factor *= SAME_FORM
    elif event.size > 1 and shared.rare >= MUCH_RARE * norm:
        factor *= SAME_RARE
    if terms.places & event.places:
        factor *= SAME_PLACES
    elif are_apart(terms.places, event.places):
        factor *= OTHER_PLACES
    return factor


def _threshold(words: int, size: int) -> float:
    """The least similarity of an article to an event of ``size`` articles, if the shorter of the two has ``words``
    words."""
    enough, short = (EVENT_THRESHOLD, SHORT_THRESHOLD) if size > 1 else (PAIR_THRESHOLD, SHORT_PAIR_THRESHOLD)
    return enough + (short - enough) * max(1 - words / ENOUGH_WORDS, 0)


def _add(event: EventCluster, article: ClusterArticle, vector: Mapping[str, float], clock: int) -> None:
    event.size += 1
    event.first, event.last = min(event.first, article.moment), max(event.last, article.moment)
    event.seen = clock
    _sum(event.weights, vector)
    for name in sorted(article.terms.names):
        event.names[name] = event.names.get(name, 0) + 1
    event.figures |= article.terms.figures
    event.places |= article.terms.places
    event.numbers |= article.terms.numbers
    _shorten(event)


def _join(event: EventCluster, other: EventCluster) -> None:
    event.size += other.size
    event.group = other.group if event.group is None else event.group
    event.first, event.last = min(event.first, other.first), max(event.last, other.last)
    event.seen = max(event.seen, other.seen)
    _sum(event.weights, other.weights)
    event.figures |= other.figures
    event.places |= other.places
    event.numbers |= other.numbers
    for name, times in other.names.items():
        event.names[name] = event.names.get(name, 0) + times
    _shorten(event)


def _sum(weights: dict[str, float], vector: Mapping[str, float]) -> None:
    for word, weight in vector.items():
        weights[word] = round(weights.get(word, 0.0) + weight, WEIGHT_DECIMALS)


def _shorten(event: EventCluster) -> None:
    """Keep the heaviest words and the commonest names, in this order: what is stored is the same as what is held."""
    heaviest = sorted(event.weights.items(), key=lambda item: (-item[1], item[0]))[:MOST_WEIGHTS]
    event.weights = dict(heaviest)
    event.figures = set(sorted(event.figures)[:MOST_WEIGHTS])
    event.places = set(sorted(event.places)[:MOST_WEIGHTS])
    event.numbers = set(sorted(event.numbers)[:MOST_WEIGHTS])
    event.names = dict(sorted(event.names.items(), key=lambda item: (-item[1], item[0]))[:MOST_WEIGHTS])
