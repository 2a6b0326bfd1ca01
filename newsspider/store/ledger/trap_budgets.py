"""Trap budgets: counts what the URLs of each pattern of a site waste and yield, and refuses or releases URLs by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Lease, PageResult, Pages, Saved
from newsspider.core.fetching.traps import ARTICLE_REASONS, Budget, PatternAccount, after, has_brought
from newsspider.core.model import Reason
from newsspider.store.engine.statement import Inserts, Statement, rows_among
from newsspider.store.engine.writer_caches import Memory
from newsspider.store.ledger import rechecks, trap_patterns
from newsspider.store.ledger.trap_patterns import (
    COLUMNS,
    FIELDS,
    account_of,
    bring_back,
    bring_siblings,
    pattern_key,
    refuse,
)
from newsspider.store.tables import url_patterns

LONGEST_CHAIN = 5  # redirects in a chain; each further one counts as wasted
DEEPEST_FRAMES = 1  # levels of framesets with several frames; a deeper one counts as wasted

MOST_ABOVE = 3  # pages above a good page that get credit for it

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


class ChargedPage(NamedTuple):
    """A page that was fetched and had no article before: its budget, the owner and the keys of its patterns, the one of
    the whole site last."""

    page: Saved
    budget: Budget
    owner: str
    keys: tuple[tuple[int, str], ...]

    @property
    def lease(self) -> Lease:
        return self.page.lease


def charge(conn: Connection, pages: Pages[Budget]) -> None:
    """Enter fetched pages into the accounts of their patterns."""
    fetched = [(page, budget) for page, budget in pages if page.result.settlement.fetched_at is not None]
    visits = [ChargedPage(page, budget, *_accounts_of(page.lease, budget)) for page, budget in fetched]
    if visits:
        for visit, changed in zip(visits, _charge(conn, visits), strict=True):
            visit.page.budgets = changed


def _charge(conn: Connection, visits: Sequence[ChargedPage]) -> list[bool]:
    """Enter these pages; returns for each whether it changed which URLs may be fetched.

    When a pattern is no longer spent, as many of its refused URLs wait again as it may waste, the newest first, and as
    many with every further page of it that yields.
    """
    repeated = _repeated(conn, visits)
    judged = [
        (
            visit,
            has_brought(
                visit.page.reason,
                visit.page.result.settlement.status,
                repeated=_text(visit) in repeated,
                leads=_leads(visit.page.result),
                fresh=visit.page.fresh,
            ),
        )
        for visit in visits
    ]
    entered = [(visit, good) for visit, good in judged if good is not None]
    read = [visit.lease for visit, _ in entered if visit.page.reason in ARTICLE_REASONS]
    places = trap_patterns.followed_places(conn, [(lease.site, lease.url) for lease in read])
    above = {visit.lease.key: _above(conn, visit) for visit, good in entered if good and visit.budget.by_domain}
    paid = [(page, True) for pages in above.values() for page in pages]
    places_of_page = {lease.key: names for lease, names in zip(read, places, strict=True)}
    accounts = _Accounts(conn, [*entered, *paid], places_of_page)
    changed = [
        good is not None and accounts.record(visit, good, above.get(visit.lease.key, ())) for visit, good in judged
    ]
    accounts.close()
    for visit in visits:
        explored = visit.budget.by_domain  # explore crawls have no rechecks
        if visit.page.reason is Reason.DUPLICATE and _text(visit) in repeated and not explored:
            rechecks.drop_one_of_many(conn, visit.lease, visit.page.article_id, visit.page.now)
    return changed


def _above(conn: Connection, visit: ChargedPage) -> list[ChargedPage]:
    """The pages through which a good page was found, unless they got credit for one before."""
    lease = visit.lease
    rows = {row.url: row for row in _ABOVE.run(conn, {"key": lease.key, "most": MOST_ABOVE})}
    first_rows = [rows[url] for url in sorted(trap_patterns.first_yielding(conn, lease.site, rows))]
    above: list[ChargedPage] = []
    for row in first_rows:
        page = Saved(PageResult(replace(lease, key=row.key, url=row.url), visit.page.result.settlement), visit.page.now)
        above.append(ChargedPage(page, visit.budget, *_accounts_of(page.lease, visit.budget)))
    return above


def _leads(result: PageResult) -> bool:
    """Whether the targets of a page are followed, within the limits of redirects and frames."""
    followed = sum(offer.refused is None for offer in result.offers)
    hops = result.lease.hops
    return followed > 0 and hops <= LONGEST_CHAIN and (followed == 1 or hops <= DEEPEST_FRAMES)


class _Accounts:
    """The accounts of a batch of pages, without those that one more good page does not change.

    ``places`` maps the key of a page to the patterns in whose place alone it differs from a page read before.
    """

    def __init__(
        self, conn: Connection, judged: Iterable[tuple[ChargedPage, bool]], places: Mapping[int, Sequence[str]]
    ) -> None:
        self.conn = conn
        self.places = places
        self.memory = Memory.of(conn)
        healthy = self.memory.healthy if self.memory else ()
        self.names: dict[int, tuple[str, str]] = {}
        for visit, good in judged:
            if not (good and all(key in healthy for key, _ in visit.keys)):
                self.names |= {key: (visit.owner, pattern) for key, pattern in visit.keys}
            self.names |= {
                pattern_key(visit.lease.site, pattern): (visit.lease.site, pattern)
                for pattern in places.get(visit.lease.key, ())
            }
        self.stored = {row.key: account_of(row._asdict()) for row in rows_among(conn, _KNOWN, self.names)}
        self.accounts = dict(self.stored)
        self.healthy: set[int] = set()

    def record(self, visit: ChargedPage, good: bool, above: Iterable[ChargedPage] = ()) -> bool:
        """Enter a page and those above it; returns whether that changes which URLs may be fetched."""
        (own, pattern), *wider = visit.keys
        new = good and own in self.names and not self.accounts.get(own, PatternAccount()).yielded
        changed = [self._enter(key, pattern, visit, good) for key, pattern in visit.keys if key in self.names]
        changed += [self._enter(key, pattern, visit, good) for key, pattern in self._place_patterns(visit, good)]
        for page in above:
            others = [
                (key, pattern) for key, pattern in page.keys if key in self.names and (key, pattern) not in visit.keys
            ]
            changed += [self._enter(key, pattern, page, good) for key, pattern in others]
        if new:
            spent = [wider_pattern for key, wider_pattern in wider if self.accounts[key].spent_at is not None]
            bring_siblings(self.conn, visit.lease.site, pattern, spent, visit.page.now)
        return any(changed)

    def _place_patterns(self, visit: ChargedPage, good: bool) -> list[tuple[int, str]]:
        """The patterns in whose place alone a page differs from one read before. If none is followed yet, a page with
        the same text may show one."""
        site, (_, text) = visit.lease.site, _text(visit)
        names = self.places.get(visit.lease.key, ())
        if names or good or text is None:
            return [(pattern_key(site, name), name) for name in names]
        name = trap_patterns.differing(self.conn, site, visit.lease.url, text)
        return [(pattern_key(site, name), name)] if name is not None and self._followed(visit, name) else []

    def _followed(self, visit: ChargedPage, name: str) -> bool:
        """Whether the place of a pattern may still prove irrelevant; first decided from the URLs of one list."""
        lease, key = visit.lease, pattern_key(visit.lease.site, name)
        if key not in self.accounts:
            self.names[key] = lease.site, name
            rows = rows_among(self.conn, _KNOWN, [key])
            if rows:
                self.stored[key] = self.accounts[key] = account_of(rows[0]._asdict())
            else:
                matters = trap_patterns.place_matters(self.conn, lease.site, name, lease.url, lease.key)
                if matters is None:
                    return False
                self.accounts[key] = PatternAccount(yielded=matters, debt=-visit.budget.saved(name) if matters else 0)
        return not self.accounts[key].yielded or self.accounts[key].wasted >= trap_patterns.PROVEN_TEXTS

    def _enter(self, key: int, pattern: str, visit: ChargedPage, good: bool) -> bool:
        budget = visit.budget
        previous = self.accounts.get(key, PatternAccount())
        account = after(previous, pattern, good, visit.page.now, budget)
        if good and account.holds and account.spent_at is None:
            count = bring_back(self.conn, visit.lease.site, pattern, budget.fetches, visit.page.now)
            account = replace(account, holds=count == budget.fetches)
        if account.spent_at is not None and previous.spent_at is None and key == visit.keys[0][0]:
            refuse(self.conn, visit.lease, pattern, budget)
        self.accounts[key] = account
        self.healthy = self.healthy | {key} if account.healthy(pattern, budget) else self.healthy - {key}
        return _counts(previous) != _counts(account)

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
        if self.memory:
            self.memory.healthy.forget(self.accounts.keys() - self.healthy)
            self.memory.healthy.add(dict.fromkeys(self.healthy))


def _counts(account: PatternAccount) -> tuple[bool, bool, bool]:
    """The part of an account that decides which URLs are fetched."""
    return account.spent_at is None, account.yielded, account.quarantined


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
        return visit.lease.site, visit.page.result.settlement.body_hash
    return visit.lease.site, visit.page.article_id if visit.page.reason is Reason.DUPLICATE else None


def _accounts_of(lease: Lease, budget: Budget) -> tuple[str, tuple[tuple[int, str], ...]]:
    """The owner of a page's accounts, and its patterns with their keys, the one of the whole site last."""
    owner = budget.owner(lease.site, lease.url)
    return owner, tuple((pattern_key(owner, pattern), pattern) for pattern in budget.accounts_of(lease.url, lease.kind))
