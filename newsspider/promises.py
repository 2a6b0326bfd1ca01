"""What the words of a link say of the article behind it: whether it is worth a request, and how soon."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from newsspider.core import outcome
from newsspider.core.model import Kind, PageResult, Reason
from newsspider.core.promise import TELLING
from newsspider.core.relevance import score
from newsspider.core.strategies.polling import POINTS_PER_WEIGHT
from newsspider.core.topic import Document
from newsspider.store.submitted import CHANNEL

if TYPE_CHECKING:
    from newsspider.core.model import Lease
    from newsspider.core.topic import TopicProfile

REMEMBERED = 65_536  # links whose score is remembered: a list shows most of them at every poll

_HAN = re.compile(r"[\u4e00-\u9fff]")


class Promises:
    """Scores links as headlines of the topic, with the site and channel that show them.

    A profile without a ``link_threshold`` follows all links, one as soon as the other; so does every profile where a link says too little,
    or says it in another language than Chinese.
    """

    def __init__(self, topic: TopicProfile) -> None:
        self.topic = topic
        self._score = lru_cache(REMEMBERED)(self._scored)

    def points(self, text: str, site: str, channel: str) -> int:
        """What is added to the priority of a link: less than one weight of a channel."""
        said = self._said(text, site, channel)
        return 0 if said is None else min(POINTS_PER_WEIGHT - 1, int(POINTS_PER_WEIGHT * said))

    def refusal(self, text: str, site: str, channel: str) -> str:
        """Why a link is not followed, for people; empty if it is."""
        said = self._said(text, site, channel)
        if said is None or said >= self.topic.link_threshold:
            return ""
        return f"the link says {text!r}: {said:.4f} for {self.topic.name}"

    @property
    def topic_name(self) -> str:
        """Which topic refuses links, and below which score: with another of the two, what was refused is judged again."""
        return f"{self.topic.name}, links below {self.topic.link_threshold:g}"

    def set_aside(self, lease: Lease) -> PageResult | None:
        """The result of a page that waits and whose link says that it need not be asked for; ``None`` if it must be."""
        first = lease.kind is Kind.ARTICLE and not lease.fetch_count and not lease.hops and not lease.carried
        if not first or lease.had_article or lease.channel == CHANNEL:
            return None
        if not (said := self.refusal(lease.anchor, lease.site, lease.channel)):
            return None
        settlement = replace(outcome.read(lease, Reason.OFF_TOPIC, time.time(), detail=said), topic=self.topic_name)
        return PageResult(lease, settlement)

    def _said(self, text: str, site: str, channel: str) -> float | None:
        """The score of what the link says; ``None`` if that is too little, or not asked for."""
        if not self.topic.link_threshold or len(_HAN.findall(text)) < TELLING:
            return None
        return self._score(text, site, channel)

    def _scored(self, text: str, site: str, channel: str) -> float:
        return score(self.topic, Document(title=text, site=site, channel=channel)).score
