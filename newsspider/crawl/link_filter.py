"""Link filter: skips pages whose anchor text is off topic; remembers its verdicts for one crawl.

:mod:`newsspider.core.relevance.anchor_text_and_precedents` scores anchor texts and compares them with the titles of
articles read before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from newsspider.core.caching import bounded_cache
from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType, Reason
from newsspider.core.relevance.anchor_text_and_precedents import (
    PROBABILITIES,
    Precedents,
    judge_anchor,
    least_score,
    says_more,
    share_of,
)
from newsspider.core.relevance.rule_language import values_asked
from newsspider.core.scheduling.priorities import STEPS_OF_WORDS
from newsspider.core.text.characters import has_enough_text
from newsspider.core.url import url_key

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import Lease
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.store.articles.precedents import JudgedLink
    from newsspider.store.engine.clock import Clock

SCORES_REMEMBERED = 16_384  # cached anchor scores: a list shows most of its links at every poll
TRIED_ONE_IN = 32  # one in this many articles rejected only by a precedent is read anyway
_OF_URL = ("url", "site")  # rule fields that depend on the URL


class LinkVerdict(NamedTuple):
    """The priority of an article in steps from 0 to below
    :data:`~newsspider.core.scheduling.priorities.STEPS_OF_WORDS`; and the reason if it is not fetched, else empty."""

    steps: int = 0
    refusal: str = ""


SILENT = LinkVerdict()


class LinkFilter:
    """Decides by anchor text. Without a ``link_threshold`` in the profile every link is followed with the same
    priority, and so is every link with too short a text."""

    def __init__(self, topic: TopicProfile, clock: Clock) -> None:
        self.topic = topic
        self._clock = clock
        self.precedents = Precedents()
        self._shares: dict[tuple[str, str], float] = {}  # memory: the share of its best page: one a channel
        rule_fields = {name for rule in topic.rules for name, _, _ in values_asked(rule.when)}
        self._by_url = not rule_fields.isdisjoint(_OF_URL)  # else links with the same text are equal
        self._judge_anchor = bounded_cache(SCORES_REMEMBERED)(  # cache: words of links and what they are worth
            lambda text, site, channel, url: judge_anchor(topic, text, site, channel, url)
        )

    def observe(self, site: str, channel: str, links: Iterable[tuple[str, str]]) -> None:
        """Update the share on topic of a list by the text and URL of all links on a page."""
        if self.topic.link_threshold and self.topic.model in PROBABILITIES:
            scores = [
                self._judge_anchor(text, site, channel, url if self._by_url else "").score
                for text, url in links
                if has_enough_text(text)
            ]
            share = self._shares.get((site, channel))
            self._shares[site, channel] = share_of(scores) if share is None else max(share, share_of(scores, share))

    def of(self, text: str, site: str, channel: str, url: str) -> LinkVerdict:
        threshold = self.topic.link_threshold
        if not threshold or not has_enough_text(text):
            return SILENT
        verdict = self._judge_anchor(text, site, channel, url if self._by_url else "")
        steps = min(STEPS_OF_WORDS - 1, int(STEPS_OF_WORDS * verdict.score))
        if verdict.free:
            return LinkVerdict(steps)
        share = self._shares.get((site, channel))
        reason = f"the link says {text!r}: {verdict.score:.4f} for {self.topic.name}"
        if share is None and verdict.score < threshold:
            return LinkVerdict(steps, f"{reason}, below {threshold:.4f}")
        if share is not None and verdict.score < (least := least_score(threshold, share)):
            return LinkVerdict(steps, f"{reason}, below {least:.4f}, in a list of which {share:.0%} is about it")
        if not verdict.sure and (similar_title := self.precedents.against(text, site)) and url_key(url) % TRIED_ONE_IN:
            previous_score = self._judge_anchor(similar_title, site, channel, url if self._by_url else "").score
            if not says_more(verdict.score, previous_score):
                return LinkVerdict(steps, f"{reason}, and {similar_title!r} was not about it")
        return LinkVerdict(steps)

    def learn(self, anchor: str, title: str, site: str, *, on_topic: bool) -> None:
        """Remember whether an article is on topic, by its anchor text, or by its title if that is too short."""
        if self.topic.link_threshold and has_enough_text(text := anchor if has_enough_text(anchor) else title):
            self.precedents.add(text, site, on_topic=on_topic)

    def recall(self, articles: Iterable[JudgedLink]) -> None:
        """Learn from the verdicts of earlier crawls for this topic."""
        for judged in articles:
            self.learn(judged.anchor, judged.title, judged.site, on_topic=judged.on_topic)

    @property
    def topic_name(self) -> str:
        """The topic and the threshold of the filter: if either changes, rejected links are judged again."""
        return f"{self.topic.name}, links below {self.topic.link_threshold:g}"

    def skip(self, lease: Lease) -> PageResult | None:
        """The result of a claimed page that need not be fetched because of its anchor text; ``None``: fetch it."""
        first = (
            lease.kind is PageType.ARTICLE and not lease.fetch_count and not lease.hops and not lease.partial_article
        )
        if not first or lease.had_article or lease.submitted:
            return None
        refusal = self.of(lease.anchor, lease.site, lease.channel, lease.url).refusal
        if not refusal:
            return None
        settlement = outcome.read(lease, Reason.OFF_TOPIC, self._clock.now(), detail=refusal)
        return PageResult(lease, replace(settlement, topic=self.topic_name))
