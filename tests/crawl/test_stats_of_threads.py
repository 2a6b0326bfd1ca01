"""Counts from several threads."""

import sys
import threading
from pathlib import Path

from tests.support.crawler import crawler_of

EACH = 50_000


def test_no_increment_is_lost_whichever_thread_makes_it(tmp_path: Path) -> None:
    stats = crawler_of(tmp_path).stats
    assert stats is not None

    def count() -> None:
        for _ in range(EACH):
            stats.inc_value("links/offsite")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=count) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert stats.get_value("links/offsite") == 2 * EACH
