"""The probability that a link leads to an on-topic article, or to a list of them, from its text, its source page and
what was found at its target.

It is a logistic regression over few features (:func:`facts_of`), trained online: every page that is read corrects the
weights by one AdaGrad step. The features of a link are

* its *words*: the band of the topic score of its anchor text, of the longest text if several are known. Uninformative
  anchors are a band of their own, and so are scores so low that even a truncated headline is evidence against its
  article;
* its *list*: how much of the source page is on topic, from the pages read and from the texts of its neighbouring
  links (:func:`share_of_list`), so that a list can be judged before any of its articles is read;
* its *places*: what was read under its path, under a first folder of that name on any host, and on its host by origin
  and page region (links beside a text lead elsewhere than links in it); for a list also the articles in its folder;
* its *kin* (origin): whether an on-topic article, another page, a list or a seed that is a list links to it, in which
  region of that page, and whether it leads to the folder of the article that links to it: sites keep a topic
  together.

Everything learned is a pair of numbers that add up in any order, so several workers learn together.

Sources: Chakrabarti, van den Berg and Dom, "Focused crawling" (1999), for judging a place by its yield; Aggarwal,
Al-Garawi and Yu, "Intelligent crawling on the World Wide Web with arbitrary predicates" (2001), for the features and
online learning; Duchi, Hazan and Singer, "Adaptive subgradient methods" (2011), for the steps.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt

from newsspider.core.relevance.learned_model import log_odds_of, probability

LEARNING_STEP, LEARNING_CAUTION = 0.4, 4.0  # AdaGrad step, and the initial sum of squared gradients
PLACE_STEP, PLACE_CAUTION = 0.5, 0.5  # the same for a place, which has no initial weight
PRIOR_SHARE = 0.1  # prior share on topic of a list
PRIOR_PAGES = 2.0  # pages that the prior counts for
NEIGHBOUR_PAGES = 0.5  # pages that the text of a neighbouring link counts for
LEARNING_ROUNDS = 4  # of expectation maximisation; then a share changes by less than 0.01
LEAST_SHARE, MOST_SHARE = 0.01, 0.99  # a share is never certain
# where one band of scores ends and the next begins
SCORE_BANDS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
LEAST_LETTERS = 3  # letters and digits from which a text without a score is evidence against a link
MIN_SHORT_SCORE = 0.1  # score from which a shorter text counts
NO_TEXT = 0  # the band of links without an informative text
ARTICLES = "hub articles"  # the feature of a list for the articles in its folder
_FOLDER = re.compile(r"https?://([^/]*)(/(?:[^/?]*/)*)")
_NUMBERS = re.compile(r"(?<=/)[\d_-]+(?=/)|\d{6,}")  # numeric folders, and numbers too long for a channel


@dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers that add up: for a place, the pages read and those of them on topic; for a weight, its change and
    the sum of its squared gradients."""

    first: float = 0.0
    second: float = 0.0

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.first + other.first, self.second + other.second)


UNLEARNED = Pair()
Learned = Mapping[str, Pair]

# The initial weight of each feature in log odds, else 0. Set by hand after a fit to synthetic graphs
# (bench/site_graph.py) that the benchmark does not use; bands and weights were compared on its odd seeds.
_BAND_WEIGHTS = (-1.0, -4.0, -3.0, -2.5, -1.8, -1.0, -0.3, 0.6, 1.5, 2.3, 2.5, 2.7, 2.9)  # of each band
FEATURE_WEIGHTS: dict[str, float] = {
    "article": -2.5,
    "article on": 1.2,
    "article off": -0.6,
    "article on elsewhere": -1.0,
    "article off elsewhere": -1.0,
    "article main": -0.3,
    "article side": -0.8,
    "article body": 0.8,
    "article beside list": 0.5,
    "article beside seed": 0.5,
    "article beside on": 0.2,
    "article beside off": 0.2,
    "hub": -1.5,
    "hub beside list": 0.3,
    "hub beside seed": 0.3,
    "hub beside on": 0.1,
    "hub beside off": 0.1,
    "hub seed": 0.5,
    "hub on": 0.4,
    "hub off": -0.6,
    "hub navigation": -0.3,
    "hub body": -0.5,
    ARTICLES: 1.0,
    **{f"article words {band}": weight for band, weight in enumerate(_BAND_WEIGHTS)},
    **{f"hub words {band}": weight / 2.5 for band, weight in enumerate(_BAND_WEIGHTS)},
}


