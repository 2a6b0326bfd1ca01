"""URLs that are known but never to be fetched."""

from pathlib import Path

from newsspider.core.crawling.visit import Offer
from newsspider.core.model import Reason, State
from newsspider.core.url import host_of, url_key
from newsspider.frontier.sql_frontier import claim
from newsspider.store import ledger
from newsspider.store.engine.database import open_store
from tests.support.servers import new_file

URL = "http://a.example/files/notice.pdf"


def test_a_refused_offer_is_known_and_done_but_never_claimed(tmp_path: Path) -> None:
    engine = open_store(new_file(tmp_path / "news.db"))
    offered = Offer(url_key(URL), URL, host_of(URL), site="a", refused=Reason.SUFFIX)
    with engine.begin() as conn:
        assert ledger.offer(conn, [offered], 1.0) == 1
        assert ledger.counts(conn) == {**dict.fromkeys(State, 0), State.DONE: 1}
        assert ledger.remaining(conn, "").due_at is None
        assert claim(conn, "w", 10, 1e10, 60.0) == []
    engine.dispose()
