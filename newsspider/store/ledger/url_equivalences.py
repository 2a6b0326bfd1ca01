"""Which URLs were read that are equal to another one but for one part, as a session id is: by what a site shows
under them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from newsspider.core.fetching.url_patterns import places_of
from newsspider.core.url import url_key
from newsspider.store.engine.statement import Inserts, Statement, rows_among
from newsspider.store.tables import url_equivalences

PROVEN = 20  # texts that were known; before, a pattern with a place that yields once is followed no more
FEWEST = 3  # different pages of a pattern with a place, before it is followed
MOST = 5000  # links of a list are looked at for them
_FOLLOWED = f"SELECT key FROM url_patterns WHERE key IN ({{keys}}) AND (NOT yielded OR wasted >= {PROVEN})"
_READ = "SELECT key FROM url_equivalences WHERE key IN ({keys})"
_ADD = Inserts("INSERT INTO url_equivalences (key) VALUES (:key) ON CONFLICT (key) DO NOTHING", url_equivalences)
_DROP = Statement("DELETE FROM url_equivalences WHERE key = :key")
_OF_ARTICLE = Statement("SELECT url FROM article_urls WHERE article_id = :text AND site = :site")
_OF_BODY = Statement("SELECT url FROM urls WHERE reason = 'off_topic' AND body_hash = :text AND site = :site")
_BESIDE = Statement(
    f"""
    SELECT b.url, CASE WHEN b.reason = 'off_topic' THEN b.body_hash END AS body
    FROM urls u JOIN link_lists p ON p.src = u.parent JOIN list_links l ON l.list = p.id JOIN urls b ON b.key = l.dst
    WHERE u.key = :key AND NOT l.nofollow AND b.site = :site AND b.fetch_count > 0
    LIMIT {MOST}
    """
)
_ARTICLES = "SELECT key, article_id FROM article_urls WHERE key IN ({keys})"


def pattern_key(site: str, pattern: str) -> int:
    """The number of a pattern of a site."""
    return url_key(f"{site}\n{pattern}")


def met(conn: Connection, read: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Returns for each URL that was read, given with its site, the followed patterns in whose place alone it differs
    from a URL that was read before. Notes that these URLs were read. Patterns are those of :func:`places_of`."""
    keys = [{pattern_key(site, name): (name, bare) for name, bare in places_of(url)} for site, url in read]
    followed = {row.key for row in rows_among(conn, _FOLLOWED, {key for each in keys for key in each})}
    found = [
        {name: _key(site, name, bare) for key, (name, bare) in each.items() if key in followed}
        for (site, _), each in zip(read, keys, strict=True)
    ]
    wanted = {bare for each in found for bare in each.values()}
    known = {row.key for row in rows_among(conn, _READ, wanted)}
    _ADD.change(conn, [{"key": key} for key in sorted(wanted - known)])
    return [[name for name, bare in each.items() if bare in known] for each in found]


def differing(conn: Connection, site: str, url: str, text: int | str) -> str | None:
    """The pattern with the place in which a URL differs from another one of its site that shows the same text, an
    article or the hash of a body off topic; ``None`` if they differ in more than one."""
    rows = (_OF_ARTICLE if isinstance(text, int) else _OF_BODY).run(conn, {"text": text, "site": site})
    alike = {place for row in rows if row.url != url for place in places_of(row.url)}
    return next((name for name, bare in places_of(url) if (name, bare) in alike), None)


def follow(conn: Connection, site: str, name: str, url: str, key: int) -> bool | None:
    """Note which URLs of a pattern with a place were read, of those that the list shows that led to this one;
    whether two of them differ in that place alone and show different texts. ``None``: there are too few to tell."""
    read: dict[str, set[int | str]] = {bare: set() for each, bare in places_of(url) if each == name}
    beside = _BESIDE.run(conn, {"key": key, "site": site}).all()
    # an explore crawl has other keys in the ledger
    articles = {row.key: row.article_id for row in rows_among(conn, _ARTICLES, [url_key(row.url) for row in beside])}
    for row in beside:
        text = articles.get(url_key(row.url), row.body)
        for each, bare in places_of(row.url):
            if each == name and text is not None:
                read.setdefault(bare, set()).add(text)
    matters = any(len(texts) > 1 for texts in read.values())
    if len(read) < FEWEST and not matters:
        return None
    _ADD.change(conn, [{"key": bare} for bare in sorted(_key(site, name, bare) for bare in read)])
    return matters


def first(conn: Connection, site: str, urls: Iterable[str]) -> set[str]:
    """Those of these URLs of a site on which nothing was found so far that brought something; note that something
    was."""
    keys = {url_key(f"{site}\n\n{url}"): url for url in urls}
    made = _ADD.made(conn, [{"key": key} for key in sorted(keys)])
    return {keys[key] for key in made}


def forget(conn: Connection, site: str, url: str) -> None:
    """A URL counts as one that was not read."""
    _DROP.change_many(conn, [{"key": _key(site, name, bare)} for name, bare in places_of(url)])


def read_before(conn: Connection, asked: Iterable[tuple[int, str, str, str]]) -> dict[int, str]:
    """By the key of a URL, the first of its patterns of which another URL was read that is equal but for that place.
    Of each are given the key, the site, the pattern, and the URL without what stands there."""
    bares = {(url, name): _key(site, name, bare) for url, site, name, bare in asked}
    known = {row.key for row in rows_among(conn, _READ, set(bares.values()))}
    return {url: name for (url, name), bare in reversed(bares.items()) if bare in known}


def _key(site: str, name: str, bare: str) -> int:
    return url_key(f"{site}\n{name}\n{bare}")
