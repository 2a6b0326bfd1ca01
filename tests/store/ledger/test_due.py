"""What is left to do."""

from dataclasses import replace

from newsspider.core.model import PageType, Reason
from newsspider.store import ledger
from tests.support.samples import NOW, POLLED_AGAIN, STORED, URL, allow, claimed, lease_on, offer

HOSTS = ("a.cn", "b.cn", "c.cn")


def test_nothing_is_due_in_an_empty_ledger_and_a_lease_may_come_back(conn):
    assert ledger.remaining(conn, "").due_at is None
    lease = lease_on(conn, URL)
    assert ledger.remaining(conn, "", revisit_before=0.0).due_at == lease.ends_at
    ledger.settle(conn, lease, STORED)
    assert ledger.remaining(conn, "").due_at is None


def test_lists_that_failed_are_counted_beside_all_that_are_polled_of_the_sites_asked_for(conn):
    allow(conn, "a.cn", "b.cn", "c.cn")
    lists = [
        offer(f"http://{host}/list", kind=PageType.LIST, site=site, update_cycle=60.0)
        for host, site in zip(HOSTS, "sst", strict=True)
    ]
    ledger.offer(conn, [*lists, offer("http://a.cn/article", site="s")], NOW)
    assert ledger.lists(conn, {"s", "t"}) == (3, 0)
    for lease in claimed(conn, 3):
        failed = lease.host == "a.cn"
        ledger.settle(conn, lease, replace(POLLED_AGAIN, reason=Reason.CONNECTION, failures=1) if failed else POLLED_AGAIN)
    assert ledger.lists(conn, {"s", "t"}) == (3, 1)
    assert ledger.lists(conn, {"s"}) == (2, 1)
    assert ledger.lists(conn, {"t"}) == (1, 0)
    assert (ledger.last_failure(conn, {"s", "t"}), ledger.last_failure(conn, {"t"})) == ("http://a.cn/list: connection", None)


def test_a_list_that_any_worker_read_counts_from_its_moment_on_and_only_for_its_site(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/list", kind=PageType.LIST, site="s", update_cycle=60.0)], NOW)
    assert not ledger.list_read_since(conn, {"s"}, NOW)
    (lease,) = claimed(conn)
    ledger.settle(conn, lease, POLLED_AGAIN)
    assert ledger.list_read_since(conn, {"s"}, NOW)
    assert not ledger.list_read_since(conn, {"s"}, NOW + 0.1)
    assert not ledger.list_read_since(conn, {"t"}, NOW)
