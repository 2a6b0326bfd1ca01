"""How probable it is that a link leads to an article on topic, or to a list of them: what the link says, what shows it,
and what was found where it leads.

A logistic regression over few facts (:func:`facts_of`), learned while crawling: every page that is read corrects the
weights by one step of AdaGrad, and the tallies of its places. The facts of a link are

* its *words*: the band in which the topic's score of its anchor lies, of the longest where several are known; anchors that say nothing
  are a band of their own, and so are scores so low that even a cut headline speaks against its article;
* its *list*: how much of the page that shows it is on topic, by what was read of it and by the words of the links beside it
  (:func:`share_of_list`), so that a list is known before one of its articles is read;
* its *places*: what was read under its path, under a first folder of that name on all hosts, and on its host of what the same kin
  showed in the same region (what stands beside a text leads elsewhere than what is in it); of a list also what the articles of its
  folder were;
* its *kin*: whether an article on topic, another page, a list or a seed that is one shows it (whoever names seeds knows that their sites
  have something), in which region of that page, and whether it leads to the folder of the article that shows it: what a site keeps
  together is mostly of one topic.

All that is learned are pairs of numbers that add up in any order, so several workers learn together.

Sources: Chakrabarti, van den Berg and Dom, "Focused crawling" (1999), for judging a place by what it yielded; Aggarwal,
Al-Garawi and Yu, "Intelligent crawling on the World Wide Web with arbitrary predicates" (2001), for the facts and for
learning them while crawling; Duchi, Hazan and Singer, "Adaptive subgradient methods" (2011), for the steps.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt

from newsspider.core.relevance.learned_model import log_odds_of, probability

STEP, CAUTION = 0.4, 4.0  # of AdaGrad, and the squared gradients that a known weight is taken to have seen
PLACE_STEP, PLACE_CAUTION = 0.5, 0.5  # the same of a place, of which nothing is known before
START = 0.1  # share on topic of a list of which nothing is known
STRENGTH = 2.0  # reads that this is worth
NEIGHBOUR = 0.5  # reads that the words of a link beside are worth
ROUNDS = 4  # of expectation-maximisation: by then a share moves no more than a hundredth
LEAST, MOST = 0.01, 0.99  # a share is never certain
# where one band of scores ends and the next begins
BANDS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
TELLING = 3  # letters, digits and characters from which on words that do not score speak against a link
UNTOLD = 0.1  # what fewer must score to say something
NOTHING_SAID = 0  # the band of links without words
ARTICLES = "hub articles"  # the fact of a list that its folder holds such articles
_FOLDER = re.compile(r"https?://([^/]*)(/(?:[^/?]*/)*)")
_NUMBERS = re.compile(r"(?<=/)[\d_-]+(?=/)|\d{6,}")  # a folder of nothing else, and those too long to count channels


@dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers that add up: of a place, the pages ``read`` and those of them that were on topic; of a weight, its
    change and the sum of its squared gradients."""

    first: float = 0.0
    second: float = 0.0

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.first + other.first, self.second + other.second)


NOTHING = Pair()
Learned = Mapping[str, Pair]

