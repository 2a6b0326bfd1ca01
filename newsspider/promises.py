"""Which pages are not asked for because of what the links to them say, remembered for one crawl.

What a link's words say is told in :mod:`newsspider.core.judging.link_words`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import PageResult
from newsspider.core.judging.grammar import values_asked
from newsspider.core.judging.link_words import Heard, heard, says_enough
from newsspider.core.model import Kind, Reason
from newsspider.core.strategies.polling import STEPS_OF_WORDS
from newsspider.store.ledger.submitted import CHANNEL

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import Lease
    from newsspider.core.judging.topic import TopicProfile

REMEMBERED = 65_536  # links whose words were judged: a list shows most of them at every poll
SILENT = Heard()
_OF_URL = ("url", "site")  # what rules ask of the URL


class Promises:
    """A profile without a ``link_threshold`` follows all links, one as soon as the other; so does every profile where a link says too
    little."""

    def __init__(self, topic: TopicProfile) -> None:
        self.topic = topic
        asked = {name for rule in topic.rules for name, _, _ in values_asked(rule.when)}
        self._by_url = not asked.isdisjoint(_OF_URL)  # else links with the same words are the same
        self._heard = lru_cache(REMEMBERED)(lambda text, site, channel, url: heard(topic, text, site, channel, url, STEPS_OF_WORDS))

    def of(self, text: str, site: str, channel: str, url: str) -> Heard:
        """What a link says; its steps are fewer than :data:`~newsspider.core.strategies.polling.STEPS_OF_WORDS`."""
        if not self.topic.link_threshold or not says_enough(text):
            return SILENT
        return self._heard(text, site, channel, url if self._by_url else "")

    @property
    def topic_name(self) -> str:
        """Which topic refuses links, and below which score: with another of the two, what was refused is judged again."""
        return f"{self.topic.name}, links below {self.topic.link_threshold:g}"

    def set_aside(self, lease: Lease) -> PageResult | None:
        """The result of a page that waits and whose link says that it need not be asked for; ``None`` if it must be."""
        first = lease.kind is Kind.ARTICLE and not lease.fetch_count and not lease.hops and not lease.carried
        if not first or lease.had_article or lease.channel == CHANNEL:
            return None
        refusal = self.of(lease.anchor, lease.site, lease.channel, lease.url).refusal
        if not refusal:
            return None
        settlement = replace(outcome.read(lease, Reason.OFF_TOPIC, time.time(), detail=refusal), topic=self.topic_name)
        return PageResult(lease, settlement)
