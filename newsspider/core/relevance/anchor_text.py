"""Scores anchor text: whether a link is worth a request, and how soon (anchor scoring).

Words are better evidence on a list about the topic than on a general one. So the prior odds of a list, estimated
from the anchor texts of all its links, count too; only by their square root, because uninformative anchors make a
list look worse than it is. Links are followed unscored if their text is too short or in another script than the
topic's, or if a rule may keep the article anyway.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf, sqrt
from typing import NamedTuple

from newsspider.core.relevance.document import Document
from newsspider.core.relevance.model_names import Model
from newsspider.core.relevance.rule_fields import Facts
from newsspider.core.relevance.rule_language import Verdict
from newsspider.core.relevance.scoring import score
from newsspider.core.relevance.topic import TopicProfile

PRIOR_SHARE = 0.5  # the share on topic of an unknown list
SURE_SCORE = 0.9  # a probability
# the scores of other models are not probabilities
PROBABILITIES = frozenset({Model.BLEND, Model.WORDS, Model.LEARNED})
PRIOR_LINKS = 4  # links that the prior counts for
ODDS_RATIO = 8  # above it, one text says much more than another
UNKNOWN_FIELDS = ("author", "media")  # which a link does not show


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
    return any(rule.verdict is Verdict.KEEP and rule.holds(facts) for rule in topic.rules)
