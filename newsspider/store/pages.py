"""Saves one page: its article, its links, what it offers and what becomes of its lease, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from newsspider.core.caching import bounded_cache
from newsspider.core.crawling.visit import Lease, Offer, PageResult
from newsspider.core.links.article_parts import partial_snapshots
from newsspider.core.links.followable import followed
from newsspider.core.model import LinkKind, Reason, StoredArticle
from newsspider.core.scheduling.vanished import Missing
from newsspider.core.url import crawl_key, url_key
from newsspider.store import ledger
from newsspider.store.articles import bodies, boilerplate_lines, revisions, snapshots, subtopics
from newsspider.store.articles import vanished as absences
from newsspider.store.engine.statement import ROWS_AT_ONCE, Statement, rows_among
from newsspider.store.ledger import (
    links,
    list_positions,
    polls,
    queues,
    rechecks,
    redirects,
    same_content,
    trap_budgets,
    validators,
)

_key = bounded_cache(16384)(url_key)  # cache: URLs and their keys; the pages of a site share most of their links

_OF_OTHERS = Statement(
    "SELECT a.id, a.url FROM article_urls u JOIN articles a ON a.id = u.article_id "
    "WHERE u.key = :key AND u.site <> :site"
)
_TAKE_OVER = Statement(
    """
    UPDATE articles SET site = :site, channel = :channel, media_class = :media_class, priority = :priority,
                        topic = :topic, score = :score, terms = :terms, model = :model
    WHERE id = :id AND site IN (SELECT site FROM explore_crawls)
    """
)
_SHOWN = "SELECT DISTINCT dst FROM links WHERE channel = :channel AND NOT nofollow AND dst IN ({keys})"
# A further page that ends so is asked for once more, with what was read before it.
_STILL_TO_COME = frozenset({Reason.RETRY, Reason.RATE_LIMITED, Reason.NO_ROBOTS, Reason.RELEASED, Reason.PUT_OFF})


@dataclass(frozen=True, slots=True)
class Saved:
    """What came of a page: ``settled`` is ``False`` if its lease was not in force, and then nothing was written."""

    settled: bool
    reason: Reason
    article_id: int | None = None
    new_article: bool = False
    duplicate_of: str | None = None  # the main URL of the article with this body
    offered: int = 0  # how many of its offers were new, and not refused
    moved: int = 0  # how many links that wait stand elsewhere now
    visited: bool = False  # it is a stored article that is there still
    changed: tuple[str, ...] = ()  # what of it has changed since it was read last: text, title, time
    vanished: bool = False  # it is believed to have vanished, from this visit on
    returned: bool = False  # it is there again, though it had vanished
    lesson: polls.Lesson | None = None  # what a poll teaches of the hours of its site
    elsewhere: bool = False  # it leads elsewhere, and to no article that is known
    stood: str | None = None  # of one that was asked again because of it: where it led, or whose text it showed
    fresh: bool | None = None  # of a page with a budget that may be worth its links: whether they are new
    budgets: bool = False  # what it brought changes which other URLs of its site may be fetched


def save(conn: Connection, result: PageResult, now: float, *, crawl: str = "") -> Saved:
    """Write all that a page brought, in the caller's transaction, and settle its lease.

    With ``crawl``, an explore crawl, the URLs are rows of its own, and every page counts as one that shows its links.

    An offer that is ``fresh_only`` counts only if the page links to an article to which its channel did not link
    before, on whatever page, and that is no trap: so the answer does not depend on the order in which other channels
    are read. A page that is off topic now leaves the article that it had for this topic; whatever else became of it,
    its article is kept.
    """
    return _counted(conn, [(result, now)], _save(conn, [(result, now)], crawl))[0]


def save_all(conn: Connection, pages: Sequence[tuple[PageResult, float]]) -> list[Saved]:
    """The same for several pages, each at its moment, in one go; what came of each."""
    saved: list[Saved] = []
    for beside in _of_different_hosts(pages):
        saved += _save(conn, beside, "")
    return _counted(conn, pages, saved)


def _counted(conn: Connection, pages: Sequence[tuple[PageResult, float]], saved: list[Saved]) -> list[Saved]:
    """What came of the pages, once what they say of their sites is counted: last, for all writers share a row a
    site."""
    visited = [(result.lease.site, each) for (result, _), each in zip(pages, saved, strict=True) if each.visited]
    revisions.count_visits(conn, [(site, "text" in each.changed) for site, each in visited])
    taught = zip(pages, saved, strict=True)
    polls.note(conn, [(result.lease.site, each.lesson) for (result, _), each in taught if each.lesson is not None])
    saved = _budgeted(conn, pages, saved)
    for (result, now), each in zip(pages, saved, strict=True):
        if each.settled:
            _looked_at(conn, result, each, now)
    return saved


def _looked_at(conn: Connection, result: PageResult, saved: Saved, now: float) -> None:
    """Say of a page that is no article of its own, or was none, whether it and those like it are asked again."""
    lease = result.lease
    if saved.elsewhere:
        same_content.look_again(conn, lease, now)
    if saved.stood is not None:
        if saved.reason is Reason.DUPLICATE:
            trap_budgets.drop_one_of_many(conn, lease, saved.article_id, now)
        same_content.compare(conn, lease, saved.stood, now)
    if result.awaited:
        rechecks.note(conn, result, saved.reason, now)
    if lease.hops and not lease.kind.polled and saved.reason in (Reason.STORED, Reason.DUPLICATE, Reason.OFF_TOPIC):
        same_content.found(conn, lease)


def _budgeted(conn: Connection, pages: Sequence[tuple[PageResult, float]], saved: Sequence[Saved]) -> list[Saved]:
    """The same, once what the pages brought is entered into the accounts of their patterns."""
    visits = {
        place: trap_budgets.Visit(result, each.reason, each.article_id, now, result.budget, each.fresh)
        for place, ((result, now), each) in enumerate(zip(pages, saved, strict=True))
        if each.settled and result.budget is not None and result.settlement.fetched_at is not None
    }
    changed = dict(zip(visits, trap_budgets.count(conn, list(visits.values())), strict=True)) if visits else {}
    return [replace(each, budgets=True) if changed.get(place) else each for place, each in enumerate(saved)]


def _of_different_hosts(pages: Iterable[tuple[PageResult, float]]) -> Iterator[list[tuple[PageResult, float]]]:
    """The pages in their order, cut where a host comes again: one of its leases must have ended before."""
    beside: list[tuple[PageResult, float]] = []
    hosts: set[str] = set()
    for page in pages:
        host = page[0].lease.host
        if host in hosts:
            yield beside
            beside, hosts = [], set()
        beside.append(page)
        hosts.add(host)
    yield beside


def _save(conn: Connection, pages: Sequence[tuple[PageResult, float]], crawl: str) -> list[Saved]:
    pages = [(redirects.judged(conn, result) if result.moved else result, now) for result, now in pages]
    stood = same_content.standing(conn, [result.lease for result, _ in pages])
    missing = {
        result.lease.key: absences.judged(conn, result, now) for result, now in pages if result.missed is not None
    }
    pages = [(missing[result.lease.key][0] if result.missed else result, now) for result, now in pages]
    with queues.gathered(conn):
        settled = ledger.settle_all(conn, [(result.lease, result.settlement) for result, _ in pages])
        written = [page for page, done in zip(pages, settled, strict=True) if done]
        for result, _ in written:
            if result.robots is not None:
                ledger.keep_robots(conn, result.lease.host, result.robots)
        validators.note(
            conn, [(result.lease.host, result.told, now) for result, now in written if result.told is not None]
        )
        counted, fresh = _link(conn, written, crawl)
        offered = ledger.offer_all(conn, counted)
        lessons = polls.polled(conn, [(*page, new) for page, new in zip(written, offered, strict=True)])
    counts = iter([new.wanted for new in offered])
    saved = []
    for (result, now), done in zip(pages, settled, strict=True):
        if not done:
            saved.append(Saved(False, result.settlement.reason))
            continue
        key, moved = result.lease.key, result.moved is not None
        kept = replace(
            _keep(conn, result, now, next(counts), crawl), lesson=lessons.get(key), elsewhere=moved,
            stood=stood.get(key), fresh=fresh.get(key),
        )  # fmt: skip
        saved.append(_visited(conn, result, kept, missing.get(key), now) if result.lease.had_article else kept)
    for result, _ in written:
        _tidy(conn, result)
    return saved


def _visited(
    conn: Connection, result: PageResult, saved: Saved, missing: tuple[PageResult, Missing] | None, now: float
) -> Saved:
    """What a visit says of an article that was stored before: whether it is there still."""
    if missing is not None:
        return replace(saved, vanished=absences.keep(conn, result, missing[1], now))
    if result.settlement.reason not in (Reason.STORED, Reason.UNCHANGED) or result.lease.kind.polled:
        return saved
    return replace(saved, visited=True, returned=absences.there(conn, result.lease, now))


def _link(
    conn: Connection, pages: Iterable[tuple[PageResult, float]], crawl: str
) -> tuple[list[tuple[list[Offer], float]], dict[int, bool]]:
    """Add the pages' links to the graph; the offers of each that count, with its moment, and by key, whether the
    links of those pages are new that may be worth theirs."""
    worth: dict[int, bool] = {}
    counted: list[tuple[list[Offer], float]] = []
    rows: list[dict[str, Any]] = []
    for result, now in pages:
        keys = {link.url: crawl_key(crawl, link.url) if crawl else _key(link.url) for link in result.links}
        fresh = False
        judged = result.budget is not None and (bool(crawl) or result.lease.kind.polled)
        if judged or any(offer.fresh_only for offer in result.offers):
            links.add(conn, rows)  # those of the pages before, which may be of its channel
            rows = []
            fresh = _stands_for_itself(result) if crawl else _brings_new(conn, result, keys)
        if judged:
            worth[result.lease.key] = fresh
        shown = bool(crawl) or result.lease.kind.polled
        for row in links.rows_of(result, keys, now, _channel(result.lease) if shown else None):
            rows.append(row)
            if len(rows) >= ROWS_AT_ONCE:
                links.add(conn, rows)
                rows = []
        counted.append(([offer for offer in result.offers if fresh or not offer.fresh_only], now))
    links.add(conn, rows)
    return counted, worth


def _keep(conn: Connection, result: PageResult, now: float, offered: int, crawl: str) -> Saved:
    """What came of a page that is settled, once its article is stored."""
    lease, settlement = result.lease, result.settlement
    if lease.kind.polled and settlement.status is not None:
        polls.count(conn, result, offered, now)
        if result.layout is not None:
            list_positions.note(conn, lease, result.layout, now)
    if result.boilerplate:
        boilerplate_lines.note(conn, lease.site, result.boilerplate, now)
    if settlement.reason is Reason.OFF_TOPIC and lease.had_article:
        bodies.refuse_url(conn, lease.key, settlement.topic, now)
    if settlement.reason is Reason.JOINED and lease.had_article:
        bodies.drop_url(conn, lease.key)  # it was read before the page that it goes on
    if result.article is None:
        return Saved(True, settlement.reason, offered=offered)
    key = _key(result.article.url)  # not the lease's where that is a further page of the article
    theirs = _OF_OTHERS.run(conn, {"key": key, "site": crawl}).first() if crawl else None
    if theirs is not None:  # the article of this URL is that of the topic spider, or of another crawl
        ledger.mark(conn, lease.key, Reason.DUPLICATE, theirs.url)
        return Saved(True, Reason.DUPLICATE, theirs.id, False, theirs.url, offered)
    kept = bodies.keep(conn, key, result.article, now, goes_on=any(offer.part_of for offer in result.offers))
    if kept.reason is not None and not crawl:
        _take_over(conn, kept.article_id, result.article)
    if kept.reason is not None and settlement.reason is Reason.STORED:
        ledger.mark(conn, lease.key, kept.reason, kept.duplicate_of or "")
    reason = kept.reason or settlement.reason
    return Saved(True, reason, kept.article_id, kept.new, kept.duplicate_of, offered, changed=kept.change.parts)


def _tidy(conn: Connection, result: PageResult) -> None:
    """Where the pages of an article end, be it before the last one, drop those that were kept for it and that
    nothing names now."""
    goes_on = any(offer.partial_article and offer.refused is None for offer in result.offers)
    if not goes_on and result.settlement.reason not in _STILL_TO_COME:
        snapshots.drop(conn, partial_snapshots(result.lease.partial_article))


def _take_over(conn: Connection, article_id: int, article: StoredArticle) -> None:
    """Let an article that an explore crawl found first be one of the watched site that shows it too."""
    values = {
        "id": article_id, "site": article.site, "channel": article.channel, "media_class": article.media_class,
        "priority": article.priority, "topic": article.topic, "score": article.score,
        "terms": json.dumps(article.terms, ensure_ascii=False), "model": article.model,
    }  # fmt: skip
    if _TAKE_OVER.change(conn, values):
        subtopics.put(conn, article_id, article.subtopics)


def _stands_for_itself(result: PageResult) -> bool:
    """Whether a page of an explore crawl is an article, though the crawl stores none; all others are worth what is
    found on them."""
    kind = result.settlement.kind
    return result.settlement.reason is Reason.POLLED and kind is not None and kind.stored


def _brings_new(conn: Connection, result: PageResult, keys: Mapping[str, int]) -> bool:
    articles = {keys[link.url] for link in followed(result.links) if link.kind is LinkKind.ARTICLE}
    articles -= {offer.key for offer in result.offers if offer.refused is Reason.TRAP}
    shown = rows_among(conn, _SHOWN, articles, {"channel": _channel(result.lease)})
    return len(shown) < len(articles)


def _channel(lease: Lease) -> str:
    return f"{lease.site}/{lease.channel}"
