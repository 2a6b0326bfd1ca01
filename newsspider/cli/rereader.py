"""The reader with which a command reads stored pages again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from newsspider.core.extraction.lines.boilerplate_lines import Boilerplate
from newsspider.pages.rereading import Rereader
from newsspider.store.engine.database import reading
from newsspider.store.ledger import site_knowledge
from newsspider.store.sites import every_site

if TYPE_CHECKING:
    from scrapy.settings import Settings
    from sqlalchemy import Engine

    from newsspider.core.relevance.topic import TopicProfile


def rereader_of(settings: Settings, engine: Engine, topics: Sequence[TopicProfile]) -> Rereader:
    """A reader with the sites and boilerplate lines of the store; of topics with one name the first counts."""
    with reading(engine) as conn:
        watched, boilerplate = every_site(conn), site_knowledge.known_boilerplate(conn)
    left_out = boilerplate if settings.getbool("BOILERPLATE_LEARNED") else {}
    return Rereader(
        {site.name: site.rules for site in watched},
        {site: Boilerplate(lines) for site, lines in left_out.items()},
        {topic.name: topic for topic in reversed(topics)},
        settings.get("RELEVANCE_MODEL") or None,
        settings["DEFAULT_CHARSET"],
    )
