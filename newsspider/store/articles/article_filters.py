"""Which stored articles readers get: those that match filters, reprints as one, without the hidden ones, which ask not
to be indexed or have vanished; and whether the name in a filter is known."""

from __future__ import annotations

import tomllib
from collections.abc import Set
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Connection, Select, exists, func, literal_column, or_, select

from newsspider.core.model import Reason
from newsspider.core.query.query_dates import DAY_SECONDS, OFFSET_SECONDS
from newsspider.core.text.regions import regions_within
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.tables import articles, labels, queues, reprints, sites, subtopics, urls
from newsspider.topics.shipped import topic_names

MOMENT = func.coalesce(articles.c.published_ts, articles.c.crawled_ts)  # without a date: when the article was read
# The day in China of a moment, counted from 1970-01-01, as SQL, which would round the days before it up.
_DAYS = date(1970, 1, 1).toordinal()
CHINA_DAY = f"({{moment}} + {OFFSET_SECONDS + _DAYS * DAY_SECONDS}) / {DAY_SECONDS} - {_DAYS}"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which articles to read; ``since`` is inclusive, ``until`` exclusive, ``None`` lets everything through."""

    since: datetime | None = None
    until: datetime | None = None
    site: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    region: str | None = None  # the short name of a province or city of the site
    about: str | None = None  # of one that the article is about

    def conditions(self) -> list[ColumnElement[bool]]:
        """The same as SQL."""
        conditions: list[ColumnElement[bool]] = []
        if self.since is not None:
            conditions.append(int(self.since.timestamp()) <= MOMENT)
        if self.until is not None:
            conditions.append(int(self.until.timestamp()) > MOMENT)
        if self.site is not None:
            conditions.append(articles.c.site == self.site)
        if self.topic is not None:
            conditions.append(articles.c.topic == self.topic)
        if self.region is not None:
            conditions.append(articles.c.region.in_(regions_within(self.region)))
        if self.about is not None:
            named = (articles.c.places.contains(f'"{place}"') for place in regions_within(self.about))
            conditions.append(or_(*named))
        if self.subtopic is not None:
            # a join: one row an article
            conditions += [subtopics.c.name == self.subtopic, subtopics.c.article_id == articles.c.id]
        return conditions

    def following(self, after_id: int, count: int) -> Select[Any]:
        """The query for the next ``count`` matching rows of ``articles`` after a number, ordered by an index."""
        number = articles.c.id if self.subtopic is None else subtopics.c.article_id
        return select(articles).where(number > after_id, *self.conditions()).order_by(number).limit(count)


NO_FILTERS = Filters()
GROUP = func.coalesce(reprints.c.group_id, -articles.c.id)  # one number for an article and its reprints
GROUPED = articles.outerjoin(reprints, reprints.c.article_id == articles.c.id)
# As text, because the search runs them once a query. IS_THERE: one of its pages has not vanished; pages that redirect
# count only if there are no others.
IS_FINDABLE = "EXISTS (SELECT 1 FROM article_urls p WHERE p.article_id = articles.id AND NOT p.noindex)"
_STAYS = f"COALESCE((SELECT reason FROM urls WHERE urls.key = {{page}}.key), '') <> '{Reason.REDIRECT}'"
IS_THERE = f"""EXISTS (
    SELECT 1 FROM article_urls p WHERE p.article_id = articles.id
    AND NOT EXISTS (SELECT 1 FROM missing_articles m WHERE m.key = p.key AND m.vanished_at IS NOT NULL)
    AND ({_STAYS.format(page="p")} OR NOT EXISTS (
        SELECT 1 FROM article_urls o WHERE o.article_id = p.article_id AND {_STAYS.format(page="o")}))
)"""
# The articles that are not findable or not there: of the few that may be, so that a list of many need not be tested.
_SUSPECTS = """
SELECT article_id FROM article_urls WHERE noindex
UNION ALL SELECT u.article_id FROM missing_articles m JOIN article_urls u ON u.key = m.key
WHERE m.vanished_at IS NOT NULL
"""
_HIDDEN = f"SELECT id FROM articles WHERE {{named}} IN ({_SUSPECTS}) AND NOT ({IS_FINDABLE} AND {IS_THERE})"
HIDDEN = _HIDDEN.format(named="id")
# Those among the rows of ``hits``: with the plus SQLite begins with these, however many articles the store hides.
HIDDEN_HITS = f"{_HIDDEN.format(named='+id')} AND id IN (SELECT article_id FROM hits)"
_ALL_SUSPECTS = Statement(_SUSPECTS)
_SHOWN = f"SELECT id FROM articles WHERE id IN ({{keys}}) AND {IS_FINDABLE} AND {IS_THERE}"
FINDABLE: ColumnElement[bool] = literal_column(IS_FINDABLE, Boolean)
THERE: ColumnElement[bool] = literal_column(IS_THERE, Boolean)


def hidden_among(conn: Connection, numbers: Set[int]) -> Set[int]:
    """Those of these articles that are not findable or not there."""
    suspects = numbers & {article for (article,) in _ALL_SUSPECTS.bare(conn, {})}
    return suspects - {row.id for row in rows_among(conn, _SHOWN, suspects)}


def is_site(conn: Connection, name: str) -> bool:
    """Whether the registry, an article or a crawl has a site with this name, or newsspider ships one."""
    if not name:
        return False
    if _any(conn, sites.c.name == name, queues.c.site == name, articles.c.site == name, urls.c.site == name):
        return True
    from newsspider.sites.loader import shipped_texts  # seldom needed, and slow to load

    return any(tomllib.loads(text)["name"] == name for _, text in shipped_texts())


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
