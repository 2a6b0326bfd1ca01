"""What is learned of the URL patterns of a site.

A pattern whose trap budget is spent is refused; one URL of it is probed now and then, and people may reset it. A place
in a pattern, such as that of a session id, makes no difference if URLs that differ there alone show the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, select

from newsspider.core.crawling.visit import Lease
from newsspider.core.fetching.traps import (
    LISTS,
    PLACE,
    SITE,
    Budget,
    PatternAccount,
    patterns_of,
    places_of,
    reason_text,
)
from newsspider.core.model import PageType, Reason, State
from newsspider.core.url import text_key, url_key
from newsspider.store.engine.statement import Inserts, Statement, rows_among
from newsspider.store.ledger import due_times
from newsspider.store.ledger.due_times import StateChange
from newsspider.store.tables import url_equivalences, url_patterns

PROVEN_TEXTS = 20  # known texts that prove a place irrelevant; before, one new text ends the pattern
FEWEST_PAGES = 3  # different pages before a pattern with a place is followed
MOST_LINKS = 5000  # links of a list that are searched for such pages
_FOLLOWED = f"SELECT key FROM url_patterns WHERE key IN ({{keys}}) AND (NOT yielded OR wasted >= {PROVEN_TEXTS})"
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


def mark_unread(conn: Connection, site: str, url: str) -> None:
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


FIELDS = [field.name for field in fields(PatternAccount)]
COLUMNS = ", ".join(FIELDS)
_TRY = Statement(
    "UPDATE url_patterns SET probe = :probe, retry_at = :again "
    "WHERE key = :key AND spent_at IS NOT NULL AND retry_at <= :now"
)
_OF_SPENT_SITES = Statement(
    f"""
    SELECT site, pattern, {COLUMNS} FROM url_patterns
    WHERE (yielded OR spent_at IS NOT NULL) AND site IN (SELECT site FROM url_patterns WHERE spent_at IS NOT NULL)
    """
)
_FORGET = Statement("DELETE FROM url_patterns WHERE site = :site")


def probe_due(
    conn: Connection, sites: Collection[str], budget: Budget, now: float
) -> dict[str, dict[str, PatternAccount]]:
    """The accounts of the spent and the yielding patterns, by owner and pattern, of owners with a spent pattern.

    The newest URL of each spent pattern whose ``retry_at`` has come waits again, as a probe.
    """
    accounts = _accounts(conn, sites, budget)
    due = [
        (owner, pattern, account)
        for owner in accounts
        for pattern, account in accounts[owner].items()
        if account.retry_at is not None and account.retry_at <= now
    ]
    for owner, pattern, account in due:
        site = owner if PLACE in pattern else budget.site_of(owner)
        _try_again(conn, owner, site, pattern, now, now + budget.again_after(account.tries))
    return _accounts(conn, sites, budget) if due else accounts


def _accounts(conn: Connection, sites: Collection[str], budget: Budget) -> dict[str, dict[str, PatternAccount]]:
    accounts: dict[str, dict[str, PatternAccount]] = {}
    for row in _OF_SPENT_SITES.run(conn, {}):
        if row.site in sites or budget.site_of(row.site) in sites:
            accounts.setdefault(row.site, {})[row.pattern] = account_of(row._asdict())
    return accounts


def _try_again(conn: Connection, owner: str, site: str, pattern: str, now: float, again: float) -> None:
    newest = latest(conn, site, pattern, 1)
    probe = newest[0].key if newest else None
    if _TRY.change(conn, {"key": pattern_key(owner, pattern), "probe": probe, "again": again, "now": now}):
        due_times.set_waiting(conn, newest, now)


def forget(conn: Connection, site: str, now: float) -> int:
    """Reset the patterns of a site, and let all URLs refused for them wait again; returns how many there are."""
    query = select(url_patterns.c.pattern).where(
        url_patterns.c.site == site, url_patterns.c.spent_at.is_not(None) | url_patterns.c.holds
    )
    names = list(conn.execute(query).scalars())
    _FORGET.change(conn, {"site": site})
    return sum(bring_back(conn, site, pattern, MOST_ROWS, now) for pattern in names)


def spent(conn: Connection, site: str | None = None, most: int | None = None) -> list[dict[str, Any]]:
    """The spent patterns of all sites or of one, whole sites first, then the latest."""
    names = ("site", "pattern", "wasted", "spent_at", "retry_at", "quarantined")
    columns = [url_patterns.c[name] for name in names]
    query = select(*columns).where(url_patterns.c.spent_at.is_not(None)).limit(most)
    query = query.order_by(url_patterns.c.pattern != SITE, url_patterns.c.spent_at.desc(), url_patterns.c.key)
    if site is not None:
        query = query.where(url_patterns.c.site == site)
    return [dict(row) for row in conn.execute(query).mappings()]


def account_of(row: Mapping[str, Any]) -> PatternAccount:
    """The account in a row."""
    values = {name: row[name] for name in FIELDS}
    flags = {name: bool(values[name]) for name in ("yielded", "holds", "quarantined")}  # SQLite has numbers
    return PatternAccount(**{**values, **flags})


# URLs that were never read; submitted and polled ones go on waiting.
_WAITING = Statement(
    """
    SELECT key, url, kind FROM urls
    WHERE host = :host AND site = :site AND queue = 0 AND state = 'waiting' AND reason = 'found'
          AND last_fetched_at IS NULL AND update_cycle IS NULL AND depth > 0 AND channel <> 'submitted'
    """
)
MOST_ROWS = 1_000_000_000
MOST_SIBLINGS = 5000  # URLs refused for a wider pattern that are searched for those of a pattern that yields now

_LATEST = Statement(
    """
    SELECT key, url, state FROM urls WHERE site = :site AND reason = 'trap' AND detail = :detail AND state = 'done'
    ORDER BY found_at DESC LIMIT :count
    """
)


def refuse(conn: Connection, lease: Lease, pattern: str, budget: Budget) -> None:
    """Refuse the waiting URLs on the host of a lease whose own pattern is this spent one."""
    waiting = _WAITING.run(conn, {"host": lease.host, "site": lease.site})
    keys = [row.key for row in waiting if budget.accounts_of(row.url, kind=PageType(row.kind))[0] == pattern]
    due_times.move(
        conn, [StateChange(key, State.WAITING, State.DONE, Reason.TRAP, detail=reason_text(pattern)) for key in keys]
    )


def bring_back(conn: Connection, site: str, pattern: str, count: int, now: float) -> int:
    """Let the newest ``count`` URLs refused for a pattern wait again; returns how many there were."""
    return len(due_times.set_waiting(conn, latest(conn, site, pattern, count), now))


def bring_siblings(conn: Connection, site: str, pattern: str, wider: Iterable[str], now: float) -> None:
    """Let URLs of a pattern that yields now wait again if they were refused for wider patterns."""
    for wider_pattern in wider:
        rows = latest(conn, site, wider_pattern, MOST_SIBLINGS)
        due_times.set_waiting(
            conn, [row for row in rows if patterns_of(row.url)[0] == pattern.removeprefix(LISTS)], now
        )


def latest(conn: Connection, site: str, pattern: str, count: int) -> list[Any]:
    """The rows of the newest ``count`` URLs refused for a pattern."""
    return _LATEST.run(conn, {"site": site, "detail": reason_text(pattern), "count": count})
