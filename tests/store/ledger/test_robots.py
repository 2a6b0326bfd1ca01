"""What a host said in its robots.txt."""

import pytest

from newsspider.core.fetching.robots import SERVES_SECONDS, RobotsText
from newsspider.store import ledger
from tests.support.samples import NOW, URL, offer

GOOD = RobotsText(200, b"User-agent: *\nDisallow: /a", NOW)


def test_the_robots_txt_of_an_unknown_host_is_unknown(conn):
    assert ledger.robots_text(conn, "nobody.cn", NOW) is None
    ledger.offer(conn, [offer(URL)], NOW)
    assert ledger.robots_text(conn, "a.cn", NOW) is None


@pytest.mark.parametrize("status", [None, 429, 503])
def test_the_last_good_one_is_kept_and_serves_while_asking_again_fails(conn, status):
    ledger.offer(conn, [offer(URL)], NOW)
    failed = RobotsText(status, b"an error page", NOW + 90_000)
    ledger.keep_robots(conn, "a.cn", failed)
    assert ledger.robots_text(conn, "a.cn", NOW) == RobotsText(status, b"", NOW + 90_000)
    ledger.keep_robots(conn, "a.cn", GOOD)
    ledger.keep_robots(conn, "a.cn", failed)
    assert ledger.robots_text(conn, "a.cn", NOW + SERVES_SECONDS) == GOOD
    assert ledger.robots_text(conn, "a.cn", NOW + SERVES_SECONDS + 1).status == status
    answer = RobotsText(404, b"", NOW + 100_000)
    ledger.keep_robots(conn, "a.cn", answer)
    assert ledger.robots_text(conn, "a.cn", NOW + 100_000) == answer
