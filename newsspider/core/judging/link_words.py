"""What the words of a link say of the article behind it: whether it is worth a request, and how soon.

Of few words a score says little, and of words in another language than that of the topics nothing; such a link is followed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from newsspider.core.judging.relevance import score
from newsspider.core.judging.topic import Document, TopicProfile

ENOUGH = 6  # Chinese characters
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


def heard(topic: TopicProfile, text: str, site: str, channel: str, most: int) -> Heard:
    """What a link says, judged as a headline of a topic that has a ``link_threshold``, with the site and the channel that show it."""
    said = score(topic, Document(title=text, site=site, channel=channel)).score
    steps = min(most - 1, int(most * said))
    return Heard(steps, f"the link says {text!r}: {said:.4f} for {topic.name}" if said < topic.link_threshold else "")
