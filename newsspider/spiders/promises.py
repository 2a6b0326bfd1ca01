"""What the words of a link say of the article behind it: whether it is worth a request, and how soon."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from newsspider.core.promise import TELLING
from newsspider.core.relevance import score
from newsspider.core.strategies.polling import POINTS_PER_WEIGHT
from newsspider.core.topic import Document

if TYPE_CHECKING:
    from newsspider.core.topic import TopicProfile

REMEMBERED = 16_384  # links whose score is remembered: a list shows most of them at every poll


class Promises:
    """Scores links as headlines of the topic, with the site and channel that show them.

    A profile without a ``link_threshold`` follows all links, one as soon as the other; so does every profile where a link says too little.
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

    def _said(self, text: str, site: str, channel: str) -> float | None:
        """The score of what the link says; ``None`` if that is too little, or not asked for."""
        if not self.topic.link_threshold or len(text) < TELLING:
            return None
        return self._score(text, site, channel)

    def _scored(self, text: str, site: str, channel: str) -> float:
        return score(self.topic, Document(title=text, site=site, channel=channel)).score
