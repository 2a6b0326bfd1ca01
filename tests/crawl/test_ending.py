from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from newsspider.core.crawling.internal_errors import ERRORS_OF_FEW_HOSTS, RECENT_PAGES
from newsspider.crawl.ending import ErrorLog
from tests.support.crawler import lease_of_kind


def test_errors_of_long_ago_are_forgotten() -> None:
    log, lease = ErrorLog(MemoryStatsCollector(get_crawler())), lease_of_kind()
    for errors in (ERRORS_OF_FEW_HOSTS, 1):  # together one more than stops the crawl of a host
        for _ in range(errors):
            log.note(ValueError("damaged"), lease)
        assert log.cause is None
        for _ in range(RECENT_PAGES):
            log.page_read(lease.host)
    for _ in range(RECENT_PAGES):
        log.note(ValueError("damaged"), lease)
    assert log.cause is not None
    assert f"of the last {RECENT_PAGES} pages" in log.cause
