"""Reports the groups of reprints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, or_, select

from newsspider.core.duplicates.first_source import Step
from newsspider.core.url import url_key
from newsspider.store.articles.export import article_at
from newsspider.store.articles.reprints import steps_of
from newsspider.store.engine.statement import rows_among
from newsspider.store.tables import article_urls, reprints

_LIKE = """
    SELECT u.url, r.containment, r.resemblance FROM article_urls u JOIN reprints r ON r.article_id = u.article_id
    WHERE u.key IN ({keys}) AND r.containment IS NOT NULL
    """


@dataclass(frozen=True, slots=True)
class Group:
    """The pages of one text and its reprints: the first source, then the others in the order of copying."""

    title: str
    steps: tuple[Step, ...]
    likeness: dict[str, tuple[float, float]]  # by URL: containment and resemblance, where it is a near reprint

    def record(self) -> dict[str, Any]:
        """The group as JSON."""
        return {"title": self.title, "chain": [self._step(step) for step in self.steps]}

    def _step(self, step: Step) -> dict[str, Any]:
        copy = step.copy
        containment, resemblance = self.likeness.get(copy.url, (None, None))
        return {
            "url": copy.url, "site": copy.site, "source": copy.source, "published_at": copy.published_at,
            "found_at": copy.found_at, "taken_from": step.taken_from, "outlet": step.outlet,
            "containment": containment, "resemblance": resemblance,
        }  # fmt: skip


def largest(conn: Connection, limit: int) -> Iterator[Group]:
    """The groups with the most pages, among equals the latest first: near reprints, and articles that several sites
    show word for word."""
    article = article_urls.c.article_id
    group = func.coalesce(reprints.c.group_id, -article)
    site = article_urls.c.site
    has_copies = or_(func.min(article) < func.max(article), func.min(site) < func.max(site))
    order = func.count().desc(), func.max(article).desc()
    query = select(func.max(article)).select_from(article_urls.outerjoin(reprints, reprints.c.article_id == article))
    for (number,) in conn.execute(query.group_by(group).having(has_copies).order_by(*order).limit(limit)).all():
        yield _group(conn, number)


def of_url(conn: Connection, url: str) -> Group | None:
    """The group of the article with this canonical URL, even if it is alone; ``None`` if there is no article."""
    number = article_at(conn, url)
    return None if number is None else _group(conn, number)


def _group(conn: Connection, article_id: int) -> Group:
    steps = tuple(steps_of(conn, article_id))
    keys = [url_key(step.copy.url) for step in steps]
    title = conn.execute(select(article_urls.c.title).where(article_urls.c.key == keys[0])).scalar()
    like = {row.url: (row.containment, row.resemblance) for row in rows_among(conn, _LIKE, keys)}
    return Group(title or "", steps, like)
