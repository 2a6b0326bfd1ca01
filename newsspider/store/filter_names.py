"""Whether a filter names a site, topic or sub-topic that the store or newsspider knows."""

from __future__ import annotations

import tomllib

from sqlalchemy import ColumnElement, Connection, exists, select

from newsspider.store.tables import articles, labels, queues, sites, subtopics, urls
from newsspider.topics.shipped import topic_names


def is_site(conn: Connection, name: str) -> bool:
    """Whether the registry, an article or a crawl has a site with this name, or newsspider ships one."""
    if not name:
        return False
    if _any(conn, sites.c.name == name, queues.c.site == name, articles.c.site == name, urls.c.site == name):
        return True
    from newsspider.sites.loader import shipped  # seldom needed, and slow to load

    return any(tomllib.loads(text)["name"] == name for _, text in shipped())


def is_topic(conn: Connection, name: str, own: str) -> bool:
    """Whether an article has this topic, or a label for it, or it is a topic of newsspider or the settings' ``own``."""
    return bool(name) and (
        name in topic_names()
        or _any(conn, articles.c.topic == name, labels.c.topic == name)
        or any(topic == name for topic, _ in _profiles(own))
    )


def is_subtopic(conn: Connection, name: str, own: str) -> bool:
    """Whether an article has this sub-topic, or a topic of newsspider or the settings' ``own`` has it."""
    return bool(name) and (_any(conn, subtopics.c.name == name) or any(name in parts for _, parts in _profiles(own)))


def _any(conn: Connection, *conditions: ColumnElement[bool]) -> bool:
    """Whether there is a row that meets one of these conditions, tried in this order."""
    return any(conn.execute(select(exists().where(condition))).scalar() for condition in conditions)


def _profiles(own: str) -> list[tuple[str, tuple[str, ...]]]:
    """The names and sub-topics of the available topics."""
    from newsspider.topics.loader import TopicError, load_topic  # as above

    profiles = []
    for name in dict.fromkeys((own, *topic_names())):
        try:
            topic = load_topic(name, trained=False)
        except TopicError:
            continue
        profiles.append((topic.name, tuple(topic.subtopics)))
    return profiles
