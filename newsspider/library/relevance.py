"""Judges whether a text is about a topic."""

from __future__ import annotations

from newsspider.core.caching import bounded_cache
from newsspider.core.model import Relevance
from newsspider.core.relevance.document import Document
from newsspider.core.relevance.scoring import score
from newsspider.core.relevance.topic import TopicProfile
from newsspider.topics.loader import load_topic


def judge(
    title: str, text: str = "", topic: str | TopicProfile = "education", *, model: str | None = None
) -> Relevance:
    """How much a text is about a topic, and which terms say so.

    ``topic`` is the name of a shipped profile, the path of a profile of your own, which is read once, or a loaded one;
    ``model`` one of blend, learned, words, boolean, tags and vector (default: the profile's). Raises
    :exc:`~newsspider.topics.loader.TopicError` for a profile that cannot be used, :exc:`ValueError` for an unknown
    model.

    >>> verdict = judge("教育部部署做好今年高考工作")
    >>> verdict.relevant, verdict.terms[:2]
    (True, ('高考', '教育部'))
    """
    profile = topic if isinstance(topic, TopicProfile) else _profile(topic)
    return score(profile, Document(title=title, text=text), model)


@bounded_cache(16)  # cache: topics that `judge` was asked for, by name
def _profile(topic: str) -> TopicProfile:
    return load_topic(topic)
