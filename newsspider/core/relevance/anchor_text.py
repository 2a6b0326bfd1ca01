"""What the words of a link say of the article behind it: whether it is worth a request, and how soon.

The same words promise more in a list about the topic than in one of all sorts, so the odds of a list, which the words
of all its links tell, count beside theirs; by their square root, for words that say little make a list seem worse than
it is. Of few words a score says little, and of words in another language than that of the topics nothing; such a link
is followed, and so is one to an article that a rule keeps whatever else is said.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from math import inf, sqrt
from typing import NamedTuple

from newsspider.core.relevance.document_fields import Facts
from newsspider.core.relevance.rules import Verdict
from newsspider.core.relevance.scoring import score
from newsspider.core.relevance.topic import Document, Model, TopicProfile

ENOUGH = 6  # Chinese characters
EVEN = 0.5  # the share on topic of a list of which nothing is known
SURE = 0.9  # a probability
# what other models say is not how many of such links are on topic
PROBABILITIES = frozenset({Model.BLEND, Model.WORDS, Model.LEARNED})
MORE = 4  # links that this is worth
FURTHER = 8  # times the odds of other words: so much more say these
UNTOLD = ("author", "media")  # what only the article tells
_HAN = re.compile(r"[\u4e00-\u9fff]")


class AnchorVerdict(NamedTuple):
    """The score of a link's words as a headline, 0-1; whether they are so sure that it does not matter what the like
    led to; and whether the link is followed whatever they say."""

    score: float
    sure: bool
    free: bool


def has_enough_text(text: str) -> bool:
    """Whether a link says so much that it can be judged.

    >>> has_enough_text("详细"), has_enough_text("Kindergarten fees capped"), has_enough_text("高考改革方案公布")
    (False, False, True)
    """
    return len(_HAN.findall(text)) >= ENOUGH


def judge_anchor(topic: TopicProfile, text: str, site: str, channel: str, url: str) -> AnchorVerdict:
    """What a link says, judged as a headline, with the site and the channel that show it; free if a rule may keep
    what it leads to."""
    said = score(topic, Document(title=text, url=url, site=site, channel=channel))
    sure = said.score >= SURE if topic.model in PROBABILITIES else said.relevant
    return AnchorVerdict(
        said.score, sure, _may_be_kept(topic, Facts(text, url=url, site=site, channel=channel, untold=UNTOLD))
    )


def share_of(scores: Collection[float], known: float = EVEN) -> float:
    """The share on topic of a list whose links score so much; as if four more were known, ``known`` of them on topic
    (Agresti and Coull, "Approximate is better than 'exact' for interval estimation of binomial proportions", 1998).

    >>> share_of([]), share_of([0.0] * 16), share_of([1.0] * 16), share_of([0.0], 0.1)
    (0.5, 0.1, 0.9, 0.08)
    """
    return (sum(scores) + MORE * known) / (len(scores) + MORE)


def least_score(threshold: float, share: float) -> float:
    """What the words of a link must score to be followed from a list of this share, if they must score ``threshold``
    where half of the list is on topic; both are above 0 and below 1.

    >>> [round(least_score(0.002, share), 4) for share in (0.1, 0.5, 0.9)]
    [0.006, 0.002, 0.0007]
    """
    odds = _odds(threshold) * sqrt((1 - share) / share)
    return odds / (1 + odds)


def says_more(score: float, before: float) -> bool:
    """Whether words say much more than those of an article that was off topic: then what that was about speaks against
    nothing, as "消防工作座谈会召开" does not against "教育工作座谈会召开".

    >>> says_more(0.5, 0.2), says_more(0.5, 0.05), says_more(1.0, 1.0)
    (False, True, False)
    """
    return _odds(score) > FURTHER * _odds(before)


def _odds(score: float) -> float:
    return score / (1 - score) if score < 1 else inf


def _may_be_kept(topic: TopicProfile, facts: Facts) -> bool:
    return any(rule.verdict is Verdict.KEEP and rule.holds(facts) for rule in topic.rules)
