"""Finds stored articles by words: every word of the query must stand in the title or the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, false, func, or_, select

from newsspider.store.articles.export import ALL, FINDABLE, GROUP, GROUPED, MOMENT, THERE, Filters, records
from newsspider.store.tables import article_urls, articles, ranks
from newsspider.store.tables import reprints as groups

# characters of a query: whoever says more means no words, and a database takes patterns of some length only
LONGEST = 200


class Sort(StrEnum):
    """What comes first."""

    TIME = "time"  # the latest
    PRIORITY = "priority"  # the heaviest source, then the latest
    RANK = "rank"  # the heaviest page by the links to it, then the highest PageRank, then the latest


@dataclass(frozen=True, slots=True)
class Found:
    """The first records of a search, and how many articles there are in all."""

    total: int
    records: tuple[dict[str, Any], ...]


def words(query: str) -> tuple[str, ...]:
    """The words of a query, each once; any blank parts them, also that of Chinese type.

    >>> words(" 高考　改革 高考 ")
    ('高考', '改革')
    """
    return tuple(dict.fromkeys(query.split()))


def search(
    conn: Connection,
    query: str,
    filters: Filters = ALL,
    *,
    limit: int = 20,
    sort: Sort = Sort.TIME,
    reprints: bool = False,
    vanished: bool = False,
) -> Found:
    """The articles whose title or body holds every word of the query, letters in either case; no word: no article.

    Of an article and its reprints that are found, one is shown and counted: that of the first source, else the
    earliest; with ``reprints``, each. Articles of which no page is there any more are found with ``vanished`` only.
    What META robots or X-Robots-Tag keep out of an index (``noindex``) is not found, unless another page shows the same
    body.
    """
    wanted = words(query)
    if not wanted:
        return Found(0, ())
    conditions = [*map(holds, wanted), FINDABLE, *([] if vanished else [THERE]), *filters.conditions()]
    chosen = select(articles).where(*conditions) if reprints else _one_a_group(conditions)
    total = conn.execute(select(func.count()).select_from(chosen.subquery())).scalar_one()
    shown = chosen.order_by(*_order(sort)).limit(limit)
    return Found(total, tuple(records(conn, conn.execute(shown).mappings().all())))


def _one_a_group(conditions: Sequence[ColumnElement[bool]]) -> Select[Any]:
    """Of the articles that fulfil them, the one of each group of reprints that stands for it."""
    first = func.coalesce(groups.c.is_first, false())
    place = func.row_number().over(partition_by=GROUP, order_by=(first.desc(), MOMENT, articles.c.id))
    ranked = select(articles.c.id, place.label("place")).select_from(GROUPED).where(*conditions).subquery()
    return select(articles).join(ranked, ranked.c.id == articles.c.id).where(ranked.c.place == 1)


def holds(word: str) -> ColumnElement[bool]:
    """Whether title or body of an article hold the word."""
    places = (articles.c.title, articles.c.text)
    if word.lower() == word.upper():  # Chinese has no case, and folding it takes time
        return or_(*(place.contains(word, autoescape=True) for place in places))
    return or_(*(place.icontains(word, autoescape=True) for place in places))


def _order(sort: Sort) -> Sequence[ColumnElement[Any]]:
    latest = (MOMENT.desc(), articles.c.id.desc())
    if sort is Sort.RANK:
        return (_best(ranks.c.weight).desc().nulls_last(), _best(ranks.c.pagerank).desc().nulls_last(), *latest)
    return (articles.c.priority.desc(), *latest) if sort is Sort.PRIORITY else latest


def _best(figure: ColumnElement[Any]) -> ColumnElement[Any]:
    """What the best of an article's pages has; NULL where no link joins any of them."""
    pages = article_urls.join(ranks, ranks.c.key == article_urls.c.key)
    of_article = select(func.max(figure)).select_from(pages).where(article_urls.c.article_id == articles.c.id)
    return of_article.correlate(articles).scalar_subquery()
