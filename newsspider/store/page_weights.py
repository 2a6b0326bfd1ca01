"""Counts what the weight of a page rests on: the pages that link to it, and the hosts that mirror it.

Only links of lists and of the pages of explore crawls count: they are stored link by link.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from newsspider.core.links.page_weight import directory_depth, page_weight
from newsspider.core.url import host_of
from newsspider.store.engine.statement import rows_among

_LINKED = "SELECT l.dst, count(*) AS pages FROM list_links l WHERE NOT l.nofollow AND l.dst IN ({keys}) GROUP BY l.dst"
_FATHERS = """
    SELECT l.dst, p.src FROM list_links l JOIN link_lists p ON p.id = l.list
    WHERE NOT l.nofollow AND l.dst IN ({keys})
    """
_STORY = "COALESCE(r.group_id, -u.article_id) AS story"
_STORIES = f"""
    SELECT u.key, u.url, u.article_id, {_STORY} FROM article_urls u LEFT JOIN reprints r ON r.article_id = u.article_id
    WHERE u.{{column}} IN ({{{{keys}}}})
    """
_BY_KEY, _BY_ARTICLE = _STORIES.format(column="key"), _STORIES.format(column="article_id")
_COPIES = """
    SELECT r.group_id, u.url FROM reprints r JOIN article_urls u ON u.article_id = r.article_id
    WHERE r.group_id IN ({keys})
    """


class LinkCounts(NamedTuple):
    """How many pages link to a page, and the most that link to one of these."""

    indegree: int = 0
    father: int = 0


def link_counts(conn: Connection, keys: Iterable[int]) -> dict[int, LinkCounts]:
    """The counts of the pages with these keys that anything links to."""
    fathers: defaultdict[int, list[int]] = defaultdict(list)
    for row in rows_among(conn, _FATHERS, keys):
        fathers[row.dst].append(row.src)
    linking = {src for sources in fathers.values() for src in sources}
    indegrees = {row.dst: row.pages for row in rows_among(conn, _LINKED, fathers.keys() | linking)}
    return {
        key: LinkCounts(indegrees[key], max(indegrees.get(src, 0) for src in sources))
        for key, sources in fathers.items()
    }


def mirrors_of(conn: Connection, keys: Iterable[int]) -> dict[int, int]:
    """How many other hosts show the article of each of these URLs, or a reprint of it."""
    stories = rows_among(conn, _BY_KEY, keys)
    counts = _hosts_of(conn, {row.article_id for row in stories})
    return {row.key: counts[row.story] - 1 for row in stories}


def weights_of(conn: Connection, ids: Sequence[int]) -> dict[int, float]:
    """The page weight of the best page of each of these articles that links lead to."""
    pages = rows_among(conn, _BY_ARTICLE, ids)
    counts, hosts = link_counts(conn, [page.key for page in pages]), _hosts_of(conn, ids)
    weights: dict[int, float] = {}
    for page in pages:
        if linked := counts.get(page.key):
            weight = float(page_weight(*linked, hosts[page.story] - 1, directory_depth(page.url)))
            weights[page.article_id] = max(weight, weights.get(page.article_id, weight))
    return weights


def _hosts_of(conn: Connection, ids: Iterable[int]) -> dict[int, int]:
    """By story, a group of reprints or an article, how many hosts show it."""
    hosts: defaultdict[int, set[str]] = defaultdict(set)
    for row in rows_among(conn, _BY_ARTICLE, ids):
        hosts[row.story].add(host_of(row.url))
    for row in rows_among(conn, _COPIES, [story for story in hosts if story > 0]):
        hosts[row.group_id].add(host_of(row.url))
    return {story: len(names) for story, names in hosts.items()}