@dataclass(frozen=True, slots=True)
class Sight:
    """A link as seen on a page: its URL and what the page shows about it."""

    url: str
    band: int  # of its text
    page: int  # the key of the page that shows it
    kin: str  # origin: "list", "seed" (a list that is a seed), "on" (topic), "off"; with " elsewhere": another folder
    region: str = ""
    hub: bool = False  # it is classified as a list

    @property
    def kind(self) -> str:
        return "hub" if self.hub else "article"

    def places(self) -> tuple[str, ...]:
        """The features of its target: its host by region and origin, its folder, the first folder on any host."""
        return f"{self.kind} host {folder_of(self.url).partition('/')[0]} {self.region} {self.kin}", *self._folders(
            self.kind
        )

    def facts(self) -> tuple[str, ...]:
        """The names of all its features."""
        kind, kin = self.kind, () if self.kin == "list" else (f"{self.kind} {self.kin}",)
        region = (f"{kind} {self.region}",) if self.region else ()
        return kind, f"{kind} words {self.band}", f"{kind} beside {self.kin}", *kin, *region, *self.places()

    def articles(self) -> tuple[str, ...]:
        """The features of the articles in its folder, if it is a list."""
        return self._folders("article") if self.hub else ()

    def _folders(self, kind: str) -> tuple[str, ...]:
        folder = folder_of(self.url)
        return f"{kind} in {folder}", f"{kind} folder {folder.split('/', 2)[1]}"

    def beside(self) -> str:
        """The group of neighbouring articles on its page: those under the same first folder of one host."""
        host, first = (*folder_of(self.url).split("/", 2), "")[:2]
        return f"beside {self.page} {host}/{first}"


def folder_of(url: str) -> str:
    """The host and folder of a URL; dates and article numbers are folded, channel numbers are not.

    >>> folder_of("http://a.example/edu/2026/11-05/5.html?p=2"), folder_of("http://a.example/c7/t20261105/5.html")
    ('a.example/edu/0/0/', 'a.example/c7/t0/')
    """
    match = _FOLDER.match(url)
    return match[1] + _NUMBERS.sub("0", match[2]) if match else "/"


def band_of(score: float, text: str = "") -> int:
    """The score band of an anchor text; a short text that scores nothing is uninformative.

    >>> band_of(0.0, "详细"), band_of(0.0, "两市成交额回落"), band_of(0.97, "高考")
    (0, 1, 12)
    """
    if score < MIN_SHORT_SCORE and sum(map(str.isalnum, text)) < LEAST_LETTERS:
        return NO_TEXT
    return 1 + bisect_right(SCORE_BANDS, score)


def share_of_list(read: Pair, bands: Sequence[int], learned: Learned) -> float:
    """The share on topic of a page's articles, from the pages ``read`` and the text bands of the waiting links.

    The texts are a mixture of those of on-topic articles and of others, and the share is the weight of the mixture.

    >>> round(share_of_list(UNLEARNED, [12] * 10 + [0] * 10, {}), 2)
    0.52
    """
    odds = [exp(weight(f"article words {band}", learned)) for band in bands]
    share = PRIOR_SHARE
    for _ in range(LEARNING_ROUNDS):
        expected = sum(share * ratio / (share * ratio + 1 - share) for ratio in odds)
        share = (read.second + PRIOR_PAGES * PRIOR_SHARE + NEIGHBOUR_PAGES * expected) / (
            read.first + PRIOR_PAGES + NEIGHBOUR_PAGES * len(odds)
        )
        share = min(max(share, LEAST_SHARE), MOST_SHARE)
    return share


def facts_of(sight: Sight, share: float, learned: Learned) -> dict[str, float]:
    """The features of a link with their values; ``share`` is that of its neighbouring articles."""
    facts = dict.fromkeys(sight.facts(), 1.0) | {
        f"{sight.kind} beside {sight.kin}": log_odds_of(share) - log_odds_of(PRIOR_SHARE)
    }
    if sight.hub:
        facts[ARTICLES] = sum(weight(fact, learned) for fact in sight.articles())
    return facts


def names_of(sights: Iterable[Sight]) -> list[str]:
    """The names of all learned values that the probabilities of these links need."""
    names: dict[str, None] = {f"weight article words {band}": None for band in range(len(SCORE_BANDS) + 2)} | {
        _weight(ARTICLES): None
    }
    for sight in sights:
        names[sight.beside()] = None
        names.update(dict.fromkeys(map(_weight, (*sight.facts(), *sight.articles()))))
    return list(names)


def probability_of(facts: Mapping[str, float], learned: Learned) -> float:
    """The probability from these features."""
    return probability(sum(value * weight(fact, learned) for fact, value in facts.items()))


def weight_changes(facts: Mapping[str, float], share: float, learned: Learned) -> dict[str, Pair]:
    """The change of each weight after a page with these features, of which this ``share`` (0-1) was on topic."""
    error = share - probability_of(facts, learned)
    changes = {}
    for fact, value in facts.items():
        gradient = error * value
        squares = learned.get(_weight(fact), UNLEARNED).second + gradient * gradient
        step, caution = (LEARNING_STEP, LEARNING_CAUTION) if fact in FEATURE_WEIGHTS else (PLACE_STEP, PLACE_CAUTION)
        changes[_weight(fact)] = Pair(step * gradient / sqrt(caution + squares), gradient * gradient)
    return changes


def weight(fact: str, learned: Learned) -> float:
    """The current weight of a feature in log odds."""
    return FEATURE_WEIGHTS.get(fact, 0.0) + learned.get(_weight(fact), UNLEARNED).first


def _weight(fact: str) -> str:
    return f"weight {fact}"
