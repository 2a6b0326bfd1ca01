"""Claims on the ledger: whose turn it is, and that nobody is forgotten."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import event, text

from newsspider.core.model import Kind, Reason, RobotsText, Settlement, State
from newsspider.core.url import url_key
from newsspider.frontier.protocol import Frontier
from newsspider.frontier.sql import SqlFrontier, extend
from newsspider.store import ledger
from newsspider.store.database import open_store
from newsspider.store.tables import metadata
from tests.store.samples import NOW, STORED, allow, claimed, offer

POLLED_AGAIN = Settlement(State.DONE, Reason.POLLED, due_at=NOW + 60, status=200, fetched_at=NOW)


def urls_of(leases):
    return [lease.url for lease in leases]


def test_one_lease_a_host_the_best_priority_first(conn):
    allow(conn, "a.cn", "b.cn", "c.cn")
    ledger.offer(
        conn,
        [offer("http://a.cn/1", priority=1), offer("http://a.cn/9", priority=9), offer("http://b.cn/5", priority=5),
         offer("http://c.cn/7", priority=7)],
        NOW,
    )  # fmt: skip
    assert urls_of(claimed(conn, 2)) == ["http://a.cn/9", "http://c.cn/7"]
    assert urls_of(claimed(conn, 5)) == ["http://b.cn/5"]
    assert claimed(conn, 5) == []


def test_links_of_one_page_are_fetched_in_the_order_of_the_page(conn):
    allow(conn, "a.cn")
    wanted = [f"http://a.cn/{name}" for name in "zmaqb"]
    ledger.offer(conn, [offer(url) for url in wanted], NOW)
    found = []
    for _ in wanted:
        (lease,) = claimed(conn)
        found.append(lease.url)
        ledger.settle(conn, lease, STORED)
    assert found == wanted


def test_a_lease_tells_what_is_known_of_page_and_host(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=Kind.LIST, site="站", channel="要闻", depth=1, anchor="锚", update_cycle=60)], NOW)
    (lease,) = claimed(conn)
    assert (lease.kind, lease.site, lease.channel, lease.depth, lease.anchor) == (Kind.LIST, "站", "要闻", 1, "锚")
    assert (lease.worker, lease.ends_at, lease.due_at, lease.update_cycle, lease.had_article) == ("w", NOW + 60, NOW, 60, False)
    ledger.settle(conn, lease, replace(POLLED_AGAIN, etag="e", body_hash="b", host_latency=0.5, host_next_at=NOW + 9, host_pause=True))
    (again,) = claimed(conn, now=NOW + 61)
    assert (again.etag, again.body_hash, again.fetch_count, again.due_at) == ("e", "b", 1, NOW + 60)
    assert (again.host_latency, again.host_failures) == (0.5, 1)
    assert again.token > lease.token


def test_a_host_rests_until_its_next_moment_and_through_its_pause(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1"), offer("http://a.cn/2"), offer("http://a.cn/3")], NOW)
    (lease,) = claimed(conn)
    ledger.settle(conn, lease, replace(STORED, host_next_at=NOW + 5))
    assert claimed(conn, now=NOW + 4.9) == []
    assert ledger.next_due(conn) == NOW + 5
    (lease,) = claimed(conn, now=NOW + 5)
    waiting = Settlement(State.WAITING, Reason.RATE_LIMITED, NOW + 100, host_next_at=NOW + 100, host_pause=True, status=429)
    ledger.settle(conn, lease, waiting)
    assert claimed(conn, now=NOW + 99) == []
    assert len(claimed(conn, now=NOW + 100)) == 1


def test_a_page_that_is_not_due_lets_the_next_one_go_first(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/late", priority=9, due_at=NOW + 50), offer("http://a.cn/now", priority=1)], NOW)
    assert urls_of(claimed(conn)) == ["http://a.cn/now"]


def test_done_pages_are_claimed_when_they_are_due_again(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=Kind.LIST)], NOW)
    ledger.settle(conn, *claimed(conn), POLLED_AGAIN)
    assert claimed(conn, now=NOW + 59) == []
    assert urls_of(claimed(conn, now=NOW + 60)) == ["http://a.cn/l"]


def test_a_round_leaves_alone_what_becomes_due_while_it_runs(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=Kind.LIST)], NOW)
    ledger.settle(conn, *claimed(conn), POLLED_AGAIN)
    assert claimed(conn, now=NOW + 61, revisit_before=NOW) == []
    assert ledger.next_due(conn, revisit_before=NOW) is None
    assert ledger.next_due(conn, revisit_before=0.0) is None
    assert ledger.next_due(conn) == NOW + 60
    assert len(claimed(conn, now=NOW + 61)) == 1


def test_only_the_sites_asked_for_are_claimed(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1", site="off", priority=9), offer("http://a.cn/2", site="on")], NOW)
    assert claimed(conn, sites=frozenset()) == []
    assert urls_of(claimed(conn, sites={"on", "other"})) == ["http://a.cn/2"]
    assert ledger.next_due(conn, sites={"other"}) is None


def test_robots_txt_comes_first_with_the_scheme_of_its_page(conn):
    ledger.offer(conn, [offer("https://a.cn:8443/1", priority=7, site="站")], NOW)
    (robots,) = claimed(conn)
    assert (robots.kind, robots.url, robots.site) == (Kind.ROBOTS, "https://a.cn:8443/robots.txt", "站")
    assert sum(ledger.counts(conn).values()) == 2
    ledger.settle(conn, robots, Settlement(State.DONE, Reason.ROBOTS_READ, status=200, fetched_at=NOW))
    ledger.keep_robots(conn, robots.host, RobotsText(200, b"User-agent: *", NOW))
    assert ledger.robots_text(conn, robots.host) == RobotsText(200, b"User-agent: *", NOW)
    (page,) = claimed(conn)
    assert page.url == "https://a.cn:8443/1"


@pytest.mark.parametrize(("status", "good_for"), [(200, 24 * 3600), (404, 24 * 3600), (429, 3600), (503, 3600), (None, 3600)])
def test_robots_txt_is_asked_for_again_when_it_is_old_sooner_if_it_could_not_be_had(conn, status, good_for):
    ledger.offer(conn, [offer(f"http://a.cn/{n}") for n in range(3)], NOW)
    (robots,) = claimed(conn)
    ledger.settle(conn, robots, Settlement(State.DONE, Reason.ROBOTS_READ, status=status, fetched_at=NOW))
    ledger.keep_robots(conn, "a.cn", RobotsText(status, b"", NOW))
    (page,) = claimed(conn, now=NOW + good_for - 1)
    ledger.settle(conn, page, STORED)
    (again,) = claimed(conn, now=NOW + good_for)
    assert (again.kind, again.key) == (Kind.ROBOTS, robots.key)


def test_the_pages_of_a_host_wait_while_its_robots_txt_waits_for_another_try(conn):
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    (robots,) = claimed(conn)
    ledger.settle(conn, robots, Settlement(State.WAITING, Reason.RETRY, NOW + 30, failures=1, fetched_at=NOW))
    assert claimed(conn, now=NOW + 1) == []
    assert ledger.next_due(conn) == NOW + 30
    assert urls_of(claimed(conn, now=NOW + 30)) == [robots.url]


def test_a_late_settle_is_refused_and_changes_nothing(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    (late,) = claimed(conn, worker="slow")
    (other,) = claimed(conn, now=NOW + 61, worker="quick")
    assert other.key == late.key
    before = conn.execute(text("SELECT * FROM urls")).all()
    assert not ledger.settle(conn, late, STORED)
    assert not ledger.release(conn, late)
    assert extend(conn, late, NOW + 500) is None
    assert conn.execute(text("SELECT * FROM urls")).all() == before
    assert ledger.settle(conn, other, STORED)
    assert not ledger.settle(conn, other, STORED)


def test_an_extended_lease_ends_later(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    (lease,) = claimed(conn)
    longer = extend(conn, lease, NOW + 200)
    assert longer is not None
    assert longer.ends_at == NOW + 200
    assert claimed(conn, now=NOW + 199, worker="other") == []
    assert ledger.settle(conn, longer, STORED)


def test_a_worker_gives_all_its_leases_back(conn):
    allow(conn, "a.cn", "b.cn", "c.cn")
    ledger.offer(conn, [offer("http://a.cn/1"), offer("http://b.cn/1"), offer("http://c.cn/1")], NOW)
    mine, others = claimed(conn, 2, worker="mine"), claimed(conn, 1, worker="other")
    assert set(ledger.workers(conn)) == {"mine", "other"}
    assert ledger.release_worker(conn, "mine") == 2
    assert not ledger.settle(conn, mine[0], STORED)
    assert ledger.settle(conn, others[0], STORED)
    row = conn.execute(text("SELECT state, reason, deaths FROM urls WHERE key = :key"), {"key": mine[0].key}).one()
    assert row == ("waiting", "released", 0)
    assert len(claimed(conn, 5)) == 2


def kill(conn, url, times, start=NOW):
    """Let a page's worker die so often; returns the moment after it."""
    now = start
    for _ in range(times):
        assert url in urls_of(claimed(conn, 10, now, worker="dying"))
        now += 61
    ledger.expire(conn, now)
    return now


