"""Explore crawls on the ledger alone: the order of their claims is that of the walk in memory."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import Connection, text

from bench.walk import GraphPage, Shown, Walk
from newsspider.core.crawling.start_url_message import StartUrl
from newsspider.core.crawling.visit import Lease, Offer, PageResult, Settlement
from newsspider.core.fetching.address_guard import NOTHING_ALLOWED
from newsspider.core.links.page_weight import directory_depth, page_weight
from newsspider.core.model import Link, PageType, Reason, State
from newsspider.core.url import crawl_key, host_of, url_key
from newsspider.features.explore import crawl_starts
from newsspider.features.explore.crawl_starts import Seed
from newsspider.features.explore.discovered import INDEX
from newsspider.features.explore.effects import Explored, LinkCandidate, Placing
from newsspider.features.explore.link_placement import CHANNEL_NAME, counters_of
from newsspider.features.explore.rules.best_first import PageWeight
from newsspider.features.explore.rules.breadth_and_depth_first import BreadthFirst, LevelRow, Mixed, Rbse, Worm
from newsspider.features.explore.rules.strategy import Strategy
from newsspider.features.explore.rules.strategy_names import STRATEGIES
from newsspider.store import ledger, pages
from newsspider.store.ledger.crawls import crawl_names, keys_of
from newsspider.store.ledger.submitted import Submitted
from tests.support.graphs import graph, names, url
from tests.support.samples import NOW, POLLED, URL, allow, article, claimed, lease_on, links, offer, save_article

SITE = "explore:test"
FAILED = Settlement(State.ERROR, Reason.HTTP_STATUS, status=404, fetched_at=NOW)


class Crawl:
    """A crawl of a graph by claims and saved pages, a moment a page."""

    def __init__(self, conn: Connection, pages_: dict[str, GraphPage], strategy: Strategy, site: str = SITE) -> None:
        self.conn, self.pages, self.strategy, self.site = conn, pages_, strategy, site
        self.now = NOW
        allow(conn, *{host_of(link.url) for page in pages_.values() for link in page.links}, *map(host_of, pages_))

    def seed(self, *urls: str) -> int:
        return crawl_starts.begin(self.conn, self.site, "test", self.strategy, [Seed(address) for address in urls], self.now)

    def visits(self, count: int = 1000) -> Iterator[str]:
        for _ in range(count):
            self.now += 1
            leases = claimed(self.conn, 1, self.now, sites={self.site})
            if not leases:
                return
            yield leases[0].url
            self.save(leases[0])

    def save(self, lease: Lease) -> None:
        page = self.pages.get(lease.url, GraphPage())
        links = tuple(
            LinkCandidate(self._offer(link, lease), link.anchor, link.context, link.hub, link.region)
            for link in page.links
        )
        explored = Explored(lease.url, page.relevance, page.relevance >= 0.5, links, hub=page.hub)
        settlement = Settlement(State.DONE, Reason.POLLED, status=200, fetched_at=self.now, kind=PageType.ARTICLE)
        graph_links = tuple(Link(link.url) for link in page.links)
        result = PageResult(lease, settlement, links=graph_links, effects=(explored, Placing(self.site, self.strategy)))
        pages.save(self.conn, result, self.now)

    def _offer(self, link: Shown, lease: Lease) -> Offer:
        key, host = crawl_key(self.site, link.url), host_of(link.url)
        return Offer(key, link.url, host, PageType.ARTICLE, self.site, CHANNEL_NAME, parent=lease.key, anchor=link.text)


def random_graph(seed: int) -> dict[str, GraphPage]:
    chance = random.Random(seed)
    lines = []
    for number in range(30):
        targets = [target for target in chance.sample(range(40), chance.randint(0, 6)) if target != number]
        links = " ".join(f"a{target}={chance.choice(['0', '0.2', '0.6', '0.9'])}" for target in targets)
        lines.append(f"a{number}{chance.choice(['', '*'])}: {links}")
    return graph(*lines)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_crawl_on_the_ledger_claims_in_the_order_of_the_walk_in_memory(conn, name, seed):
    pages_, strategy = random_graph(seed), STRATEGIES[name]()
    walk = Walk(pages_, strategy)
    walk.seed([url("a0"), url("a1")])
    crawl = Crawl(conn, pages_, strategy)
    crawl.seed(url("a0"), url("a1"))
    begun = list(crawl.visits(7))
    crawl.seed(url("a0"), url("a1"))  # the same command again
    visited = names([*begun, *crawl.visits()])
    assert visited == names(list(walk.visits()))
    assert len(visited.split()) > 1


def test_servers_take_turns_as_in_memory(conn):
    pages_ = graph("a1: a2 a3 a4 b1 b2", "a2: c1 a5", "b1: b3", "c1: c2 c3 c4", "a3: d1")
    crawl = Crawl(conn, pages_, STRATEGIES["webcrawler"]())
    crawl.seed(url("a1"))
    assert names(list(crawl.visits())) == "a1 b1 a2 c1 b2 a3 d1 b3 c2 a4 c3 a5 c4"


def test_a_depth_that_is_full_takes_no_more_unless_one_of_it_is_given_up(conn):
    pages_ = graph("a: b", "x: y z")
    crawl = Crawl(conn, pages_, Mixed((LevelRow(0, 2, 2), LevelRow(1, 2, 3))))
    crawl.seed(url("a"), url("x"))
    first = list(crawl.visits(1))
    (lease,) = claimed(conn, 1, crawl.now + 1, sites={SITE})
    pages.save(conn, PageResult(lease, FAILED, effects=(Placing(SITE, crawl.strategy),)), crawl.now)
    assert names([*first, lease.url, *crawl.visits()]) in ("a b x y z", "a b x z y")  # y and z are equals


@pytest.mark.parametrize(
    ("ending", "learned"),
    [
        (FAILED, True),
        (Settlement(State.DONE, Reason.REDIRECT, fetched_at=NOW), True),  # and nothing is offered
        (Settlement(State.DONE, Reason.CONTENT_TYPE, fetched_at=NOW), True),
        (Settlement(State.ERROR, Reason.HTTP_STATUS, status=503, fetched_at=NOW), False),
        (Settlement(State.ERROR, Reason.TIMEOUT, fetched_at=NOW), False),
    ],
)
def test_a_folder_of_links_behind_which_there_is_no_page_comes_after_one_with_pages(conn, ending, learned):
    dead, live = ([f"http://a.example/{folder}/{number}.html" for number in range(20)] for folder in ("old", "new"))
    pages_ = {url("a"): GraphPage(links=tuple(Shown(link, 0.9, text="教育改革") for link in (*dead, *live)), hub=True)}
    pages_ |= {link: GraphPage(relevance=0.9) for link in live}
    crawl = Crawl(conn, pages_, STRATEGIES["focused"]())
    crawl.seed(url("a"))
    assert list(crawl.visits(1)) == [url("a")]
    fetched_urls = []
    for _ in range(20):
        crawl.now += 1
        (lease,) = claimed(conn, 1, crawl.now, sites={SITE})
        fetched_urls.append(lease.url)
        if lease.url in pages_:
            crawl.save(lease)
        else:
            pages.save(conn, PageResult(lease, ending, effects=(Placing(SITE, crawl.strategy),)), crawl.now)
    assert fetched_urls[0] in dead
    assert (sum(link in live for link in fetched_urls) > 15) is learned


def test_a_redirect_to_a_page_that_was_not_known_teaches_nothing(conn):
    crawl = Crawl(conn, graph("a: b c"), STRATEGIES["focused"]())
    crawl.seed(url("a"))
    list(crawl.visits(1))
    (lease,) = claimed(conn, 1, crawl.now + 1, sites={SITE})
    moved = Offer(
        crawl_key(SITE, url("d")), url("d"), "d.example", PageType.ARTICLE, SITE, CHANNEL_NAME, depth=1,
        strategy_state=lease.strategy_state)
    result = PageResult(lease, Settlement(State.DONE, Reason.REDIRECT, fetched_at=NOW), offers=(moved,))
    old_counters = counters_of(conn, SITE, ["weight article"])
    result.add(Placing(SITE, crawl.strategy))
    assert pages.save(conn, result, crawl.now).offered == 1
    assert counters_of(conn, SITE, ["weight article"]) == old_counters


def test_crawls_keep_rows_of_their_own_beside_those_of_the_watched_sites(conn):
    ledger.offer(conn, [offer(url("a"), site="s")], NOW)
    first, second = (Crawl(conn, graph("a: b"), STRATEGIES["breadth-first"](), f"explore:{name}") for name in ("one", "other"))
    first.seed(url("a"))
    second.seed(url("a"))
    assert names(list(first.visits())) == "a b"
    assert names(list(second.visits())) == "a b"
    assert claimed(conn, now=NOW + 9, sites={"s", ""})[0].key == url_key(url("a"))
    assert crawl_names(conn) == ["explore:one", "explore:other"]
    assert len(keys_of(conn, url("a"))) == 3


def test_a_url_that_waits_moves_without_losing_when_it_was_found_and_is_due(conn):
    ledger.offer(conn, [offer(URL, priority=5, due_at=NOW + 3)], NOW)
    assert ledger.move(conn, [offer(URL, priority=2**52, depth=7, strategy_state='{"energy":1}', due_at=NOW + 99)]) == 1
    row = conn.execute(text("SELECT * FROM urls")).one()
    assert (row.priority, row.depth, row.strategy_state) == (2**52, 7, '{"energy":1}')
    assert (row.found_at, row.due_at) == (NOW, NOW + 3)
    assert conn.execute(text("SELECT top_priority FROM queues")).scalar() == 2**52
    allow(conn, "a.cn")
    (lease,) = claimed(conn, now=NOW + 4)
    assert (lease.priority, lease.strategy_state) == (2**52, '{"energy":1}')
    assert ledger.move(conn, [offer(URL, priority=1)]) == 0, "a leased one does not move"


def test_a_run_from_the_unvisited_places_them_as_seeds(conn):
    pages_ = graph("a1: a2 a3", "a2: a4", "a3: a5", "a4: a6")
    crawl = Crawl(conn, pages_, Rbse(order="depth-first", depth=5))
    crawl.seed(url("a1"))
    assert names(list(crawl.visits(2))) == "a1 a2"
    crawl.strategy = Rbse(order="depth-first", start="unvisited", depth=1)
    assert crawl.seed() == 2
    assert names(list(crawl.visits())) == "a3 a5 a4 a6"


def test_links_below_the_depth_are_kept_for_the_next_run(conn):
    crawl = Crawl(conn, graph("a1: a2", "a2: a3", "a3: a4", "a4: a5", "a5: a6", "a6: a7"), Rbse(depth=1))
    crawl.seed(url("a1"))
    assert names(list(crawl.visits())) == "a1 a2"
    query = text("SELECT state, reason, depth, due_at FROM urls WHERE url = :url")
    assert conn.execute(query, {"url": url("a3")}).one() == ("done", "depth", 2, None)
    assert crawl.seed(url("a1")) == 0, "the same run again has nothing to do"
    assert crawl.seed(url("a1"), url("a3")) == 1, "but it may be a seed"
    assert names(list(crawl.visits())) == "a3 a4"
    crawl.strategy = Rbse(depth=1, start="unvisited")
    assert crawl.seed() == 1
    assert names(list(crawl.visits())) == "a5 a6"
    crawl.strategy = Rbse(depth=2)
    assert crawl.seed(url("a1")) == 1, "a run that goes deeper fetches them as well"
    assert names(list(crawl.visits())) == "a7"


def test_what_was_too_deep_is_fetched_once_a_shorter_path_leads_to_it(conn):
    crawl = Crawl(conn, graph("a1: a2 a5", "a2: a3", "a3: a4", "a5: a4"), Rbse(order="depth-first", depth=2))
    crawl.seed(url("a1"))
    assert names(list(crawl.visits())) == "a1 a2 a3 a5 a4"


def test_what_was_discovered_is_indexed_by_a_crawl_of_its_own(conn):
    pages_ = graph("a1: a2 a3")
    crawl = Crawl(conn, pages_, Rbse(stage="discover"))
    crawl.seed(url("a1"))
    assert names(list(crawl.visits(2))) == "a1 a2"
    index = Crawl(conn, pages_, Rbse(stage="index"), SITE + INDEX)
    assert index.seed() == 2
    assert names(list(index.visits())) == "a1 a2"
    assert names(list(crawl.visits())) == "a3"
    assert index.seed() == 1, "only what was discovered since"


def test_a_failed_seed_is_due_again_where_the_strategy_says_so(conn):
    crawl = Crawl(conn, graph("a: b"), Worm())
    crawl.seed(url("a"))
    (lease,) = claimed(conn, 1, NOW + 1, sites={SITE})
    pages.save(conn, PageResult(lease, FAILED, effects=(Placing(SITE, crawl.strategy),)), NOW + 1)
    assert list(crawl.visits()) == []
    assert crawl.seed(url("a")) == 1
    assert names(list(crawl.visits())) == "a b"


def test_update_cycles_of_explored_pages_survive_other_crawls(conn):
    crawl = Crawl(conn, graph("a: b"), STRATEGIES["breadth-first"](cycle_seconds=60.0))  # type: ignore[call-arg]
    crawl.seed(url("a"))
    list(crawl.visits(1))
    assert ledger.retire_channels(conn, NOW + 5) == 0
    assert conn.execute(text("SELECT count(*) FROM urls WHERE update_cycle = 60")).scalar() == 2


def test_an_article_of_the_watched_sites_stays_theirs_and_one_that_was_explored_becomes_theirs(conn):
    save_article(conn, url("a"), "一", site="站")
    crawl = Crawl(conn, graph("a: b", "b"), STRATEGIES["breadth-first"]())
    crawl.seed(url("a"), url("b"))
    bodies = {url("a"): "一", url("b"): "二"}
    for _ in bodies:  # in whichever order: neither of the two hosts comes before the other
        (lease,) = claimed(conn, 1, NOW + 500, sites={SITE})
        settlement = Settlement(State.DONE, Reason.STORED, status=200, fetched_at=NOW + 500)
        record = article(lease.url, bodies[lease.url], site=SITE, topic="any")
        pages.save(conn, PageResult(lease, settlement, record, effects=(Placing(SITE, crawl.strategy),)), NOW + 500)
    sql = "SELECT url, site, topic FROM articles ORDER BY id"
    assert conn.execute(text(sql)).all() == [(url("a"), "站", "education"), (url("b"), SITE, "any")]
    assert conn.execute(text("SELECT reason FROM urls WHERE key = :key"), {"key": crawl_key(SITE, url("a"))}).scalar() == "duplicate"
    save_article(conn, url("b"), "二", now=NOW + 1000, site="站")
    assert conn.execute(text(sql)).all()[1] == (url("b"), "站", "education")


def test_pages_off_one_topic_are_not_read_again_by_a_crawl_that_explores_another(conn):
    crawl = Crawl(conn, graph("a"), STRATEGIES["breadth-first"]())
    crawl.seed(url("a"))
    (lease,) = claimed(conn, 1, NOW + 1, sites={SITE})
    off = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=NOW, topic="sports")
    pages.save(conn, PageResult(lease, replace(off), effects=(Placing(SITE, crawl.strategy),)), NOW + 1)
    assert ledger.refused_by_other_topic(conn, "education", NOW + 2) == 0


def test_page_weight_counts_the_lists_of_watched_sites_and_the_hosts_that_mirror_an_article(conn):
    for number in range(3):
        lease = lease_on(conn, f"http://list{number}.cn/", kind=PageType.LIST, site="站", channel="要闻")
        pages.save(conn, PageResult(lease, POLLED, links=links([url("c")])), NOW)
    for copy in (url("d"), "http://x.cn/1", "http://y.cn/1"):
        save_article(conn, copy, "同一正文")
    crawl = Crawl(conn, graph("a: b c d", "b:", "c:", "d:"), PageWeight())
    crawl.seed(url("a"))
    assert names(list(crawl.visits())) == "a c d b"
    priorities = dict(conn.execute(text("SELECT url, priority FROM urls WHERE site = :site"), {"site": SITE}).all())
    weight = partial(page_weight, directories=directory_depth(url("b")))
    assert [priorities[url(name)] for name in "bcd"] == [round(1000 * weight(*counts)) for counts in ((1, 0, 0), (3, 0, 0), (1, 0, 2))]


def test_pushed_urls_are_seeds_those_that_were_read_are_read_again_and_none_is_a_file(conn):
    crawl = Crawl(conn, {address: GraphPage() for address in ("http://a.cn/1", "http://a.cn/2")}, BreadthFirst())
    crawl.seed("http://a.cn/1", "http://a.cn/2")
    assert len(list(crawl.visits())) == 2
    pushed = [
        StartUrl("http://a.cn/1", '{"job": 7}'), StartUrl("http://a.cn/2", again=False), StartUrl("http://a.cn/3", priority=99),
        StartUrl("http://a.cn/4.zip"),
    ]  # fmt: skip
    allow(conn, "a.cn")
    submitted = crawl_starts.submit(conn, SITE, crawl.strategy, pushed, crawl.now, frozenset({"zip"}), NOTHING_ALLOWED)
    assert submitted == Submitted(new=2, refused=("http://a.cn/4.zip",))
    assert sorted(crawl.visits()) == ["http://a.cn/1", "http://a.cn/3"]
    rows = conn.execute(text("SELECT url, meta, reason FROM urls WHERE site = :site ORDER BY url"), {"site": SITE}).all()
    assert [(row.url, row.meta) for row in rows if row.meta] == [("http://a.cn/1", '{"job": 7}')]
    assert [row.reason for row in rows if row.url.endswith("zip")] == ["suffix"]
