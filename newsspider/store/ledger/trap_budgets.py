"""Trap budgets: counts what the URLs of each pattern of a site waste and yield, and refuses or releases URLs by it.

A pattern whose budget is spent is refused; one URL of it is probed now and then, and people may reset it. A place in a
pattern, such as that of a session id, makes no difference if URLs that differ there alone show the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, fields, replace
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, select

from newsspider.core.crawling.visit import Lease, PageResult, Pages, Saved
from newsspider.core.fetching.traps import (
    ARTICLE_REASONS,
    LISTS,
    PLACE,
    SITE,
    Budget,
    PatternAccount,
    account_after_page,
    has_brought,
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

LONGEST_CHAIN = 5  # redirects in a chain; each further one counts as wasted
DEEPEST_FRAMES = 1  # levels of framesets with several frames; a deeper one counts as wasted
MOST_ABOVE = 3  # pages above a good page that get credit for it
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
_KNOWN = f"SELECT key, {COLUMNS} FROM url_patterns WHERE key IN ({{keys}}) [ORDER BY key FOR UPDATE]"
_KEEP = Inserts(
    f"""
    INSERT INTO url_patterns (key, site, pattern, {COLUMNS})
    VALUES (:key, :site, :pattern, {", ".join(f":{name}" for name in FIELDS)})
    ON CONFLICT (key) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in FIELDS)}
    """,
    url_patterns,
)
# One site shows the same text under ever new URLs; the same text on another site is no waste.
_SAME_ARTICLE = """
    SELECT article_id AS text, site FROM article_urls WHERE article_id IN ({keys})
    GROUP BY article_id, site HAVING count(*) > 1
"""
_SAME_BODY = """
    SELECT body_hash AS text, site FROM urls WHERE reason = 'off_topic' AND body_hash IN ({keys})
    GROUP BY body_hash, site HAVING count(*) > 1
