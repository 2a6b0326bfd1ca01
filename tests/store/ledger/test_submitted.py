"""URLs that people submit."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.start_url_message import StartUrl
from newsspider.core.crawling.visit import Settlement
from newsspider.core.fetching.address_guard import AllowedAddresses
from newsspider.core.model import Reason, State
from newsspider.core.url import url_key
from newsspider.sites.model import from_home
from newsspider.store import ledger, sites
from newsspider.store.ledger import submitted
from newsspider.store.ledger.submitted import Submitted
from tests.support.samples import NOW, STORED, allow, claimed, lease_on, offer

URL = "http://edu.a.cn/1.html"
SITE = from_home("http://www.a.cn/")
PDF = frozenset({"pdf"})


def submit(conn, urls, *more):
    return submitted.submit(conn, map(StartUrl, urls), *more)


def row(conn, url=URL):
    return conn.execute(text("SELECT * FROM urls WHERE key = :key"), {"key": url_key(url)}).one()


def test_a_submitted_url_belongs_to_the_enabled_site_of_its_domain(conn):
    sites.put(conn, SITE, NOW)
    assert submit(conn, [URL, "http://b.cn/1"], NOW) == Submitted(new=2, refused=())
    assert (row(conn).site, row(conn).channel, row(conn).reason) == ("www.a.cn", "submitted", "submitted")
    assert row(conn, "http://b.cn/1").site == ""
    sites.enable(conn, SITE.name, False, NOW)
    submit(conn, ["http://edu.a.cn/2.html"], NOW)
    assert row(conn, "http://edu.a.cn/2.html").site == ""


@pytest.mark.parametrize(
    "settled",
    [
        STORED,
        replace(STORED, reason=Reason.OFF_TOPIC, topic="education"),
        Settlement(State.ERROR, Reason.HTTP_STATUS, failures=1, status=403, fetched_at=NOW),
        Settlement(State.DONE, Reason.RETRY, NOW + 900, failures=1, status=500, fetched_at=NOW),
        Settlement(State.WAITING, Reason.RETRY, NOW + 900, failures=1, status=500, fetched_at=NOW),
    ],
    ids=lambda settled: f"{settled.state} {settled.reason}",
)
def test_a_known_url_is_fetched_again_even_by_a_round_that_runs_already(conn, settled):
    ledger.settle(conn, lease_on(conn, URL), settled)
    old_row = row(conn)
    assert submit(conn, [URL], NOW + 60).new == 0
    assert (row(conn).state, row(conn).due_at, row(conn).fetch_count) == ("waiting", NOW + 60, old_row.fetch_count)
    assert ledger.remaining(conn, "", revisit_before=0.0).due_at == NOW + 60
    (lease,) = claimed(conn, now=NOW + 60, revisit_before=NOW - 1)
    assert (lease.url, lease.fetch_count) == (URL, old_row.fetch_count)


def test_somebody_waits_for_a_submitted_url_so_it_goes_before_what_was_found(conn):
    ledger.offer(conn, [offer(URL, priority=1, due_at=NOW + 99), offer("http://edu.a.cn/2", priority=90)], NOW)
    submit(conn, [URL], NOW)
    allow(conn, "edu.a.cn")
    assert [lease.url for lease in claimed(conn)] == [URL]


def test_a_submitted_url_whose_site_is_gone_is_fetched_all_the_same(conn):
    sites.put(conn, SITE, NOW)
    submit(conn, [URL], NOW)
    sites.enable(conn, SITE.name, False, NOW)
    submit(conn, [URL], NOW)
    allow(conn, "edu.a.cn")
    assert [lease.url for lease in claimed(conn, sites={""})] == [URL]


def test_a_fetch_under_way_is_left_alone(conn):
    lease = lease_on(conn, URL)
    submit(conn, [URL], NOW)
    assert ledger.settle(conn, lease, STORED)
    assert row(conn).due_at is None


def test_what_is_no_page_or_a_trap_is_known_but_never_fetched(conn):
    trap = "http://edu.a.cn" + "/news" * 9
    done = submit(conn, ["http://edu.a.cn/1.pdf", trap, URL], NOW, PDF)
    assert done == Submitted(new=3, refused=("http://edu.a.cn/1.pdf", trap))
    assert (row(conn, "http://edu.a.cn/1.pdf").reason, row(conn, trap).reason) == ("suffix", "trap")
    assert row(conn, trap).detail == 'path repeats "news" 9 times'
    assert submit(conn, [trap], NOW + 1, PDF).refused == (trap,)
    allow(conn, "edu.a.cn")
    assert [lease.url for lease in claimed(conn)] == [URL]


@pytest.mark.parametrize("refused", [Reason.TRAP, None])
def test_what_a_person_asks_for_is_fetched_whatever_others_like_it_wasted(conn, refused):
    """The channel tells the crawl, which has no budget for it."""
    ledger.offer(conn, [offer(URL, site="站", channel="要闻", refused=refused, detail="too many pages like it")], NOW)
    submit(conn, [URL], NOW + 1)
    assert (row(conn).state, row(conn).channel, row(conn).detail) == ("waiting", "submitted", "")


def test_a_url_that_failed_before_is_fetched_whatever_others_like_it_wasted(conn):
    failed = Settlement(State.ERROR, Reason.HTTP_STATUS, failures=1, status=404, fetched_at=NOW)
    ledger.settle(conn, lease_on(conn, URL, site="站", channel="要闻"), failed)
    submit(conn, [URL], NOW + 1)
    assert (row(conn).state, row(conn).channel, row(conn).depth) == ("waiting", "submitted", 1)


def test_a_list_that_a_person_asks_for_stays_that_of_its_channel(conn):
    ledger.offer(conn, [offer(URL, site="站", channel="要闻", update_cycle=60.0)], NOW)
    submit(conn, [URL], NOW + 1)
    assert row(conn).channel == "要闻"


def test_an_address_that_is_not_public_is_refused_unless_it_is_excepted(conn):
    assert submit(conn, ["http://10.0.0.1/"], NOW).refused == ("http://10.0.0.1/",)
    assert row(conn, "http://10.0.0.1/").reason == "address"
    assert not submit(conn, ["http://10.0.0.2/"], NOW, PDF, AllowedAddresses.read(["10.0.0.2"])).refused


def test_a_known_url_is_left_alone_where_its_message_says_so_and_its_meta_is_that_of_the_last_message(conn):
    ledger.settle(conn, lease_on(conn, URL), STORED)
    assert submitted.submit(conn, [StartUrl(URL, '{"a": 1}', again=False)], NOW).new == 0
    assert (row(conn).state, row(conn).meta) == ("done", "")
    submitted.submit(conn, [StartUrl(URL, '{"a": 1}')], NOW)
    assert (row(conn).state, row(conn).meta) == ("waiting", '{"a": 1}')
    submit(conn, [URL], NOW)
    assert row(conn).meta == ""


def test_the_priority_of_a_message_counts_among_what_was_submitted(conn):
    allow(conn, "edu.a.cn")
    submitted.submit(conn, [StartUrl(URL), StartUrl("http://edu.a.cn/2.html", priority=1)], NOW)
    assert [lease.url for lease in claimed(conn)] == ["http://edu.a.cn/2.html"]
