"""Saves pages: their articles, links, offers and effects, and the settlements of their leases, all or nothing. An
article without a lease is stored by :func:`keep_unleased`.

:data:`STEPS` has the functions that save pages, in the order in which rows are locked. A new mechanism is a type in
:mod:`newsspider.core` that pages carry (``PageResult.effects``), a function, and a line there. Functions get the pages
that have the effect, each with it; those of :data:`EVERY` get all pages. They write to the caller's transaction, and to
the results in :class:`~newsspider.core.crawling.visit.Saved`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from enum import Enum, auto
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.crawling.visit import (
    Awaited,
    HeldArticle,
    Missed,
    Moved,
    NewBoilerplate,
    Offer,
    PageResult,
    Saved,
    UnlikeAnchor,
)
from newsspider.core.fetching.politeness import WrongNotModified
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.fetching.traps import Budget
from newsspider.core.links.article_parts import partial_snapshots
from newsspider.core.model import Layout, Reason, State, StoredArticle
from newsspider.core.scheduling.poll_schedule import Polling
from newsspider.core.url import host_of, url_key
from newsspider.hooks import plugins
from newsspider.store import ledger
from newsspider.store.articles import articles_by_body, held_articles, revisits, snapshots
from newsspider.store.articles.article_rows import subtopics
from newsspider.store.articles.articles_by_body import StorageResult
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.index import entries
from newsspider.store.index.sqlite import written_together
from newsspider.store.ledger import (
    due_times,
    guard_pages,
    hosts,
    links,
    polls,
    queues,
    rechecks,
    redirects,
    site_knowledge,
    trap_budgets,
)
from newsspider.store.ledger.links import key_of
from newsspider.store.ledger.offers import changes_known

_LOCK = "SELECT key FROM urls WHERE key IN ({keys}) [ORDER BY key FOR UPDATE]"
_OF_OTHERS = Statement(
    "SELECT a.id, a.url FROM article_urls u JOIN articles a ON a.id = u.article_id "
    "WHERE u.key = :key AND u.site <> :site"
)
_OF_CRAWL = Statement("SELECT 1 FROM articles WHERE id = :id AND site IN (SELECT site FROM explore_crawls)")
_TAKE_OVER = Statement(
    """
    UPDATE articles SET site = :site, channel = :channel, media_class = :media_class, region = :region,
                        priority = :priority, topic = :topic, score = :score, terms = :terms, model = :model
    WHERE id = :id
    """
)
# A further page with one of these reasons is fetched again, and continues what was read before it.
_STILL_TO_COME = frozenset({Reason.RETRY, Reason.RATE_LIMITED, Reason.NO_ROBOTS, Reason.RELEASED, Reason.PUT_OFF})

_OPEN = Statement(
    "SELECT state FROM urls WHERE key = :key AND state <> 'processing' AND update_cycle IS NULL"
    " AND (last_fetched_at IS NULL OR last_fetched_at <= :now) [FOR UPDATE]"
)
_URL = Statement("SELECT url FROM urls WHERE key = :key")
_FETCHED = Statement(
    """
    UPDATE urls SET kind = :kind, last_fetched_at = :now, fetch_count = fetch_count + 1, body_hash = :body_hash
    WHERE key = :key
    """
)
EVERY = object  # instead of the type of an effect: for every page


class Stage(Enum):
    """When a step runs."""

    FIRST = auto()  # once for all pages of a job, some of which may not be settled after all
    BEFORE = auto()  # before the leases are settled: it may change the settlements
    SETTLED = auto()  # right after that; its changes of the queues are gathered
    CONTENT = auto()
    SHARED = auto()  # last, once for all pages of a job: all writers share these rows


class PageStep(NamedTuple):
    """A function for the pages with an effect of this type. From :attr:`Stage.SETTLED` on, pages whose lease had ended
    are left out."""

    stage: Stage
    effect: type
    apply: Callable[[Connection, Any], None]


def keep_unleased(conn: Connection, article: StoredArticle, now: float, *, alerted: bool = True) -> StorageResult:
    """Store the article, and settle its URL, unless it was fetched later, a worker has leased it, or it is a polled
    list: those settle it themselves. Unless ``alerted``, no alert reports the article. Raises :exc:`ValueError` if
    another URL has the same key."""
    key = url_key(article.url)
    offer = Offer(key, article.url, host_of(article.url), article.kind, article.site, article.channel, due_at=now)
    ledger.offer(conn, [offer], now)
    if (known := _URL.run(conn, {"key": key}).scalar()) != article.url:
        raise ValueError(f"{article.url} cannot be stored: it has the key of {known}")
    row = _OPEN.run(conn, {"key": key, "now": now}).first()
    if row is not None:
        if row.state != State.DONE:
            due_times.move(conn, [due_times.StateChange(key, row.state, State.DONE, Reason.STORED, failures=0)])
        values = {"key": key, "kind": article.kind, "now": now, "body_hash": article.body_md5}
        _FETCHED.change(conn, values)
    held_articles.drop(conn, [key])
    result = articles_by_body.keep(conn, key, article, now)
    if alerted:
        articles_by_body.announce_kept(conn, result, now)
    if row is not None:
        ledger.mark(conn, key, result.reason or Reason.STORED, result.duplicate_of or "")
    return result


def apply(conn: Connection, stage: Stage, pages: Sequence[Saved]) -> None:
    """Run the steps of a stage for these pages."""
    for step in all_steps():
        if step.stage is stage:
            step_pages: Sequence[Any] = pages
            if step.effect is not EVERY:
                step_pages = [
                    (page, effect)
                    for page in pages
                    for effect in page.result.effects
                    if isinstance(effect, step.effect)
                ]
            if step_pages:
                step.apply(conn, step_pages)


def save(conn: Connection, result: PageResult, now: float) -> Saved:
    """Write all results of a page, in the caller's transaction, and settle its lease."""
    return save_all(conn, [(result, now)])[0]


