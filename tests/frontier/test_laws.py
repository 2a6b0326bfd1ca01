"""What holds whatever workers do, in whatever order."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import event, text

from newsspider.core.crawling.visit import Settlement
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import PageType, Reason, State
from newsspider.store import ledger
from newsspider.store.tables import metadata
from tests.support.samples import NOW, allow, claimed, offer

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
            leases = claimed(conn, n, self.now, worker)
            assert len(leases) <= n
            assert len({lease.host for lease in leases}) == len(leases)
            assert {lease.host for lease in leases} <= open_before
        self.leases += leases

    @rule()
    def claim_all(self):
        with self.store.begin() as conn:
            leases = claimed(conn, MANY, self.now, "w")
            self.leases += leases
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
            if lease.kind is PageType.ROBOTS and in_force and not waits:
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
            urls = conn.execute(text("SELECT count(*) FROM urls")).scalar()
            assert sum(ledger.counts(conn).values()) == urls >= self.made

    @invariant()
    def no_host_has_two_leases_and_each_lease_its_host(self):
        with self.store.connect() as conn:
            leased = conn.execute(text("SELECT host, key FROM urls WHERE state = 'processing' ORDER BY host")).all()
            busy = conn.execute(text("SELECT host, busy_key FROM hosts WHERE busy_key IS NOT NULL ORDER BY host")).all()
            assert leased == busy

    @invariant()
    def the_next_moment_is_never_too_late(self):
        with self.store.connect() as conn:
            due = ledger.remaining(conn, "").due_at
            if self.open_hosts(conn) & self.due_hosts(conn):
                assert due is not None
                assert due <= self.now

    def open_hosts(self, conn):
        """Those without a lease in force that may be asked."""
        query = text(
            "SELECT host FROM hosts WHERE next_at <= :now AND paused_until <= :now "
            "AND (busy_key IS NULL OR busy_until <= :now)"
        )
        return {row.host for row in conn.execute(query, {"now": self.now})}

    def due_hosts(self, conn):
        return {row.host for row in conn.execute(text("SELECT host FROM urls WHERE queue IN (0, 1) AND due_at <= :now"), {"now": self.now})}

    def in_force(self, conn, lease):
        row = conn.execute(text("SELECT state, lease_token FROM urls WHERE key = :key"), {"key": lease.key}).one()
        return row.state == "processing" and row.lease_token == lease.token


STORE = []


def test_the_laws_of_the_ledger(store, backend):
    if backend == "sqlite":  # nothing is to survive
        event.listen(store, "checkout", lambda raw, *_: raw.execute("PRAGMA synchronous = OFF"))
    STORE[:] = [store]
    run_state_machine_as_test(
        Ledger,
        settings=settings(max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)),
    )
