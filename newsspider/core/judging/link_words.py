"""What the words of a link say of the article behind it: whether it is worth a request, and how soon.

Of few words a score says little, and of words in another language than that of the topics nothing; such a link is followed, and so is
one to an article that a rule keeps whatever else is said.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from newsspider.core.judging.facts import Facts
from newsspider.core.judging.relevance import score
from newsspider.core.judging.rules import Verdict
from newsspider.core.judging.topic import Document, TopicProfile

ENOUGH = 6  # Chinese characters
UNTOLD = ("author", "media")  # what only the article tells
_HAN = re.compile(r"[\u4e00-\u9fff]")


class Heard(NamedTuple):
    """How soon the article is fetched, in steps from 0 to below ``most``; and why it is not fetched at all, for people, empty if it is."""

    steps: int = 0
    refusal: str = ""


def says_enough(text: str) -> bool:
    """Whether a link says so much that it can be judged.

    >>> says_enough("详细"), says_enough("Kindergarten fees capped"), says_enough("高考改革方案公布")
    (False, False, True)
    """
    return len(_HAN.findall(text)) >= ENOUGH


def heard(topic: TopicProfile, text: str, site: str, channel: str, url: str, most: int) -> Heard:
    """What a link says, judged as a headline of a topic that has a ``link_threshold``, with the site and the channel that show it."""
    said = score(topic, Document(title=text, url=url, site=site, channel=channel)).score
    steps = min(most - 1, int(most * said))
    if said >= topic.link_threshold or _may_be_kept(topic, Facts(text, url=url, site=site, channel=channel, untold=UNTOLD)):
        return Heard(steps)
    return Heard(steps, f"the link says {text!r}: {said:.4f} for {topic.name}")


def _may_be_kept(topic: TopicProfile, facts: Facts) -> bool:
    return any(rule.verdict is Verdict.KEEP and rule.holds(facts) for rule in topic.rules)
