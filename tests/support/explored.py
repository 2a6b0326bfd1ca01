"""An explore crawl whose pages a test gives one by one."""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection, text

from newsspider.core.crawling.visit import Offer, PageResult
from newsspider.core.model import Link, PageType, Reason
from newsspider.core.url import crawl_key, host_of
from newsspider.features.explore import crawl_starts
from newsspider.features.explore.effects import Explored, Placing
from newsspider.features.explore.rules.list_value import ReadList
from newsspider.features.explore.rules.strategy_names import make_strategy
from newsspider.features.explore.rules.suggestions import Thresholds
from newsspider.features.explore.suggested_lists import lists
from newsspider.store import ledger, pages
from tests.support.samples import NOW, POLLED, STORED, allow, article, claimed, links

SITE = "explore:web"


class Crawl:
    """An explore crawl whose pages are given one by one."""

    def __init__(self, conn: Connection, site: str = SITE, name: str = "breadth-first") -> None:
        self.conn, self.site, self.strategy = conn, site, make_strategy(name)
        crawl_starts.begin(conn, site, name, self.strategy, [], NOW)

    def page(self, url: str, settlement=POLLED, title: str = "", now: float = NOW, **values) -> None:
        host = host_of(url)
        allow(self.conn, host, now=now)
        key = crawl_key(self.site, url)
        ledger.offer(self.conn, [Offer(key, url, host, PageType.ARTICLE, self.site, "explore", again_before=now + 1)], now)
        self.conn.execute(text("UPDATE hosts SET next_at = 0, paused_until = 0"))
        self.conn.execute(text("UPDATE urls SET due_at = 0 WHERE key = :key"), {"key": key})
        self.conn.execute(text("UPDATE queues SET due_at = 0, host_ready_at = 0"))
        (lease,) = claimed(self.conn, 1, now, sites={self.site})
        assert lease.key == key
        if record := values.get("article"):
            values["article"] = replace(record, site=self.site, channel="explore")
        result = PageResult(lease, replace(settlement, fetched_at=now), **values)
        result.add(Explored(title))
        result.add(Placing(self.site, self.strategy))
        assert pages.save(self.conn, result, now).settled

    def list(self, url: str, targets: Iterable[str], kind: PageType = PageType.LIST, more: Iterable[Link] = (), **values) -> None:
        self.page(url, replace(POLLED, kind=kind), links=(*links(targets), *more), **values)
        for link in (*links(targets), *more):
            key = crawl_key(self.site, link.url)
            bare = Offer(key, link.url, host_of(link.url), PageType.ARTICLE, self.site, "explore", anchor=link.text, due_at=NOW + 9e8)
            ledger.offer(self.conn, [bare], NOW)

    def keep(self, url: str, body: str | None = None, now: float = NOW, title: str = "", **values) -> None:
        record = article(url, body or f"文{url}", **{"source": None, **values})
        self.page(url, replace(STORED, kind=PageType.ARTICLE), title, now, article=record)

    def refuse(self, url: str) -> None:
        self.page(url, replace(STORED, reason=Reason.OFF_TOPIC, kind=PageType.ARTICLE, topic="education"))

    def found(self, articles: int = 1) -> dict[str, ReadList]:
        return {listed.url: listed for listed in lists(self.conn, [self.site], Thresholds(0.0, articles))}
