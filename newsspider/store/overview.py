"""The store in figures, for ``scrapy status``, the console and the API."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, func, literal_column, select

from newsspider.core.crawling.outcome import is_gone
from newsspider.core.model import PageType, Reason, State
from newsspider.store import workers
from newsspider.store.articles.batch_jobs import REGROUP, remaining_articles, unfinished_pass
from newsspider.store.ledger import hosts as ledger_hosts
from newsspider.store.ledger import site_knowledge, trap_budgets
from newsspider.store.ledger.queues import WAITING
from newsspider.store.runs import last_runs
from newsspider.store.tables import (
    addresses,
    articles,
    held_articles,
    hosts,
    missing_articles,
    queues,
    reprints,
    revisions,
    subtopics,
    urls,
)

SHOWN_HOSTS = 20
SHOWN_RUNS = 5

_HOSTS = select(
    hosts.c.host,
    hosts.c.pages,
    hosts.c.delay,
    hosts.c.delay_reason,
    hosts.c.latency,
    hosts.c.next_at,
    hosts.c.paused_until,
    hosts.c.failures,
    hosts.c.robots_status,
    hosts.c.last_visit_at,
    addresses.c.address.label("shared_address"),
    addresses.c.next_at.label("address_next_at"),
).select_from(hosts.outerjoin(addresses, addresses.c.address == hosts.c.address))


def store_overview(conn: Connection, now: float) -> dict[str, Any]:
    """Counts by state and reason, articles and stories (near reprints counted once), by site and sub-topic, hosts by
    their delay, runs."""
    states = {state.value: 0 for state in State}
    reasons = conn.execute(
        select(urls.c.state, urls.c.reason, func.count()).group_by(urls.c.state, urls.c.reason)
    ).all()
    for state, _, count in reasons:
        states[state] += count
    sites = select(articles.c.site, func.count()).group_by(articles.c.site).order_by(func.count().desc())
    by_site = _pairs(conn, sites)
    stored = sum(by_site.values())
    reprints_beside_first = select(func.count() - func.count(reprints.c.group_id.distinct())).select_from(reprints)
    return {
        "urls": sum(states.values()),
        "states": states,
        "reasons": [
            {"state": state, "reason": reason, "urls": count}
            for state, reason, count in sorted(reasons, key=lambda row: (row[0], -row[2]))
        ],
        "articles": stored,
        **_held(conn),
        "regrouping": _regrouping(conn),
        "stories": stored - conn.execute(reprints_beside_first).scalar_one(),
        "articles_by_site": by_site,
        "articles_by_subtopic": _by_subtopic(conn),
        "lists_that_fail": failing_lists(conn),
        "traps": trap_budgets.spent(conn, most=SHOWN_HOSTS),
        "lists_that_moved": site_knowledge.moved_lists(conn, SHOWN_HOSTS),
        "hosts": _hosts(conn, now),
        "hosts_that_lie": ledger_hosts.distrusted(conn, now)[:SHOWN_HOSTS],
        **_visits(conn),
        "runs": last_runs(conn, SHOWN_RUNS),
    }


def live_figures(conn: Connection, now: float, states: dict[str, int] | None = None) -> dict[str, Any]:
    """The figures that change from second to second: URLs by state (counted unless given), workers, pages and articles,
    and when the next URL is due."""
    if states is None:
        states = {state.value: 0 for state in State}
        states.update(_pairs(conn, select(urls.c.state, func.count()).group_by(urls.c.state)))
    new = select(func.count()).select_from(articles)
    counts = {name: new.where(articles.c.crawled_ts > now - span) for name, span in (("minute", 60), ("hour", 3600))}
    due = select(func.min(queues.c.due_at))
    return {
        "states": states,
        "workers": len(workers.names(conn)),
        "pages": conn.execute(select(func.coalesce(func.sum(hosts.c.pages), 0))).scalar_one(),
        "articles": {name: conn.execute(query).scalar_one() for name, query in counts.items()},
        "due_at": conn.execute(due).scalar(),
    }


def _held(conn: Connection) -> dict[str, int]:
    """How many articles are held, and on how many of them somebody has to decide."""
    query = select(func.count(), func.count().filter(held_articles.c.borderline)).select_from(held_articles)
    total, borderline = conn.execute(query).one()
    return {"articles_held": total, "articles_borderline": borderline}


def _regrouping(conn: Connection) -> dict[str, int] | None:
    """How many articles an unfinished ``scrapy reprints --rebuild`` has placed, and how many remain."""
    run = unfinished_pass(conn, REGROUP)
    return None if run is None else {"placed": run.done, "left": remaining_articles(conn, run)}


def _visits(conn: Connection) -> dict[str, int]:
    """How many articles changed, are missing or vanished."""
    missing, vanished = missing_articles.c.missing_since.is_not(None), missing_articles.c.vanished_at.is_not(None)
    pages = select(func.count()).select_from(missing_articles)
    queries = {
        "articles_changed": select(func.count(revisions.c.key.distinct())).select_from(revisions),
        "articles_missing": pages.where(missing, ~vanished),
        "articles_vanished": pages.where(vanished),
    }
    return {name: conn.execute(query).scalar_one() for name, query in queries.items()}


def _pairs(conn: Connection, query: Any) -> dict[str, int]:
    return {row[0]: row[1] for row in conn.execute(query)}


def _by_subtopic(conn: Connection) -> dict[str, int]:
    """The most frequent first, among equals by name. Sorted here, because databases sort Chinese differently."""
    counts = _pairs(conn, select(subtopics.c.name, func.count()).group_by(subtopics.c.name))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def failing_lists(conn: Connection) -> list[dict[str, Any]]:
    """The lists whose last polls failed, the most often failed first."""
    polled = [kind.value for kind in PageType if kind.polled]
    query = (
        select(urls.c.url, urls.c.site, urls.c.reason, urls.c.last_status, urls.c.failures, urls.c.detail, urls.c.kind)
        .where(urls.c.kind.in_(polled), urls.c.failures > literal_column("0"))  # as its index has it
        .order_by(urls.c.failures.desc(), urls.c.url)
        .limit(SHOWN_HOSTS)
    )
    rows = [dict(row) for row in conn.execute(query).mappings()]
    for row in rows:
        row["gone"] = is_gone(PageType(row.pop("kind")), Reason(row["reason"]), row["last_status"], row["failures"])
    return rows


def latest_urls(conn: Connection, state: State, reason: Reason, limit: int) -> list[dict[str, Any]]:
    """The ``limit`` URLs of a state and a reason that were found last, the latest first."""
    names = ("url", "site", "anchor", "detail", "last_status", "found_at", "last_fetched_at")
    query = select(*(urls.c[name] for name in names)).where(urls.c.state == state.value, urls.c.reason == reason.value)
    rows = conn.execute(query.order_by(urls.c.found_at.desc(), urls.c.key.desc()).limit(limit))
    return [dict(row) for row in rows.mappings()]


def _hosts(conn: Connection, now: float) -> list[dict[str, Any]]:
    order = hosts.c.paused_until.desc(), hosts.c.pages.desc()
    return _with_waits(conn, _HOSTS.order_by(*order).limit(SHOWN_HOSTS), now)


def hosts_by_last_visit(conn: Connection, now: float, limit: int) -> list[dict[str, Any]]:
    """The hosts by the time since their last visit, the longest first; hosts never visited before all others."""
    waiting = select(func.count()).where(urls.c.host == hosts.c.host, urls.c.queue == WAITING).scalar_subquery()
    order = func.coalesce(hosts.c.last_visit_at, 0), hosts.c.host
    return _with_waits(conn, _HOSTS.add_columns(waiting.label("waiting")).order_by(*order).limit(limit), now)


def _with_waits(conn: Connection, query: Any, now: float) -> list[dict[str, Any]]:
    """The rows of hosts, each with the seconds until it may be asked again."""
    rows = [dict(row) for row in conn.execute(query).mappings()]
    for row in rows:
        moments = row["next_at"], row["paused_until"], row.pop("address_next_at") or 0.0
        row["wait"] = max(0.0, round(max(moments) - now, 1))
    return rows
