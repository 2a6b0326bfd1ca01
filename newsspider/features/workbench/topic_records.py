"""Topics and scores as JSON has them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newsspider.core.model import Relevance
    from newsspider.core.relevance.topic import TopicProfile


def profile_summary(topic: TopicProfile) -> dict[str, object]:
    """What a profile holds, in figures."""
    return {
        "name": topic.name,
        "title": topic.title,
        "model": topic.model,
        "terms": len(topic.terms),
        "spellings": len(topic.spellings()),
        "classes": dict(Counter(term.category for term in topic.terms)),
        "negative": len(topic.negative),
        "decoys": len(topic.decoys),
        "rules": len(topic.rules),
        "subtopics": list(topic.subtopics),
        "trained": topic.learned is not None,
        "thresholds": {
            model: {"article": least.article, "headline": least.headline} for model, least in topic.thresholds.items()
        },
    }


def score_record(relevance: Relevance) -> dict[str, Any]:
    """A score, with what decided it."""
    record: dict[str, Any] = {
        "score": relevance.score,
        "relevant": relevance.relevant,
        "terms": list(relevance.terms),
        "model": relevance.model,
    }
    if relevance.parts:
        record |= {"decided_by": relevance.decided_by, "parts": dict(relevance.parts)}
    if relevance.rules:
        record["rules"] = list(relevance.rules)
    return record | ({"subtopics": list(relevance.subtopics)} if relevance.subtopics else {})