def save_all(conn: Connection, pages: Sequence[tuple[PageResult, float]]) -> list[Saved]:
    """The same for several pages together, each with its moment. Pages of an explore crawl are saved one by one, as the
    placements of one page count for the next."""
    saved = [Saved(copy(result), now) for result, now in pages]  # a job that is done again begins anew
    apply(conn, Stage.FIRST, saved)
    alone = bool(saved) and saved[0].crawl != ""
    for job in [[page] for page in saved] if alone else [saved]:
        for group in _of_different_hosts(job):
            apply(conn, Stage.BEFORE, group)
            with queues.gathered(conn):
                settled = ledger.settle_all(conn, [(page.lease, page.result.settlement) for page in group])
                for page, done in zip(group, settled, strict=True):
                    page.settled = done
                written = [page for page in group if page.settled]
                apply(conn, Stage.SETTLED, written)
            with written_together(conn):
                apply(conn, Stage.CONTENT, written)
        apply(conn, Stage.SHARED, [page for page in job if page.settled])
    return saved


def _of_different_hosts(pages: Sequence[Saved]) -> Iterator[list[Saved]]:
    """The pages in order, split where a host is repeated: its earlier lease must be settled first."""
    group: list[Saved] = []
    hosts: set[str] = set()
    for page in pages:
        if page.lease.host in hosts:
            yield group
            group, hosts = [], set()
        group.append(page)
        hosts.add(page.lease.host)
    yield group


def _lock_urls(conn: Connection, pages: Sequence[Saved]) -> None:
    """Lock the URLs of these pages, those of their offers that may change a known URL, and those whose rechecks they
    may change, before any is changed and in one order, so that two writers do not wait for each other; SQLite has only
    one. The targets of a redirect count: :mod:`~newsspider.store.ledger.redirects` may have them read again."""
    if conn.dialect.name != "postgresql":
        return
    keys = {page.lease.key for page in pages}.union(rechecks.others(conn, pages))
    for page in pages:
        moved = page.result.effect(Moved) is not None
        keys.update(offer.key for offer in page.result.offers if moved or changes_known(offer))
    rows_among(conn, _LOCK, sorted(keys))


def _keep_articles(conn: Connection, pages: Iterable[Saved]) -> None:
    """Store the articles of pages. A page that is off topic now is removed from the article that it had for this topic;
    with any other outcome its article stays."""
    listed = tuple(pages)
    first: dict[int, tuple[StoredArticle, float]] = {}
    for page in listed:
        if page.result.article is not None:
            first.setdefault(key_of(page.result.article.url), (page.result.article, page.now))
    new: dict[int, StorageResult] = {}  # those that are new, stored all together, by the keys of their URLs
    if first:
        known = articles_by_body.known_among(conn, {key: article for key, (article, _) in first.items()})
        new = articles_by_body.keep_new(conn, [(key, *first[key]) for key in first if key not in known])
    for page in listed:
        lease, settlement = page.lease, page.result.settlement
        if settlement.reason is Reason.OFF_TOPIC and lease.had_article:
            articles_by_body.refuse_url(conn, lease.key, settlement.topic, page.now)
        if settlement.reason is Reason.JOINED and lease.had_article:
            articles_by_body.drop_url(conn, lease.key)  # it was stored before the page that it continues
        if page.result.article is not None:
            _keep_article(conn, page, page.result.article, new)
    read_again = [page.lease for page in listed if page.result.article is not None and page.lease.fetch_count]
    if held := [lease.key for lease in read_again if not lease.had_article]:
        held_articles.drop(conn, held)