def test_a_page_whose_workers_died_three_times_is_claimed_alone(conn):
    allow(conn, "a.cn", "b.cn", now=NOW + 300)
    ledger.offer(conn, [offer("http://a.cn/killer", priority=9)], NOW)
    now = kill(conn, "http://a.cn/killer", 3)
    ledger.offer(conn, [offer("http://b.cn/innocent")], now)
    assert urls_of(claimed(conn, 10, now, worker="careful")) == ["http://a.cn/killer"]
    assert claimed(conn, 10, now, worker="careful") == []
    assert urls_of(claimed(conn, 10, now, worker="other")) == ["http://b.cn/innocent"]


def test_a_worker_that_holds_something_is_not_given_a_suspect(conn):
    allow(conn, "a.cn", "b.cn", now=NOW + 300)
    ledger.offer(conn, [offer("http://a.cn/killer")], NOW)
    now = kill(conn, "http://a.cn/killer", 3)
    ledger.offer(conn, [offer("http://b.cn/1")], now)
    (suspect,) = claimed(conn, 1, now, worker="one")
    ledger.release(conn, suspect)
    conn.execute(text("UPDATE urls SET due_at = :later WHERE url LIKE '%killer'"), {"later": now + 1})
    assert urls_of(claimed(conn, 10, now, worker="busy")) == ["http://b.cn/1"]
    assert claimed(conn, 10, now + 2, worker="busy") == []
    assert ledger.next_due(conn) is not None
    assert urls_of(claimed(conn, 10, now + 2, worker="idle")) == ["http://a.cn/killer"]


