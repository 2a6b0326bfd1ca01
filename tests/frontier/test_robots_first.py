"""A host's robots.txt is claimed before its pages."""

import pytest

from newsspider.core.crawling.start_url_message import StartUrl
from newsspider.core.crawling.visit import Settlement
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import PageType, Reason, State
from newsspider.core.url import url_key
from newsspider.store import ledger
from newsspider.store.ledger.submitted import submit
from tests.support.samples import NOW, STORED, claimed, offer, urls_of


def test_robots_txt_comes_first_with_the_scheme_of_its_page(conn):
    ledger.offer(conn, [offer("https://a.cn:8443/1", priority=7, site="站")], NOW)
    (robots,) = claimed(conn)
    assert (robots.kind, robots.url, robots.site) == (PageType.ROBOTS, "https://a.cn:8443/robots.txt", "站")
    assert sum(ledger.counts(conn).values()) == 2
    ledger.settle(conn, robots, Settlement(State.DONE, Reason.ROBOTS_READ, status=200, fetched_at=NOW))
    ledger.keep_robots(conn, robots.host, RobotsText(200, b"User-agent: *", NOW))
    assert ledger.robots_text(conn, robots.host, NOW) == RobotsText(200, b"User-agent: *", NOW)
    (page,) = claimed(conn)
    assert page.url == "https://a.cn:8443/1"


@pytest.mark.parametrize(("status", "good_for"), [(200, 24 * 3600), (404, 24 * 3600), (429, 3600), (503, 3600), (None, 3600)])
def test_robots_txt_is_fetched_again_when_it_is_old_and_sooner_after_a_failure(conn, status, good_for):
    ledger.offer(conn, [offer(f"http://a.cn/{n}") for n in range(3)], NOW)
    (robots,) = claimed(conn)
    ledger.settle(conn, robots, Settlement(State.DONE, Reason.ROBOTS_READ, status=status, fetched_at=NOW))
    ledger.keep_robots(conn, "a.cn", RobotsText(status, b"", NOW))
    (page,) = claimed(conn, now=NOW + good_for - 1)
    ledger.settle(conn, page, STORED)
    (again,) = claimed(conn, now=NOW + good_for)
    assert (again.kind, again.key) == (PageType.ROBOTS, robots.key)


def test_the_pages_of_a_host_wait_while_its_robots_txt_waits_for_another_try(conn):
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    (robots,) = claimed(conn)
    ledger.settle(conn, robots, Settlement(State.WAITING, Reason.RETRY, NOW + 30, failures=1, fetched_at=NOW))
    assert claimed(conn, now=NOW + 1) == []
    assert ledger.remaining(conn, "").due_at == NOW + 30
    assert urls_of(claimed(conn, now=NOW + 30)) == [robots.url]


def test_a_robots_txt_that_was_handed_in_is_claimed_as_one(conn):
    submit(conn, [StartUrl("http://a.cn/robots.txt"), StartUrl("http://a.cn/1")], NOW)
    (robots,) = claimed(conn)
    assert (robots.url, robots.kind) == ("http://a.cn/robots.txt", PageType.ROBOTS)


def test_the_key_of_a_robots_txt_is_that_of_its_url(conn):
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    (robots,) = claimed(conn)
    assert robots.key == url_key("http://a.cn/robots.txt")