# What each fact weighs before anything was read, in log odds; a fact that is not here weighs nothing. Set by hand after
# a fit to synthetic
# graphs (bench/site_graph.py) that the benchmark does not measure on; bands and weights were compared on its odd seeds.
_WORDS = (-1.0, -4.0, -3.0, -2.5, -1.8, -1.0, -0.3, 0.6, 1.5, 2.3, 2.5, 2.7, 2.9)  # of each band
WEIGHTS: dict[str, float] = {
    "article": -2.5, "article on": 1.2, "article off": -0.6, "article on elsewhere": -1.0, "article off elsewhere": -1.0,
    "article main": -0.3, "article side": -0.8, "article body": 0.8,
    "article beside list": 0.5, "article beside seed": 0.5, "article beside on": 0.2, "article beside off": 0.2,
    "hub": -1.5, "hub beside list": 0.3, "hub beside seed": 0.3, "hub beside on": 0.1, "hub beside off": 0.1,
    "hub seed": 0.5, "hub on": 0.4, "hub off": -0.6, "hub navigation": -0.3, "hub body": -0.5, ARTICLES: 1.0,
    **{f"article words {band}": weight for band, weight in enumerate(_WORDS)},
    **{f"hub words {band}": weight / 2.5 for band, weight in enumerate(_WORDS)},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sight:
    """A link as it was seen: where it leads, and what its page says of it."""

    url: str
    band: int  # of its words
    page: int  # the key of the page that shows it
    # what shows it: "list", "seed" (a list where the crawl began), "on" (topic) or "off", with " elsewhere" for another
    # folder
    kin: str
    region: str = ""
    hub: bool = False  # it is taken for a list

    @property
    def kind(self) -> str:
        return "hub" if self.hub else "article"

    def places(self) -> tuple[str, ...]:
        """The facts of where it leads: its host, as seen from such a place, its folder there, and the name of its
        first folder on whatever host."""
        return f"{self.kind} host {folder_of(self.url).partition('/')[0]} {self.region} {self.kin}", *self._folders(
            self.kind
        )

    def facts(self) -> tuple[str, ...]:
        """The names of all its facts."""
        kind, kin = self.kind, () if self.kin == "list" else (f"{self.kind} {self.kin}",)
        region = (f"{kind} {self.region}",) if self.region else ()
        return kind, f"{kind} words {self.band}", f"{kind} beside {self.kin}", *kin, *region, *self.places()

    def articles(self) -> tuple[str, ...]:
        """The facts of the articles in its folder, if it is a list."""
        return self._folders("article") if self.hub else ()

    def _folders(self, kind: str) -> tuple[str, ...]:
        folder = folder_of(self.url)
        return f"{kind} in {folder}", f"{kind} folder {folder.split('/', 2)[1]}"

    def beside(self) -> str:
        """The name of the articles that its page shows beside it: those under the same first folder of one host."""
        host, first = (*folder_of(self.url).split("/", 2), "")[:2]
        return f"beside {self.page} {host}/{first}"


def folder_of(url: str) -> str:
    """The host of a URL and the folder in which it lies there; days and the numbers of articles are equal, those of
    channels are not.

    >>> folder_of("http://a.example/edu/2026/11-05/5.html?p=2"), folder_of("http://a.example/c7/t20261105/5.html")
    ('a.example/edu/0/0/', 'a.example/c7/t0/')
    """
    found = _FOLDER.match(url)
    return found[1] + _NUMBERS.sub("0", found[2]) if found else "/"


def band_of(score: float, text: str = "") -> int:
    """The band of the words of a link, from their score; words that are few and score nothing say nothing.

    >>> band_of(0.0, "详细"), band_of(0.0, "两市成交额回落"), band_of(0.97, "高考")
    (0, 1, 12)
    """
    if score < UNTOLD and sum(map(str.isalnum, text)) < TELLING:
        return NOTHING_SAID
    return 1 + bisect_right(BANDS, score)


def share_of_list(read: Pair, bands: Sequence[int], learned: Learned) -> float:
    """The share on topic of what a page shows: of which so much was read, and whose waiting links have words of such
    bands.

    The words of the links are a mixture of those before articles on topic and of others, and the share is that of the
    mixture.

    >>> round(share_of_list(NOTHING, [12] * 10 + [0] * 10, {}), 2)
    0.52
    """
    odds = [exp(weight(f"article words {band}", learned)) for band in bands]
    share = START
    for _ in range(ROUNDS):
        heard = sum(share * each / (share * each + 1 - share) for each in odds)
        share = (read.second + STRENGTH * START + NEIGHBOUR * heard) / (read.first + STRENGTH + NEIGHBOUR * len(odds))
        share = min(max(share, LEAST), MOST)
    return share


def facts_of(sight: Sight, share: float, learned: Learned) -> dict[str, float]:
    """The facts of a link, each with its value; ``share`` is that of the articles beside it."""
    facts = dict.fromkeys(sight.facts(), 1.0) | {
        f"{sight.kind} beside {sight.kin}": log_odds_of(share) - log_odds_of(START)
    }
    if sight.hub:
        facts[ARTICLES] = sum(weight(fact, learned) for fact in sight.articles())
    return facts


def names_of(sights: Iterable[Sight]) -> list[str]:
    """The names under which that is learned which the promises of these links need."""
    names: dict[str, None] = {f"weight article words {band}": None for band in range(len(BANDS) + 2)} | {
        _weight(ARTICLES): None
    }
    for sight in sights:
        names[sight.beside()] = None
        names.update(dict.fromkeys(map(_weight, (*sight.facts(), *sight.articles()))))
    return list(names)


def promise(facts: Mapping[str, float], learned: Learned) -> float:
    """The probability that these facts make."""
    return probability(sum(value * weight(fact, learned) for fact, value in facts.items()))


def lesson(facts: Mapping[str, float], kept: float, learned: Learned) -> dict[str, Pair]:
    """What is learned from a page of these facts, of which ``kept`` (0-1) was on topic: a change of each weight."""
    wrong = kept - promise(facts, learned)
    changes = {}
    for fact, value in facts.items():
        slope = wrong * value
        seen = learned.get(_weight(fact), NOTHING).second + slope * slope
        step, caution = (STEP, CAUTION) if fact in WEIGHTS else (PLACE_STEP, PLACE_CAUTION)
        changes[_weight(fact)] = Pair(step * slope / sqrt(caution + seen), slope * slope)
    return changes


def weight(fact: str, learned: Learned) -> float:
    """What a fact weighs now, in log odds."""
    return WEIGHTS.get(fact, 0.0) + learned.get(_weight(fact), NOTHING).first


def _weight(fact: str) -> str:
    return f"weight {fact}"