def test_a_fourth_death_gives_the_page_up_and_a_settled_page_is_innocent(conn):
    allow(conn, "a.cn", "b.cn", now=NOW + 300)
    ledger.offer(conn, [offer("http://a.cn/killer"), offer("http://b.cn/1")], NOW)
    now = NOW
    for _ in range(4):
        claimed(conn, 1, now, worker="dying")
        now += 61
    ledger.expire(conn, now)
    killer = conn.execute(text("SELECT state, reason, due_at, deaths FROM urls WHERE url LIKE '%killer'")).one()
    assert killer == ("error", "worker_deaths", None, 4)
    (innocent,) = claimed(conn, 10, now)
    ledger.settle(conn, innocent, STORED)
    assert conn.execute(text("SELECT deaths FROM urls WHERE url = 'http://b.cn/1'")).scalar() == 0


def test_the_frontier_serves_asyncio_through_the_writer(store, writer):
    frontier: Frontier = SqlFrontier(writer, "w", 60.0, clock=lambda: NOW)

    async def crawl():
        with store.begin() as conn:
            allow(conn, "a.cn")
        assert await frontier.offer([offer("http://a.cn/1"), offer("http://a.cn/2")]) == 2
        (lease,) = await frontier.claim(5, NOW)
        assert (await frontier.counts())[State.PROCESSING] == 1
        longer = await frontier.extend(lease)
        assert longer is not None
        assert await frontier.settle(longer, STORED)
        assert await frontier.next_due() == NOW
        (lease,) = await frontier.claim(5, NOW, sites={""}, revisit_before=NOW)
        assert await frontier.release(lease)
        await frontier.claim(5, NOW)
        assert await frontier.release_worker() == 1
        assert await frontier.next_due(0.0, sites={"other"}) is None

    asyncio.run(crawl())