"""
_ABOVE = Statement(
    """
    WITH RECURSIVE above (key, url, parent, number) AS (
        SELECT p.key, p.url, p.parent, 1 FROM urls u JOIN urls p ON p.key = u.parent WHERE u.key = :key
        UNION ALL
        SELECT p.key, p.url, p.parent, a.number + 1 FROM above a JOIN urls p ON p.key = a.parent WHERE a.number < :most
    )
    SELECT key, url FROM above
    """
)
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


class ChargedPage(NamedTuple):
    """A page that was fetched and had no article before: its budget, the owner and the keys of its patterns, the one of
    the whole site last."""

    page: Saved
    budget: Budget
    owner: str
    keys: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, page: Saved, budget: Budget) -> Self:
        """The page with its accounts."""
        owner = budget.owner(page.lease.site, page.lease.url)
        patterns = budget.accounts_of(page.lease.url, page.lease.kind)
        return cls(page, budget, owner, tuple((pattern_key(owner, pattern), pattern) for pattern in patterns))


def charge(conn: Connection, pages: Pages[Budget]) -> None:
    """Enter fetched pages into the accounts of their patterns, and note which of them changed what may be fetched.

    When a pattern is no longer spent, as many of its refused URLs wait again as it may waste, the newest first, and as
    many with every further page of it that yields.
    """
    from newsspider.store.ledger import rechecks  # here: it loads the reader, which `scrapy status` does without

    visits = [ChargedPage.of(page, budget) for page, budget in pages if page.result.settlement.fetched_at is not None]
    if not visits:
        return
    repeated = _repeated(conn, visits)
    entered: list[tuple[ChargedPage, bool]] = []
    for visit in visits:
        page, again = visit.page, _text(visit) in repeated
        status, leads = page.result.settlement.status, _leads(page.result)
        good = has_brought(page.reason, status, repeated=again, leads=leads, fresh=page.fresh)
        if good is not None:
            entered.append((visit, good))
    read = [visit.page.lease for visit, _ in entered if visit.page.reason in ARTICLE_REASONS]
    places = followed_places(conn, [(lease.site, lease.url) for lease in read])
    above = {visit.page.lease.key: _above(conn, visit) for visit, good in entered if good and visit.budget.by_domain}
    places_of_page = {lease.key: names for lease, names in zip(read, places, strict=True)}
    known = [*(visit for visit, _ in entered), *(page for pages_above in above.values() for page in pages_above)]
    accounts = _Accounts(conn, known, places_of_page)
    for visit, good in entered:
        visit.page.budgets = accounts.record(visit, good, above.get(visit.page.lease.key, ()))
    accounts.close()
    for visit in visits:
        explored = visit.budget.by_domain  # explore crawls have no rechecks
        if visit.page.reason is Reason.DUPLICATE and _text(visit) in repeated and not explored:
            rechecks.drop_one_of_many(conn, visit.page.lease, visit.page.article_id, visit.page.now)


class _Accounts:
    """The accounts of a batch of pages.

    ``places`` maps the key of a page to the patterns in whose place alone it differs from a page read before.
    """

    def __init__(self, conn: Connection, visits: Iterable[ChargedPage], places: Mapping[int, Sequence[str]]) -> None:
        self.conn = conn
        self.places = places
        self.names: dict[int, tuple[str, str]] = {}  # owner and pattern of each
        for visit in visits:
            self.names |= {key: (visit.owner, pattern) for key, pattern in visit.keys}
            lease = visit.page.lease
            self.names |= {pattern_key(lease.site, name): (lease.site, name) for name in places.get(lease.key, ())}
        self.stored = {row.key: account_of(row._asdict()) for row in rows_among(conn, _KNOWN, self.names)}
        self.accounts = dict(self.stored)

    def record(self, visit: ChargedPage, good: bool, above: Iterable[ChargedPage] = ()) -> bool:
        """Enter a page and those above it; returns whether that changes which URLs may be fetched."""
        (own, pattern), *wider = visit.keys
        new = good and not self.accounts.get(own, PatternAccount()).yielded
        entries = [(*entry, visit) for entry in (*visit.keys, *self._place_patterns(visit, good))]
        entries += [(*entry, page) for page in above for entry in page.keys if entry not in visit.keys]
        changed = [self._enter(key, name, page, good) for key, name, page in entries]
        spent = [wider_pattern for key, wider_pattern in wider if self.accounts[key].spent_at is not None]
        if new and spent:
            bring_siblings(self.conn, visit.page.lease.site, pattern, spent, visit.page.now)
        return any(changed)

    def _place_patterns(self, visit: ChargedPage, good: bool) -> list[tuple[int, str]]:
        """The patterns in whose place alone a page differs from one read before. If none is followed yet, a page with
        the same text may show one."""
        site, (_, text) = visit.page.lease.site, _text(visit)
        names = self.places.get(visit.page.lease.key, ())
        if names or good or text is None:
            return [(pattern_key(site, name), name) for name in names]
        name = differing(self.conn, site, visit.page.lease.url, text)
        return [(pattern_key(site, name), name)] if name is not None and self._followed(visit, name) else []

    def _followed(self, visit: ChargedPage, name: str) -> bool:
        """Whether the place of a pattern may still prove irrelevant; first decided from the URLs of one list."""
        lease, key = visit.page.lease, pattern_key(visit.page.lease.site, name)
        if key not in self.accounts:
            self.names[key] = lease.site, name
            rows = rows_among(self.conn, _KNOWN, [key])
            if rows:
                self.stored[key] = self.accounts[key] = account_of(rows[0]._asdict())
            else:
                matters = place_matters(self.conn, lease.site, name, lease.url, lease.key)
                if matters is None:
                    return False
                self.accounts[key] = PatternAccount(
                    yielded=matters, debt=-(visit.budget.allowed(name) // 2) if matters else 0
                )
        return not self.accounts[key].yielded or self.accounts[key].wasted >= PROVEN_TEXTS

    def _enter(self, key: int, pattern: str, visit: ChargedPage, good: bool) -> bool:
        budget = visit.budget
        previous = self.accounts.get(key, PatternAccount())
        account = account_after_page(previous, pattern, good, visit.page.now, budget)
        if good and account.holds and account.spent_at is None:
            count = bring_back(self.conn, visit.page.lease.site, pattern, budget.fetches, visit.page.now)
            account = replace(account, holds=count == budget.fetches)
        if account.spent_at is not None and previous.spent_at is None and key == visit.keys[0][0]:
            refuse(self.conn, visit.page.lease, pattern, budget)
        self.accounts[key] = account
        # what decides which URLs are fetched
        before, now = ((one.spent_at is None, one.yielded, one.quarantined) for one in (previous, account))
        return before != now

    def close(self) -> None:
        changed = [key for key in sorted(self.accounts) if self.accounts[key] != self.stored.get(key)]
        _KEEP.change(
            self.conn,
            [
                {
                    "key": key,
                    "site": self.names[key][0],
                    "pattern": self.names[key][1],
                    **dict(zip(FIELDS, astuple(self.accounts[key]), strict=True)),
                }
                for key in changed
            ],
        )


def _above(conn: Connection, visit: ChargedPage) -> list[ChargedPage]:
    """The pages through which a good page was found, but those that got credit for one before, which is marked."""
    lease = visit.page.lease
    rows = _ABOVE.run(conn, {"key": lease.key, "most": MOST_ABOVE})
    by_mark = {text_key(f"{lease.site}\n\n{row.url}"): row for row in rows}
    new_marks = _ADD.inserted_keys(conn, [{"key": mark} for mark in sorted(by_mark)])
    above: list[ChargedPage] = []
    for row in sorted((by_mark[mark] for mark in new_marks), key=lambda row: str(row.url)):
        page = Saved(PageResult(replace(lease, key=row.key, url=row.url), visit.page.result.settlement), visit.page.now)
        above.append(ChargedPage.of(page, visit.budget))
    return above


def _leads(result: PageResult) -> bool:
    """Whether the targets of a page are followed, within the limits of redirects and frames."""
    followed = sum(offer.refused is None for offer in result.offers)
    hops = result.lease.hops
    return followed > 0 and hops <= LONGEST_CHAIN and (followed == 1 or hops <= DEEPEST_FRAMES)


def _repeated(conn: Connection, visits: Iterable[ChargedPage]) -> set[tuple[str, Any]]:
    """The texts that a site shows under several URLs by now, with the site."""
    articles = {
        visit.page.article_id
        for visit in visits
        if visit.page.reason is Reason.DUPLICATE and visit.page.article_id is not None
    }
    bodies = {visit.page.result.settlement.body_hash for visit in visits if visit.page.reason is Reason.OFF_TOPIC}
    rows = rows_among(conn, _SAME_ARTICLE, articles) if articles else []
    rows += rows_among(conn, _SAME_BODY, [body for body in bodies if body])
    return {(row.site, row.text) for row in rows}


def _text(visit: ChargedPage) -> tuple[str, Any]:
    """The site of a page and the identity of its text."""
    if visit.page.reason is Reason.OFF_TOPIC:
        return visit.page.lease.site, visit.page.result.settlement.body_hash
    return visit.page.lease.site, visit.page.article_id if visit.page.reason is Reason.DUPLICATE else None


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
        newest = latest(conn, site, pattern, 1)
        values = {"key": pattern_key(owner, pattern), "probe": newest[0].key if newest else None, "now": now}
        if _TRY.change(conn, values | {"again": now + budget.again_after(account.tries)}):
            due_times.set_waiting(conn, newest, now)
    return _accounts(conn, sites, budget) if due else accounts


def _accounts(conn: Connection, sites: Collection[str], budget: Budget) -> dict[str, dict[str, PatternAccount]]:
    accounts: dict[str, dict[str, PatternAccount]] = {}
    for row in _OF_SPENT_SITES.run(conn, {}):
        if row.site in sites or budget.site_of(row.site) in sites:
            accounts.setdefault(row.site, {})[row.pattern] = account_of(row._asdict())
    return accounts


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
