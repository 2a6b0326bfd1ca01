"""The longer a feed or sitemap has been gone, the less often it is requested."""

from dataclasses import replace

from newsspider.core.crawling.outcome import DAY, RetryPolicy, failed, is_gone, read
from newsspider.core.crawling.visit import Lease
from newsspider.core.model import PageType, Reason
from newsspider.core.scheduling.poll_schedule import next_try
from tests.support.tables import each

LEASE = Lease(1, "http://a.cn/feed.xml", "a.cn", PageType.FEED, "站", "要闻", 1, "", 0, 1, 60.0, 0.0, update_cycle=60.0, fetch_count=9)
POLICY = RetryPolicy(3, 10.0, 3600.0)


@each(
    ("kind", "reason", "status", "failures", "expected"),
    [
        (PageType.FEED, Reason.HTTP_STATUS, 404, 3, True),
        (PageType.SITEMAP, Reason.HTTP_STATUS, 410, 9, True),
        (PageType.SITEMAP, Reason.HTTP_STATUS, 403, 9, True),
        (PageType.SITEMAP, Reason.UNREADABLE, 200, 3, True),
        (PageType.FEED, Reason.HTTP_STATUS, 404, 2, False),
        (PageType.FEED, Reason.HTTP_STATUS, 429, 30, False),
        (PageType.FEED, Reason.HTTP_STATUS, 500, 30, False),
        (PageType.FEED, Reason.TIMEOUT, None, 30, False),
        (PageType.FEED, Reason.POLLED, 200, 0, False),
        (PageType.LIST, Reason.HTTP_STATUS, 404, 30, False),
    ],
)
def test_feeds_and_sitemaps_are_gone_after_repeated_lasting_failures(kind, reason, status, failures, expected):
    assert is_gone(kind, reason, status, failures) is expected


def test_a_missing_feed_is_retried_soon_at_first_and_once_a_day_after_two_days():
    now, lease = 0.0, LEASE
    waits = []
    while now < 7 * DAY:
        settled = failed(lease, Reason.HTTP_STATUS, now, POLICY, status=404)
        assert settled.due_at is not None
        waits.append(settled.due_at - now)
        assert waits[-1] <= max(60.0 * 20, 2 * now)
        now, lease = settled.due_at, replace(lease, failures=settled.failures)
        assert now < 2 * DAY or waits[-1] == DAY or now - waits[-1] < 2 * DAY
    assert waits[:2] == [60.0, 60.0]
    assert waits[-4:] == [DAY] * 4


def test_failing_lists_and_recovered_feeds_are_polled_in_every_round():
    page = replace(LEASE, kind=PageType.LIST, failures=50)
    assert failed(page, Reason.HTTP_STATUS, 600.0, POLICY, status=404).due_at == 660.0
    assert read(replace(LEASE, failures=50), Reason.POLLED, 600.0).due_at == 660.0
    assert next_try(600.0, 50, DAY) == 600.0 + DAY