def test_a_claim_reads_the_queues_by_their_indexes(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    plans: list[str] = []
    raw = conn.connection.driver_connection
    asked: list[str] = []
    raw.set_trace_callback(asked.append)
    claimed(conn)
    raw.set_trace_callback(None)
    for statement in asked:
        if statement.lstrip().upper().startswith(("SELECT", "UPDATE")):
            plans += [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert any("ix_urls_waiting" in plan for plan in plans)
    assert any("ix_urls_due" in plan for plan in plans)
    assert not [plan for plan in plans if plan.startswith(("SCAN urls", "SCAN u "))]


HOSTS = st.sampled_from(["a.cn", "b.cn", "c.cn"])
MANY = 50


class Ledger(RuleBasedStateMachine):
    """Whatever workers do, in whatever order: no host is asked by two, no URL is lost, no due page is overlooked."""

    def __init__(self):
        super().__init__()
        self.leases = []
        self.now = NOW
        self.made = 0

    @initialize()
    def start(self):
        self.store = STORE[0]
        with self.store.begin() as conn:
            for table in reversed(metadata.sorted_tables):
                conn.execute(table.delete())
            allow(conn, "a.cn", "b.cn", now=NOW)  # c.cn needs its robots.txt

    @rule(host=HOSTS, count=st.integers(1, 3), priority=st.integers(0, 3), site=st.sampled_from(["", "s"]), wait=st.integers(0, 50))
    def offer(self, host, count, priority, site, wait):
        urls = [f"http://{host}/{self.made}/{n}" for n in range(count)]
        self.made += count
        offers = [offer(url, priority=priority, site=site, due_at=self.now + wait) for url in urls]
        with self.store.begin() as conn:
            assert ledger.offer(conn, offers, self.now) == count
            assert ledger.offer(conn, offers, self.now) == 0

    @rule(host=HOSTS, number=st.integers(0, 1))
    def offer_again(self, host, number):
        with self.store.begin() as conn:
            again = offer(f"http://{host}/again/{number}", due_at=self.now, again_before=self.now)
            self.made += ledger.offer(conn, [again], self.now)

    @rule(n=st.integers(1, 4), worker=st.sampled_from(["v", "w"]))
    def claim(self, n, worker):
        with self.store.begin() as conn:
            open_before = self.open_hosts(conn)
            found = claimed(conn, n, self.now, worker)
            assert len(found) <= n
            assert len({lease.host for lease in found}) == len(found)
            assert {lease.host for lease in found} <= open_before
        self.leases += found

    @rule()
    def claim_all(self):
        with self.store.begin() as conn:
            found = claimed(conn, MANY, self.now, "w")
            self.leases += found
            suspects = conn.execute(text("SELECT count(*) FROM urls WHERE state = 'processing' AND deaths >= 3")).scalar()
            if not suspects:
                assert not self.open_hosts(conn) & self.due_hosts(conn), "a due page was overlooked"

    @rule(data=st.data(), again=st.booleans(), waits=st.booleans(), delay=st.integers(0, 40))
    def settle(self, data, again, waits, delay):
        if not self.leases:
            return
        lease = data.draw(st.sampled_from(self.leases))
        self.leases.remove(lease)
        state = State.WAITING if waits else State.DONE
        due_at = self.now + delay if again or waits else None
        settlement = Settlement(state, Reason.RETRY, due_at, fetched_at=self.now, host_next_at=self.now + delay / 4)
        with self.store.begin() as conn:
            in_force = self.in_force(conn, lease)
            assert ledger.settle(conn, lease, settlement) == in_force
            if lease.kind is Kind.ROBOTS and in_force and not waits:
                ledger.keep_robots(conn, lease.host, RobotsText(200, b"", self.now))

    @rule(data=st.data())
    def release(self, data):
        if self.leases:
            lease = data.draw(st.sampled_from(self.leases))
            with self.store.begin() as conn:
                in_force = self.in_force(conn, lease)
                assert ledger.release(conn, lease) == in_force

    @rule(seconds=st.sampled_from([0.5, 10, 61]))
    def wait(self, seconds):
        self.now += seconds

    @rule(worker=st.sampled_from(["v", "w"]), died=st.booleans())
    def stop(self, worker, died):
        with self.store.begin() as conn:
            ledger.release_worker(conn, worker, died=died)

    @invariant()
    def the_states_sum_to_the_urls_known(self):
        with self.store.connect() as conn:
            known = conn.execute(text("SELECT count(*) FROM urls")).scalar()
            assert sum(ledger.counts(conn).values()) == known >= self.made

    @invariant()
    def no_host_has_two_leases_and_each_lease_its_host(self):
        with self.store.connect() as conn:
            leased = conn.execute(text("SELECT host, key FROM urls WHERE state = 'processing' ORDER BY host")).all()
            busy = conn.execute(text("SELECT host, busy_key FROM hosts WHERE busy_key IS NOT NULL ORDER BY host")).all()
            assert leased == busy

    @invariant()
    def the_next_moment_is_never_too_late(self):
        with self.store.connect() as conn:
            due = ledger.next_due(conn)
            if self.open_hosts(conn) & self.due_hosts(conn):
                assert due is not None
                assert due <= self.now

    def open_hosts(self, conn):
        """Those without a lease in force that may be asked."""
        wanted = text(
            "SELECT host FROM hosts WHERE next_at <= :now AND paused_until <= :now "
            "AND (busy_key IS NULL OR busy_until <= :now)"
        )
        return {row.host for row in conn.execute(wanted, {"now": self.now})}

    def due_hosts(self, conn):
        return {row.host for row in conn.execute(text("SELECT host FROM urls WHERE queue IN (0, 1) AND due_at <= :now"), {"now": self.now})}

    def in_force(self, conn, lease):
        row = conn.execute(text("SELECT state, lease_token FROM urls WHERE key = :key"), {"key": lease.key}).one()
        return row.state == "processing" and row.lease_token == lease.token


STORE = []


def test_the_laws_of_the_ledger(tmp_path):
    STORE[:] = [open_store(f"sqlite:///{tmp_path}/laws.db")]
    event.listen(STORE[0], "checkout", lambda raw, *_: raw.execute("PRAGMA synchronous = OFF"))  # nothing is to survive
    try:
        run_state_machine_as_test(
            Ledger,
            settings=settings(
                max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
            ),
        )
    finally:
        STORE.pop().dispose()


def test_the_key_of_a_robots_txt_is_that_of_its_url(conn):
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    (robots,) = claimed(conn)
    assert robots.key == url_key("http://a.cn/robots.txt")


@pytest.mark.parametrize("reason", [Reason.RETRY, Reason.RATE_LIMITED, Reason.NO_ROBOTS])
def test_a_round_waits_for_the_next_try_of_a_known_page(conn, reason):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=Kind.LIST)], NOW)
    ledger.settle(conn, *claimed(conn), POLLED_AGAIN)
    began = NOW + 60
    (lease,) = claimed(conn, now=began, revisit_before=began)
    ledger.settle(conn, lease, Settlement(State.DONE, reason, began + 30, failures=1, status=500, fetched_at=began))
    assert claimed(conn, now=began + 29, revisit_before=began) == []
    assert ledger.next_due(conn, revisit_before=began) == began + 30
    assert urls_of(claimed(conn, now=began + 30, revisit_before=began)) == ["http://a.cn/l"]


def test_a_known_page_that_is_put_off_is_found_by_the_offer_of_a_new_round(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=Kind.LIST)], NOW)
    ledger.settle(conn, *claimed(conn), POLLED_AGAIN)
    ledger.settle(conn, *claimed(conn, now=NOW + 60), Settlement(State.DONE, Reason.RETRY, NOW + 900, failures=1))
    ledger.offer(conn, [offer("http://a.cn/l", site="new", update_cycle=60.0, again_before=NOW + 70, due_at=NOW + 70)], NOW + 70)
    assert ledger.next_due(conn, revisit_before=0.0, sites={"new"}) == NOW + 70
    assert len(claimed(conn, now=NOW + 70, revisit_before=0.0, sites={"new"})) == 1
