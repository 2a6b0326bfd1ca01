"""URLs that are refused for the words of a link, until another link to them says more."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import Offer, PageResult, Settlement
from newsspider.core.model import Reason, State
from newsspider.store import ledger, pages
from newsspider.store.engine.database import writing
from newsspider.store.engine.writer_caches import Memory
from tests.support.samples import NOW, URL, allow, claimed, lease_on, offer, row, save_article

REFUSED = replace(offer(URL, anchor="两市成交额回落", site="站"), refused=Reason.OFF_TOPIC, detail="said too little", topic="education")
WANTED = offer(URL, anchor="高考改革方案公布", site="乙", priority=57)


@pytest.fixture
def remembering(conn):
    """A connection with the memory of a writer."""
    memory = Memory()
    memory.attach(conn)
    memory.begin(conn)
    yield memory
    memory.detach(conn)


def offered(conn, *offers: Offer, now: float = NOW) -> None:
    ledger.offer(conn, offers, now)


def test_a_link_that_says_nothing_of_the_topic_is_a_row_that_is_not_fetched(conn):
    offered(conn, REFUSED)
    entry = row(conn)
    values = (entry.state, entry.reason, entry.detail, entry.topic, entry.due_at)
    assert values == ("done", "off_topic", "said too little", "education", None)
    assert claimed(conn) == []


def test_it_is_fetched_once_another_link_says_more(conn):
    offered(conn, REFUSED)
    offered(conn, WANTED, now=NOW + 60)
    entry = row(conn)
    assert (entry.state, entry.reason, entry.detail, entry.topic, entry.anchor) == ("waiting", "found", "", None, "高考改革方案公布")
    assert (entry.site, entry.priority) == ("乙", 57)
    assert ledger.remaining(conn, "").due_at == NOW + 60


def test_the_links_of_one_page_or_batch_are_taken_together(conn):
    ledger.offer_all(conn, [([REFUSED, WANTED], NOW)])
    assert row(conn).state == State.WAITING
    other = replace(REFUSED, key=7, url="http://a.cn/7")
    ledger.offer_all(conn, [([other], NOW), ([replace(WANTED, key=7, url="http://a.cn/7")], NOW)])
    assert conn.execute(text("SELECT state FROM urls WHERE key = 7")).scalar() == State.WAITING


def test_a_worker_does_not_remember_it_as_known(conn, remembering):
    offered(conn, REFUSED)
    remembering.committed()
    offered(conn, WANTED)
    assert row(conn).state == State.WAITING


def test_what_was_fetched_is_not_fetched_again_for_what_a_link_says(conn):
    lease = lease_on(conn, URL)
    pages.save(conn, PageResult(lease, Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=NOW, topic="education")), NOW)
    offered(conn, WANTED, now=NOW + 60)
    assert (row(conn).state, row(conn).reason) == ("done", "off_topic")


def test_a_url_that_waits_or_is_stored_stays_so_whatever_another_link_says(conn):
    offered(conn, WANTED)
    offered(conn, REFUSED)
    assert row(conn).state == State.WAITING
    save_article(conn, "http://a.cn/2")
    offered(conn, replace(REFUSED, key=offer("http://a.cn/2").key, url="http://a.cn/2"))
    assert row(conn, "http://a.cn/2").reason == "stored"


def test_another_topic_or_threshold_has_it_judged_again(conn):
    offered(conn, REFUSED)
    assert ledger.refused_by_other_topic(conn, "flood", NOW, links="education") == 0
    assert ledger.refused_by_other_topic(conn, "education", NOW, links="education, links below 0.001") == 1
    assert (row(conn).state, row(conn).topic, row(conn).detail) == ("waiting", None, "")


@pytest.mark.parametrize("anchor", ["", "详细", "[图文]"])
def test_a_link_that_says_too_little_does_not_change_what_another_said(conn, anchor):
    offered(conn, REFUSED)
    offered(conn, replace(WANTED, anchor=anchor))
    assert (row(conn).state, row(conn).anchor) == ("done", REFUSED.anchor)


def test_it_is_counted_as_new_once_it_is_wanted(conn):
    assert ledger.offer_all(conn, [([REFUSED], NOW)]) == [(0, 1)]
    assert ledger.offer_all(conn, [([WANTED], NOW)]) == [(1, 0)]


def test_it_is_not_remembered_as_known_when_it_is_offered_as_something_else_that_is_refused(conn, remembering):
    offered(conn, REFUSED)
    offered(conn, replace(REFUSED, refused=Reason.TRAP, topic=None))
    remembering.committed()
    offered(conn, WANTED)
    assert row(conn).state == State.WAITING


def set_aside(conn) -> None:
    (lease,) = claimed(conn)
    settlement = Settlement(State.DONE, Reason.OFF_TOPIC, topic="education", detail="the like was off topic")
    assert pages.save(conn, PageResult(lease, settlement), NOW).settled


def test_one_that_waited_and_was_set_aside_is_wanted_again_by_the_same_link(conn, remembering):
    offered(conn, WANTED)
    offered(conn, WANTED)
    remembering.committed()
    allow(conn, WANTED.host)
    set_aside(conn)
    remembering.committed()
    offered(conn, WANTED)
    assert row(conn).state == State.WAITING


def test_one_that_another_worker_set_aside_is_wanted_again_by_the_worker_that_found_it(store, writer):
    def twice(conn):
        offered(conn, WANTED)
        offered(conn, WANTED)

    writer.submit(twice).result(60)
    writer.submit(twice).result(60)
    with writing(store) as conn:
        allow(conn, WANTED.host)
        set_aside(conn)
    writer.submit(twice).result(60)
    with store.connect() as conn:
        assert row(conn).state == State.WAITING


def test_a_url_that_is_set_aside_changes_nothing_of_its_host(conn):
    save_article(conn, "http://a.cn/before", now=NOW - 60)
    offered(conn, WANTED)
    allow(conn, WANTED.host)
    set_aside(conn)
    assert conn.execute(text("SELECT page_at, article_at FROM hosts WHERE host = 'a.cn'")).one() == (NOW - 60, NOW - 60)


def test_one_that_was_set_aside_was_not_fetched(conn):
    offered(conn, WANTED)
    allow(conn, WANTED.host)
    set_aside(conn)
    assert (row(conn).fetch_count, row(conn).last_fetched_at, row(conn).topic) == (0, None, "education")
