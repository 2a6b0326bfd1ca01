"""The arguments of commands on topics: profiles and models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from newsspider.core.relevance.topic import TopicProfile


def load(name_or_path: str, *, trained: bool = True) -> TopicProfile:
    """The topic with this name or profile; ``UsageError`` if it is unusable."""
    from newsspider.topics.loader import BadTopic, load_topic

    try:
        return load_topic(name_or_path, trained=trained)
    except BadTopic as error:
        raise wrong_use(f"topic {error}") from None


def known_model(name: str | None) -> str | None:
    """The name of a scoring model, if it is one; ``UsageError`` otherwise."""
    from newsspider.core.relevance.models import Model

    if name is not None and name not in list(Model):
        raise wrong_use(f"model {name!r} is unknown; the models are {', '.join(Model)}")
    return name
