"""A crawl of a graph in memory: one page at a time, in the claim order of the frontier, with the counts of the ledger."""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from newsspider.features.explore.rules.link_probability import UNLEARNED, Pair, folder_of
from newsspider.features.explore.rules.strategy import (
    BEST_AGAIN,
    BEST_EVERY,
    HOST_AGAIN,
    Counts,
    FrontierPosition,
    HostCount,
    LinkSeen,
    Need,
    Strategy,
    StrategyState,
    VisitedPage,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A link as its page shows it, with the topic scores of anchor and context."""

    url: str
    anchor: float = 0.0
    context: float = 0.0
    hub: bool = False  # the link leads to a list, as far as it tells
    text: str = ""  # its anchor
    region: str = ""  # where it stands on its page


@dataclass(frozen=True, slots=True)
class GraphPage:
    """A page of the graph."""

    relevance: float = 0.0
    links: tuple[Shown, ...] = ()
    hub: bool = False  # it is a list


@dataclass(slots=True)
class Row:
    """What the ledger keeps of a URL."""

    placement: FrontierPosition
    found: int
    fetched: bool = False


NO_PAGE = GraphPage()


class Walk:
    """Claims the URL of the highest priority, the first found among equal ones; a URL that was placed anew moves."""

    def __init__(self, graph: Mapping[str, GraphPage], strategy: Strategy, relevant_from: float = 0.5) -> None:
        self.graph = graph
        self.strategy = strategy
        self.relevant_from = relevant_from
        self.rows: dict[str, Row] = {}
        self.number = 0
        self.heap: list[tuple[int, int, str]] = []
        self.depths: Counter[int] = Counter()
        self.hosts: dict[str, HostCount] = {}
        self.fathers: defaultdict[str, list[str]] = defaultdict(list)  # the fetched pages that link to a URL
        self.learned: dict[str, Pair] = {}
        self.of_host: defaultdict[str, list[str]] = defaultdict(list)

    def seed(self, urls: Iterable[str], weight: int = 1) -> None:
        """Offer seeds, those that wait already as well."""
        for url in urls:
            self._place(url, self.strategy.seed(url, weight))

    def visits(self, count: int | None = None) -> Iterator[str]:
        """Fetch pages, at most so many, and yield the URL of each."""
        while count is None or count > 0:
            url = self._claim()
            if url is None:
                return
            self._visit(url)
            count = count and count - 1
            yield url

    def text(self) -> str:
        """The rows of the ledger and what was learned as JSON; everything else can be counted from these and the links of the pages."""
        rows = {}
        for url, row in self.rows.items():
            place = row.placement
            rows[url] = [place.priority, place.depth, place.carried.text(), place.update_cycle, row.found, row.fetched]
        return json.dumps([rows, {name: [pair.first, pair.second] for name, pair in self.learned.items()}])

    def read(self, text: str) -> None:
        """Go on from what :meth:`text` wrote."""
        rows, learned = json.loads(text)
        self.learned = {name: Pair(*pair) for name, pair in learned.items()}
        for url, (priority, depth, carried, cycle, found_at, fetched) in rows.items():
            placement = FrontierPosition(priority, depth, StrategyState.read(carried), cycle)
            self.rows[url] = Row(placement, found_at, fetched)
            self.of_host[host_of(url)].append(url)
            self._count(url, placement)
            if not fetched:
                heapq.heappush(self.heap, (-priority, found_at, url))
        fetched_urls = [url for url, row in self.rows.items() if row.fetched]
        self.number = len(fetched_urls)
        for url in fetched_urls:
            self._count_links(url, self.graph.get(url, NO_PAGE).links)

    def _claim(self) -> str | None:
        while self.heap:
            negative, _, url = heapq.heappop(self.heap)
            row = self.rows[url]
            if not row.fetched and row.placement.priority == -negative:
                return url
        return None

    def _visit(self, url: str) -> None:
        page, row = self.graph.get(url, NO_PAGE), self.rows[url]
        row.fetched = True
        self._count_links(url, page.links)
        visit = VisitedPage(
            host_of(url),
            row.placement,
            self.number,
            page.relevance,
            page.relevance >= self.relevant_from,
            len(self.fathers[url]),
            url,
            row.found + 1,
            page.hub,
        )
        self.number += 1
        links = [self._seen(link) for link in page.links]
        counts = self._counts(links)
        if Need.LEARNED in self.strategy.needs:
            counts = replace(counts, learned=self._learned(self.strategy.asks(visit, links)))
            learned = self.strategy.learned(visit, links, counts)
            self.learned |= {name: self.learned.get(name, UNLEARNED) + pair for name, pair in learned.items()}
            counts = replace(counts, learned=self._learned({**counts.learned, **learned}))
        for link, placement in zip(links, self.strategy.links(visit, links, counts), strict=True):
            if placement is not None and not placement.kept:
                self._place(link.url, placement)
        if Need.LEARNED in self.strategy.needs and self.number % BEST_EVERY == 0:
            self._replaced(self._best(BEST_AGAIN))
        if Need.LEARNED in self.strategy.needs and (where := self.strategy.again(visit, counts)) is not None:
            self._replace(visit.host, where)

    def _learned(self, names: Iterable[str]) -> dict[str, Pair]:
        return {name: self.learned[name] for name in names if name in self.learned}

    def _replace(self, host: str, where: str) -> None:
        """Place the URLs again that wait in a folder of a host."""
        waiting = [url for url in self.of_host[host] if not self.rows[url].fetched]
        waiting.sort(key=lambda url: (-self.rows[url].placement.priority, self.rows[url].found))
        self._replaced(url for url in waiting[:HOST_AGAIN] if folder_of(url).startswith(where))

    def _best(self, count: int) -> list[str]:
        """So many of the URLs that wait, those claimed next."""
        best: dict[str, None] = {}
        entries = []
        while self.heap and len(best) < count:
            entries.append(heapq.heappop(self.heap))
            row = self.rows[entries[-1][2]]
            if not row.fetched and row.placement.priority == -entries[-1][0]:
                best[entries[-1][2]] = None
        for entry in entries:
            if entry[2] in best:
                heapq.heappush(self.heap, entry)
        return list(best)

    def _replaced(self, urls: Iterable[str]) -> None:
        waiting = [LinkSeen(url, host_of(url), waits=self.rows[url].placement) for url in urls]
        counts = Counts(learned=self._learned(self.strategy.asks_again(waiting)))
        for link, placement in zip(waiting, self.strategy.replaced(waiting, counts), strict=True):
            if placement is not None and placement != link.waits:
                self._place(link.url, placement)

    def _seen(self, link: Shown) -> LinkSeen:
        row, url = self.rows.get(link.url), link.url
        waits = row.placement if row and not row.fetched else None
        fetched, indegree, father = bool(row and row.fetched), 1, 0
        if Need.INDEGREE in self.strategy.needs and not fetched:
            indegree = len(self.fathers[url])
            father = max(len(self.fathers[source]) for source in self.fathers[url])
        return LinkSeen(
            url,
            host_of(url),
            link.anchor,
            link.context,
            waits,
            fetched,
            indegree,
            father,
            0,
            link.hub,
            link.text,
            link.region,
        )

    def _counts(self, links: Sequence[LinkSeen]) -> Counts:
        hosts: dict[str, HostCount] = {}
        if Need.HOSTS in self.strategy.needs:
            hosts = {link.host: self.hosts[link.host] for link in links if link.host in self.hosts}
        return Counts(self.depths, hosts, len(self.hosts))

    def _place(self, url: str, placement: FrontierPosition) -> None:
        row = self.rows.get(url)
        if row is None:
            row = self.rows[url] = Row(placement, len(self.rows))
            self.of_host[host_of(url)].append(url)
        else:
            self.depths[row.placement.depth] -= 1
            row.placement = placement
        self._count(url, placement)
        heapq.heappush(self.heap, (-placement.priority, row.found, url))

    def _count(self, url: str, placement: FrontierPosition) -> None:
        self.depths[placement.depth] += 1
        host, priority = host_of(url), placement.priority
        host_count = self.hosts.get(host)
        if host_count is None:
            self.hosts[host] = HostCount(len(self.hosts), priority)
        elif host_count.lowest is None or priority < host_count.lowest:
            self.hosts[host] = replace(host_count, lowest=priority)

    def _count_links(self, url: str, links: Sequence[Shown]) -> None:
        for link in links:
            self.fathers[link.url].append(url)


def host_of(url: str) -> str:
    """The host of a URL of a graph.

    >>> host_of("http://a.example/b")
    'a.example'
    """
    return url.split("/", 3)[2]
