"""What ``scrapy explain`` says of a page that links lead to or that an explore crawl read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, delete

from newsspider.features.explore import discovered, stored_ranks
from newsspider.features.explore.tables import explore_pages, ranks
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger.crawls import keys_of

ANCHORS_READ = 1000  # of the pages that link to it, for its names
MOST_NAMES = 10  # names of a page that are printed

_EXPLORED = Statement("SELECT title, markup_errors FROM explore_pages WHERE key = :key")
_CITED = Statement(
    "SELECT anchor FROM links_of_lists WHERE dst = :key AND NOT nofollow ORDER BY found_at, src LIMIT :count"
)


def facts_of(conn: Connection, key: int) -> Iterator[tuple[str, str]]:
    """Lines, each with a word in front."""
    yield from stored_ranks.facts_of(conn, key)
    if explored := _EXPLORED.run(conn, {"key": key}).first():
        anchors = [row.anchor for row in _CITED.run(conn, {"key": key, "count": ANCHORS_READ})]
        if names := _cited_as(explored.title, anchors):
            yield "cited as", "; ".join(names[:MOST_NAMES])
        for fault in json.loads(explored.markup_errors):
            yield "fault", fault


def forget_url_facts(conn: Connection, url: str) -> None:
    """Delete what is known of a URL."""
    keys = keys_of(conn, url)
    discovered.drop(conn, keys)
    for table in (explore_pages, ranks):
        conn.execute(delete(table).where(table.c.key.in_(keys)))


def _cited_as(title: str, anchors: Iterable[str]) -> tuple[str, ...]:
    """The texts that a page is found by: its title, then the distinct anchors of the pages that cite it.

    >>> _cited_as("北京大学", ["北大", " 北京大学 ", "", "北大", "PKU"])
    ('北京大学', '北大', 'PKU')
    """
    texts = (" ".join(text.split()) for text in (title, *anchors))
    return tuple(dict.fromkeys(text for text in texts if text))
