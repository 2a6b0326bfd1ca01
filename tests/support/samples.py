"""Offers, pages and articles that the tests of the store are made of."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, Row, text

from newsspider.core.crawling.visit import HeldArticle, Lease, ListObservation, Offer, PageResult, Saved, Settlement
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import ArticlePart, Link, LinkKind, PageType, Reason, State, StoredArticle
from newsspider.core.url import host_of, url_key
from newsspider.frontier.sql_frontier import claim
from newsspider.sites.model import Channel, ChannelKind, from_home
from newsspider.store import ledger, pages, sites
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger.stored_links import StoredLink, of_pages

NOW = 1_800_000_000.0
URL = "http://a.cn/1"
STORED = Settlement(State.DONE, Reason.STORED, status=200, fetched_at=NOW)
POLLED = Settlement(State.DONE, Reason.POLLED, status=200, fetched_at=NOW)
POLLED_AGAIN = replace(POLLED, due_at=NOW + 60)


def offer(url: str, **values: Any) -> Offer:
    return Offer(url_key(url), url, host_of(url), **values)


def row(conn: Connection, url: str = URL) -> Row[Any]:
    """All that the ledger knows of a URL."""
    return conn.execute(text("SELECT * FROM urls WHERE key = :key"), {"key": url_key(url)}).one()


def allow(conn: Connection, *hosts: str, now: float = NOW) -> None:
    """Let the hosts have a robots.txt that was read just now."""
    for host in hosts:
        conn.execute(text("INSERT INTO hosts (host) VALUES (:host) ON CONFLICT DO NOTHING"), {"host": host})
        ledger.keep_robots(conn, host, RobotsText(200, b"", now))


def claimed(conn: Connection, n: int = 10, now: float = NOW, worker: str = "w", **options: Any) -> list[Lease]:
    return claim(conn, worker, n, now, 60.0, **options)


def urls_of(leases: Iterable[Lease]) -> list[str]:
    return [lease.url for lease in leases]


def lease_on(conn: Connection, url: str, now: float = NOW, **values: Any) -> Lease:
    """A lease on this URL, whatever else is due on its host."""
    new_offer = offer(url, priority=1_000_000, again_before=now + 1, **values)
    allow(conn, new_offer.host, now=now)
    ledger.offer(conn, [new_offer], now)
    conn.execute(text("UPDATE hosts SET next_at = 0, paused_until = 0 WHERE host = :host"), {"host": new_offer.host})
    conn.execute(text("UPDATE queues SET host_ready_at = 0 WHERE host = :host"), {"host": new_offer.host})
    (lease,) = claimed(conn, 1, now, hosts=[new_offer.host])
    assert lease.url == url
    return lease


def article(url: str, body: str = "正文", **values: Any) -> StoredArticle:
    heading = "".join(f"<b>{values[name]}</b>" for name in ("title", "published_at") if name in values)
    content = values.get("content", f"{heading}<p>{body}</p>".encode("utf-8", "surrogatepass"))
    record = StoredArticle(
        url=url, canonical_url=url, site="站", channel="要闻", media_class="trade", anchor="锚", title="标题",
        authors=("张三",), source="新华网", published_at=datetime(2026, 11, 1, 8, 30, tzinfo=UTC),
        crawled_at=datetime(2026, 11, 2, tzinfo=UTC), meta_keywords=("教育",), meta_description=None, text=body,
        summary=body[:10], keywords=("高考", "改革"), language="zh", charset="utf-8", kind=PageType.ARTICLE, link_count=3,
        priority=5, topic="education", score=0.8, terms=("高考",), model="boolean", subtopics=("高考", "中小学"),
        body_md5=hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        snapshot=hashlib.sha256(content).hexdigest(), content=content,
    )  # fmt: skip
    return replace(record, **values)


def save_article(conn: Connection, url: str, body: str = "正文", now: float = NOW, **values: Any) -> Saved:
    """Fetch a URL and store what stood there."""
    lease = lease_on(conn, url, now)
    record = article(url, body, **values)
    settlement = replace(STORED, fetched_at=now, body_hash=record.body_md5)
    return pages.save(conn, PageResult(lease, settlement, record), now)


def named(page: str) -> str:
    """The name of a page's snapshot."""
    return hashlib.sha256(page.encode()).hexdigest()


def in_parts(conn: Connection, url: str, *pages: str, now: float = NOW) -> None:
    """Reads an article of these pages, one page after the other, as a crawl does."""
    for count in range(1, len(pages) + 1):
        parts = tuple(ArticlePart(f"{url}_{n}", named(page)) for n, page in enumerate(pages[1:count], 2))
        content = pages[count - 1].encode()
        record = article(url, "\n".join(pages[:count]), snapshot=named(pages[0]), parts=parts, content=content)
        articles_by_body.keep(conn, url_key(url), record, now, goes_on=count < len(pages))


def links(urls: Iterable[str], kind: LinkKind = LinkKind.ARTICLE) -> tuple[Link, ...]:
    return tuple(Link(url, "锚文字", kind) for url in urls)


def stored_links(conn: Connection) -> list[StoredLink]:
    """All links that are stored, in order of the keys of pages and targets."""
    sources = conn.execute(text("SELECT src FROM link_lists UNION SELECT src FROM page_links")).scalars()
    return of_pages(conn, sources)


def statements_of(store: Engine, monkeypatch: pytest.MonkeyPatch, record: StoredArticle) -> int:
    """How many statements it takes to store a new article; a change without rows is not counted."""
    statements: list[Any] = []
    with store.begin() as conn, monkeypatch.context() as patch:
        for name in ("run", "change", "change_many"):
            whole = getattr(Statement, name)
            patch.setattr(Statement, name, lambda self, *values, whole=whole: (statements.append(values), whole(self, *values))[1])
        articles_by_body.keep(conn, url_key(record.url), record, NOW)
    return len([values for values in statements if values[1]])


def blocked_for_ten_hours(conn: Connection, now: float) -> None:
    """The site 病站 with two lists: ``well`` is read every hour, ``blocked`` answers 403."""
    channels = tuple(Channel(name, f"http://ill.cn/{name}", 5, ChannelKind.LIST) for name in ("well", "blocked"))
    sites.put(conn, replace(from_home("http://ill.cn/"), name="病站", channels=channels), now)
    refused = Settlement(State.DONE, Reason.HTTP_STATUS, failures=1, status=403)
    for moment in (now - hours * 3600 for hours in range(10, -1, -1)):
        for channel in channels:
            lease = lease_on(
                conn, channel.url, moment, kind=PageType.LIST, site="病站", channel=channel.name, update_cycle=86_400.0
            )
            is_well = channel.name == "well"
            effects = (ListObservation(30, 20),) if is_well else ()
            assert pages.save(conn, PageResult(lease, POLLED if is_well else refused, effects=effects), moment).settled


OFF_TOPIC = replace(STORED, reason=Reason.OFF_TOPIC, topic="education", body_hash="b")


def save_held(conn, url=URL, *, borderline=True, now=NOW, **values):
    """Save the page of an article that its topic did not keep."""
    effect = HeldArticle(article(url, title="校服", score=0.4, **values), borderline)
    pages.save(conn, PageResult(lease_on(conn, url, now), OFF_TOPIC, effects=(effect,)), now)
