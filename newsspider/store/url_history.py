"""Everything the store knows of one URL, and how to forget it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from newsspider.core.url import url_key
from newsspider.hooks import plugins
from newsspider.store.articles import articles_by_body, held_articles, labels, revisits
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries
from newsspider.store.ledger import hosts, queues, stored_links, trap_budgets
from newsspider.store.ledger.crawls import keys_of

_ONE_URL = Statement("SELECT * FROM urls WHERE key = :key")
_ONE_HOST = Statement("SELECT * FROM hosts WHERE host = :host")
_ARTICLE = Statement(
    """
    SELECT a.*, (SELECT count(*) FROM article_urls n WHERE n.article_id = a.id) AS urls
    FROM article_urls u JOIN articles a ON a.id = u.article_id WHERE u.key = :key
    """
)
_LEADING = Statement(
    """
    SELECT a.id FROM links_of_lists l JOIN article_urls u ON u.key = l.dst JOIN articles a ON a.id = u.article_id
    WHERE l.src = :key AND l.kind = 'article' ORDER BY a.id
    """
)
_DELETE = Statement("DELETE FROM urls WHERE key = :key")
_LET_REST = Statement(
    """
    UPDATE hosts SET next_at = CASE WHEN next_at > busy_until THEN next_at ELSE busy_until END,
                     busy_key = NULL, busy_until = NULL
    WHERE busy_key = :key RETURNING next_at
    """
)
_COUNT = Statement(
    "INSERT INTO url_deletions (id, total) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET total = url_deletions.total + 1"
)
_SHOWN_BY = Statement(
    """
    SELECT u.url, l.anchor, l.channel FROM links_of_lists l JOIN urls u ON u.key = l.src
    WHERE l.dst = :key AND NOT l.nofollow
    ORDER BY l.found_at, u.url LIMIT :count
    """
)

_ABSENCE = Statement("SELECT * FROM missing_articles WHERE key = :key")
_CHANNEL = Statement("SELECT * FROM channels WHERE site = :site AND name = :name AND key = :key")

PAGES_SHOWN = 5  # lists that show the URL


@dataclass(frozen=True, slots=True)
class History:
    """The rows of a URL and its host, the page that led to it, its article, and the list pages that show it."""

    url: Mapping[str, Any]
    host: Mapping[str, Any] | None
    parent: str | None
    article: Mapping[str, Any] | None
    shown_by: tuple[Any, ...]
    absence: Mapping[str, Any] | None = None  # its row of `missing_articles`
    revisions: tuple[dict[str, Any], ...] = ()  # earlier versions of its article, the oldest first
    channel: Mapping[str, Any] | None = None  # the channel whose page it is
    facts: tuple[tuple[str, str], ...] = ()  # what features know of it


def histories_of(conn: Connection, url: str) -> list[History]:
    """All that is known about a canonical URL: as one of the watched sites, and in each explore crawl that has it."""
    return [history for key in keys_of(conn, url) if (history := explain(conn, key)) is not None]


def explain(conn: Connection, key: int) -> History | None:
    """What is known of the URL with this key; ``None`` if nothing is."""
    url = _ONE_URL.run(conn, {"key": key}).first_as_dict()
    if url is None:
        return None
    parent = _ONE_URL.run(conn, {"key": url["parent"]}).first_as_dict()
    return History(
        url,
        _ONE_HOST.run(conn, {"host": url["host"]}).first_as_dict(),
        parent["url"] if parent else None,
        _ARTICLE.run(conn, {"key": url_key(url["url"])}).first_as_dict(),
        tuple(_SHOWN_BY.run(conn, {"key": key, "count": PAGES_SHOWN})),
        _ABSENCE.run(conn, {"key": url_key(url["url"])}).first_as_dict(),
        tuple(revisits.revisions_of(conn, url_key(url["url"]))),
        _CHANNEL.run(conn, {"site": url["site"], "name": url["channel"], "key": key}).first_as_dict(),
        tuple(fact for of_plugin in plugins().hook.url_facts(conn=conn, key=key) for fact in of_plugin),
    )


def pages_linking_to(conn: Connection, keys: Iterable[int]) -> set[int]:
    """The keys of the pages that link to the URLs with these keys. It reads all links, so never call it in a
    transaction that writes."""
    return {link.src for link in stored_links.to_urls(conn, keys) if not link.nofollow}


def forget_url(conn: Connection, key: int, linking: Iterable[int] = ()) -> bool:
    """Remove a URL with the links of its page, what people said of it, and its article if that has no other URL;
    ``False`` if the URL is not known.

    The result of a fetch under way is refused, but its host rests until the lease would have ended. A page that still
    links to the URL makes it known again: the pages ``linking`` to it are read in full at their next visit.
    """
    url = _ONE_URL.run(conn, {"key": key}).first_as_dict()
    if url is None:
        return False
    articles_by_body.drop_url(conn, url_key(url["url"]))
    labels.forget(conn, url_key(url["url"]))
    held_articles.drop(conn, [url_key(url["url"])])
    plugins().hook.url_forgotten(conn=conn, url=url["url"])
    hosts.reread(conn, linking)
    trap_budgets.mark_unread(conn, url["site"], url["url"])
    leading = _LEADING.run(conn, {"key": key})
    stored_links.forget(conn, key)
    for row in leading:
        entries.refresh_anchors(conn, row.id)
    _DELETE.change(conn, {"key": key})
    if (rests_until := _LET_REST.run(conn, {"key": key}).scalar()) is not None:
        hosts.free(conn, key, rests_until)
    count_deletion(conn)
    queues.refresh(conn, [url["host"]])
    return True


def count_deletion(conn: Connection) -> None:
    """Have all writers clear their caches of the store."""
    _COUNT.change(conn, {})
