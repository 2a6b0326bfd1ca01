"""What a host said in its robots.txt."""

from __future__ import annotations

from newsspider.store import ledger
from tests.store.samples import NOW, URL, offer


def test_the_robots_txt_of_an_unknown_host_is_unknown(conn):
    assert ledger.robots_text(conn, "nobody.cn") is None
    ledger.offer(conn, [offer(URL)], NOW)
    assert ledger.robots_text(conn, "a.cn") is None
