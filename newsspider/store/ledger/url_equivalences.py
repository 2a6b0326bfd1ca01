"""Finds URLs that differ from one already read only in an irrelevant part, such as a session id, by what the site shows
under them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from newsspider.core.fetching.url_patterns import places_of
from newsspider.core.url import text_key, url_key
from newsspider.store.engine.statement import Inserts, Statement, rows_among
from newsspider.store.tables import url_equivalences

PROVEN = 20  # known texts that prove a place irrelevant; before, one new text ends the pattern
FEWEST_PAGES = 3  # different pages before a pattern with a place is followed
MOST_LINKS = 5000  # links of a list that are searched for such pages
_FOLLOWED = f"SELECT key FROM url_patterns WHERE key IN ({{keys}}) AND (NOT yielded OR wasted >= {PROVEN})"
_READ = "SELECT key FROM url_equivalences WHERE key IN ({keys})"
_ADD = Inserts("INSERT INTO url_equivalences (key) VALUES (:key) ON CONFLICT (key) DO NOTHING", url_equivalences)
_DROP = Statement("DELETE FROM url_equivalences WHERE key = :key")
_OF_ARTICLE = Statement("SELECT url FROM article_urls WHERE article_id = :text AND site = :site")
_OF_BODY = Statement("SELECT url FROM urls WHERE reason = 'off_topic' AND body_hash = :text AND site = :site")
_NEIGHBOURS = Statement(
    f"""
    SELECT b.url, CASE WHEN b.reason = 'off_topic' THEN b.body_hash END AS body
    FROM urls u JOIN link_lists p ON p.src = u.parent JOIN list_links l ON l.list = p.id JOIN urls b ON b.key = l.dst
    WHERE u.key = :key AND NOT l.nofollow AND b.site = :site AND b.fetch_count > 0
    LIMIT {MOST_LINKS}
    """
)
_ARTICLES = "SELECT key, article_id FROM article_urls WHERE key IN ({keys})"


def pattern_key(site: str, pattern: str) -> int:
    """The key of a pattern of a site."""
    return text_key(f"{site}\n{pattern}")


def followed_places(conn: Connection, read: Sequence[tuple[str, str]]) -> list[list[str]]:
    """For each read URL, given with its site, the followed patterns in whose place alone it differs from a URL read
    before. Marks these URLs as read. Patterns are those of :func:`places_of`."""
    keys = [{pattern_key(site, name): (name, bare) for name, bare in places_of(url)} for site, url in read]
    followed = {row.key for row in rows_among(conn, _FOLLOWED, {key for places in keys for key in places})}
    bare_keys = [
        {name: _key(site, name, bare) for key, (name, bare) in places.items() if key in followed}
        for (site, _), places in zip(read, keys, strict=True)
    ]
    bares = {bare for places in bare_keys for bare in places.values()}
    already_read = {row.key for row in rows_among(conn, _READ, bares)}
    _ADD.change(conn, [{"key": key} for key in sorted(bares - already_read)])
    return [[name for name, bare in places.items() if bare in already_read] for places in bare_keys]


def differing(conn: Connection, site: str, url: str, text: int | str) -> str | None:
    """The pattern in whose place alone a URL differs from another one of its site with the same text, which is an
    article's number or the hash of an off-topic body; ``None`` if they differ in more."""
    rows = (_OF_ARTICLE if isinstance(text, int) else _OF_BODY).run(conn, {"text": text, "site": site})
    others = {place for row in rows if row.url != url for place in places_of(row.url)}
    return next((name for name, bare in places_of(url) if (name, bare) in others), None)


def place_matters(conn: Connection, site: str, name: str, url: str, key: int) -> bool | None:
    """Search the list that led to this URL for read URLs of a pattern, and mark them as read. Returns whether two of
    them differ in the pattern's place alone and show different texts; ``None`` if there are too few to tell."""
    read: dict[str, set[int | str]] = {bare: set() for place_name, bare in places_of(url) if place_name == name}
    neighbours = _NEIGHBOURS.run(conn, {"key": key, "site": site}).all()
    # an explore crawl has other keys in the ledger
    keys = [url_key(row.url) for row in neighbours]
    articles = {row.key: row.article_id for row in rows_among(conn, _ARTICLES, keys)}
    for row in neighbours:
        text = articles.get(url_key(row.url), row.body)
        for place_name, bare in places_of(row.url):
            if place_name == name and text is not None:
                read.setdefault(bare, set()).add(text)
    matters = any(len(texts) > 1 for texts in read.values())
    if len(read) < FEWEST_PAGES and not matters:
        return None
    _ADD.change(conn, [{"key": bare} for bare in sorted(_key(site, name, bare) for bare in read)])
    return matters


def first_yielding(conn: Connection, site: str, urls: Iterable[str]) -> set[str]:
    """Those of these URLs of a site that lead to a good page for the first time; they are marked as such."""
    keys = {text_key(f"{site}\n\n{url}"): url for url in urls}
    new_keys = _ADD.inserted_keys(conn, [{"key": key} for key in sorted(keys)])
    return {keys[key] for key in new_keys}


def forget(conn: Connection, site: str, url: str) -> None:
    """Mark a URL as not read."""
    _DROP.change_many(conn, [{"key": _key(site, name, bare)} for name, bare in places_of(url)])


def read_before(conn: Connection, places: Iterable[tuple[int, str, str, str]]) -> dict[int, str]:
    """Maps the key of a URL to its first pattern in whose place alone it differs from a URL that was read.

    Each of ``places`` is the key, the site, the pattern, and the URL without the part at its place.
    """
    bares = {(url, name): _key(site, name, bare) for url, site, name, bare in places}
    already_read = {row.key for row in rows_among(conn, _READ, set(bares.values()))}
    return {url: name for (url, name), bare in reversed(bares.items()) if bare in already_read}


def _key(site: str, name: str, bare: str) -> int:
    return text_key(f"{site}\n{name}\n{bare}")