def _keep_article(conn: Connection, page: Saved, article: StoredArticle, new: dict[int, StorageResult]) -> None:
    key, crawl = key_of(article.url), page.crawl  # not the key of the lease, which may be that of a further page
    theirs = _OF_OTHERS.run(conn, {"key": key, "site": crawl}).first() if crawl else None
    if theirs is not None:  # the article of this URL belongs to the topic spider, or to another crawl
        ledger.mark(conn, page.lease.key, Reason.DUPLICATE, theirs.url)
        page.exact, page.article_id, page.duplicate_of = Reason.DUPLICATE, theirs.id, theirs.url
        return
    result = new.pop(key, None)
    if result is None:
        result = articles_by_body.keep(
            conn, key, article, page.now, goes_on=any(offer.part_of for offer in page.result.offers)
        )
    if result.reason is not None and not crawl:
        _take_over(conn, result.article_id, article)
    if result.reason is not None and page.reason is Reason.STORED:
        ledger.mark(conn, page.lease.key, result.reason, result.duplicate_of or "")
    page.exact, page.article_id, page.new_article = result.reason, result.article_id, result.new
    page.duplicate_of, page.changed, page.corrected = result.duplicate_of, result.change.parts, result.change.corrected


def _take_over(conn: Connection, article_id: int, article: StoredArticle) -> None:
    """Assign an article that an explore crawl found first to the watched site that shows it, too."""
    values = {
        "id": article_id,
        "site": article.site,
        "channel": article.channel,
        "media_class": article.media_class,
        "region": article.region,
        "priority": article.priority,
        "topic": article.topic,
        "score": article.score,
        "terms": json.dumps(article.terms, ensure_ascii=False),
        "model": article.model,
    }
    if _OF_CRAWL.run(conn, values):
        with entries.changing(conn, article_id):
            _TAKE_OVER.change(conn, values)
            subtopics.put(conn, article_id, article.subtopics)


def _tidy_snapshots(conn: Connection, pages: Iterable[Saved]) -> None:
    """Drop the snapshots kept for an article in several pages once its last page is read, or fails for good, unless
    something names them."""
    for page in pages:
        if not page.lease.partial_article:
            continue
        goes_on = any(offer.partial_article and offer.refused is None for offer in page.result.offers)
        if not goes_on and page.result.settlement.reason not in _STILL_TO_COME:
            snapshots.drop(conn, partial_snapshots(page.lease.partial_article))


def _tell_plugins(conn: Connection, pages: Sequence[Saved]) -> None:
    """Call ``articles_changed`` for the articles of these pages, and ``page_steps``, so that plug-ins can act in the
    same transaction."""
    with_articles = (page for page in pages if page.result.article is not None)
    stored = {page.article_id: page for page in with_articles if page.article_id is not None}
    changed = [number for number, page in stored.items() if page.new_article or page.changed or page.corrected]
    seen_again = [number for number, page in stored.items() if page.exact is Reason.DUPLICATE and number not in changed]
    articles_by_body.announce(conn, changed, seen_again, pages[0].now)
    plugins().hook.page_steps(conn=conn, pages=pages)


STEPS = (
    PageStep(Stage.FIRST, EVERY, links.number),
    PageStep(Stage.FIRST, EVERY, rechecks.remember),
    PageStep(Stage.FIRST, EVERY, _lock_urls),
    PageStep(Stage.BEFORE, UnlikeAnchor, guard_pages.judge),
    PageStep(Stage.BEFORE, Moved, redirects.judge),
    PageStep(Stage.BEFORE, Missed, revisits.judge_missing),
    PageStep(Stage.SETTLED, RobotsText, hosts.note_robots),
    PageStep(Stage.SETTLED, WrongNotModified, hosts.distrust),
    PageStep(Stage.SETTLED, EVERY, links.keep),
    PageStep(Stage.SETTLED, Polling, polls.learn),
    PageStep(Stage.CONTENT, Polling, polls.count),
    PageStep(Stage.CONTENT, Layout, site_knowledge.note_list_positions),
    PageStep(Stage.CONTENT, NewBoilerplate, site_knowledge.note_all_boilerplate),
    PageStep(Stage.CONTENT, EVERY, _keep_articles),
    PageStep(Stage.CONTENT, EVERY, entries.note_new_anchors),
    PageStep(Stage.CONTENT, HeldArticle, held_articles.hold_all),
    PageStep(Stage.CONTENT, Missed, revisits.keep_missing),
    PageStep(Stage.CONTENT, EVERY, revisits.mark_visited),
    PageStep(Stage.CONTENT, EVERY, _tidy_snapshots),
    PageStep(Stage.SHARED, EVERY, revisits.count_visits),
    PageStep(Stage.SHARED, Polling, polls.note),
    PageStep(Stage.SHARED, Budget, trap_budgets.charge),
    PageStep(Stage.SHARED, EVERY, rechecks.compare),
    PageStep(Stage.SHARED, Awaited, rechecks.note),
    PageStep(Stage.SHARED, UnlikeAnchor, guard_pages.mend),
    PageStep(Stage.SHARED, EVERY, rechecks.cancel),
)


@cache
def all_steps() -> tuple[PageStep, ...]:
    """The steps with those of plug-ins: what these do :attr:`Stage.FIRST` comes before all others, the rest behind."""
    more = [step for of_plugin in plugins().hook.effects() for step in of_plugin]
    first = [step for step in more if step.stage is Stage.FIRST]
    others = (step for step in more if step.stage is not Stage.FIRST)
    return (*first, *STEPS, *others, PageStep(Stage.SHARED, EVERY, _tell_plugins))
