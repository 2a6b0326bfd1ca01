"""Decides by its anchor text whether a link is worth a request, and how soon (anchor scoring); and remembers how
articles were judged: a title that differs from an off-topic one, its *precedent*, only in names and numbers
("台风登陆，…发布红色预警") is off topic, too.

Words are better evidence on a list about the topic than on a general one. So the prior odds of a list, estimated
from the anchor texts of all its links, count too; only by their square root, because uninformative anchors make a
list look worse than it is. Links are followed unscored if their text is too short or in another script than the
topic's, or if a rule may keep the article anyway. ``crawl/link_filter.py`` applies this, and follows a few of the
refused ones to learn from them.

Titles are compared by the resemblance of their character bigrams, |A ∩ B| / |A ∪ B| (Broder, "On the resemblance and
containment of documents", 1997); numbers are equal and punctuation is ignored. Identical bigrams on the same site are
a column ("早间新闻精选（11月3日）") or a stock phrase ("点击阅读全文"), and are no precedent.

Candidates are found by prefix filtering (Chaudhuri, Ganti and Kaushik, "A primitive operator for similarity joins in
data cleaning", 2006): a title that shares n of the bigrams has at least one that is not among the n - 1 most common,
so only the rarer ones are looked up.

Which anchor texts of an article a search finds is decided by ``store/index/entries.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from math import ceil, inf, sqrt
from typing import NamedTuple

from newsspider.core.relevance.document import Document, Facts
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.rule_language import RuleVerdict
from newsspider.core.relevance.scoring import score
from newsspider.core.relevance.topic import TopicProfile
from newsspider.core.text.characters import fold_text

PRIOR_SHARE = 0.5  # the share on topic of an unknown list
SURE_SCORE = 0.9  # a probability
# the scores of other models are not probabilities
PROBABILITIES = frozenset({Model.BLEND, Model.WORDS, Model.LEARNED})
PRIOR_LINKS = 4  # links that the prior counts for
ODDS_RATIO = 8  # above it, one text says much more than another
UNKNOWN_FIELDS = ("author", "media")  # which a link does not show
LEAST_RESEMBLANCE = 0.3  # from here a title is a precedent
LONGEST_TITLE = 100  # characters of a title that count: some anchors hold whole articles
MOST_TITLES = 10_000  # titles in memory; when full, the older half is dropped
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MARKS = re.compile(r"[\W_]+")


class AnchorVerdict(NamedTuple):
    """The relevance score of an anchor text, 0-1.

    ``sure``: it is so high that precedents do not count; ``free``: the link is followed whatever its score.
    """

    score: float
    sure: bool
    free: bool


def judge_anchor(topic: TopicProfile, text: str, site: str, channel: str, url: str) -> AnchorVerdict:
    """Score an anchor text as a headline, with the site and channel that show it; free if a rule may keep the
    article."""
    relevance = score(topic, Document(title=text, url=url, site=site, channel=channel))
    sure = relevance.score >= SURE_SCORE if topic.model in PROBABILITIES else relevance.relevant
    return AnchorVerdict(
        relevance.score,
        sure,
        _may_be_kept(topic, Facts(text, url=url, site=site, channel=channel, unknown_fields=UNKNOWN_FIELDS)),
    )


def share_of(scores: Collection[float], prior: float = PRIOR_SHARE) -> float:
    """The share of a list's links that are on topic, from their scores; the prior ``prior`` counts as four more links
    (Agresti and Coull, "Approximate is better than 'exact' for interval estimation of binomial proportions", 1998).

    >>> share_of([]), share_of([0.0] * 16), share_of([1.0] * 16), share_of([0.0], 0.1)
    (0.5, 0.1, 0.9, 0.08)
    """
    return (sum(scores) + PRIOR_LINKS * prior) / (len(scores) + PRIOR_LINKS)


def least_score(threshold: float, share: float) -> float:
    """The score that an anchor text must reach to be followed from a list with this share on topic, where ``threshold``
    is the one for a share of one half. Both are above 0 and below 1.

    >>> [round(least_score(0.002, share), 4) for share in (0.1, 0.5, 0.9)]
    [0.006, 0.002, 0.0007]
    """
    odds = _odds(threshold) * sqrt((1 - share) / share)
    return odds / (1 + odds)


def says_more(score: float, precedent_score: float) -> bool:
    """Whether a text scores so much higher than an off-topic precedent that the precedent does not count:
    "教育工作座谈会召开" against "消防工作座谈会召开".

    >>> says_more(0.5, 0.2), says_more(0.5, 0.05), says_more(1.0, 1.0)
    (False, True, False)
    """
    return _odds(score) > ODDS_RATIO * _odds(precedent_score)


def _odds(score: float) -> float:
    return score / (1 - score) if score < 1 else inf


def _may_be_kept(topic: TopicProfile, facts: Facts) -> bool:
    return any(rule.verdict is RuleVerdict.KEEP and rule.holds(facts) for rule in topic.rules)


class _Title(NamedTuple):
    title: str
    site: str
    on_topic: bool


class _Index:
    """An inverted index of titles by character bigram."""

    def __init__(self, titles: Iterable[_Title] = ()) -> None:
        self.members: set[_Title] = set()
        self.titles: list[tuple[_Title, int]] = []  # with their number of bigrams, oldest first
        self.postings: dict[str, list[int]] = {}  # from a bigram to the positions of the titles that have it
        for title in titles:
            self.add(title)

    def add(self, title: _Title) -> None:
        """Add a title. The title is appended before its postings, so that threads may read at any moment."""
        pairs = pairs_of(title.title)
        self.members.add(title)
        self.titles.append((title, len(pairs)))
        for pair in pairs:
            self.postings.setdefault(pair, []).append(len(self.titles) - 1)


class Precedents:
    """Titles of articles that were judged, on topic or off; threads may query while one adds."""

    def __init__(self, most: int = MOST_TITLES) -> None:
        self._most = most
        self._index = _Index()  # memory: titles that were read, of at most LONGEST_TITLE characters: MOST_TITLES

    def add(self, title: str, site: str, *, on_topic: bool) -> None:
        """Remember the title of an article of a site."""
        judged = _Title(title[:LONGEST_TITLE], site, on_topic)
        if judged in self._index.members:
            return
        if len(self._index.titles) >= self._most:
            self._index = _Index(older for older, _ in self._index.titles[-(self._most // 2) :])
        self._index.add(judged)

    def against(self, title: str, site: str) -> str:
        """The most similar off-topic title that is a precedent for this title on this site; empty if there is none, or
        if one that was on topic resembles it too.

        >>> precedents = Precedents()
        >>> precedents.add("台风“海鸥”登陆，平岭市发布红色预警", "甲", on_topic=False)
        >>> precedents.against("台风“白鹿”登陆，平岭市发布橙色预警", "甲")
        '台风“海鸥”登陆，平岭市发布红色预警'
        """
        index, pairs = self._index, pairs_of(title)
        least_shared = ceil(LEAST_RESEMBLANCE * len(pairs))
        postings = sorted((index.postings.get(pair, ()) for pair in pairs), key=len)
        candidates = set().union(*postings[: len(postings) - least_shared + 1]) if pairs else set()
        shared = Counter(position for positions in postings for position in positions if position in candidates)
        nearest, best = 0.0, ""
        for position, count in shared.items():
            precedent, size = index.titles[position]
            resemblance = count / (len(pairs) + size - count)
            if resemblance < LEAST_RESEMBLANCE:
                continue
            if precedent.on_topic:
                return ""
            if resemblance > nearest and (resemblance < 1 or precedent.site != site):
                nearest, best = resemblance, precedent.title
        return best


def pairs_of(title: str) -> frozenset[str]:
    """The character bigrams of a title, by which titles are compared.

    >>> sorted(pairs_of("亩产增加26.5公斤!"))
    ['0公', '产增', '亩产', '公斤', '加0', '增加']
    """
    letters = _MARKS.sub("", _NUMBER.sub("0", fold_text(title[:LONGEST_TITLE])))
    return frozenset(letters[at : at + 2] for at in range(len(letters) - 1))
