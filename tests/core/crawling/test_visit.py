"""What a lease is for."""

from dataclasses import replace

from newsspider.core.crawling.visit import Lease
from newsspider.core.model import PageType
from tests.support.tables import each

NEW = Lease(
    key=1, url="http://a.cn/1", host="a.cn", kind=PageType.ARTICLE, site="站", channel="要闻", depth=1, anchor="", priority=0,
    token=1, ends_at=60.0, due_at=0.0,
)  # fmt: skip
AGAIN = replace(NEW, again=True, fetch_count=1)
STORED = replace(AGAIN, stored_at=0.0)
LED_TO = replace(NEW, hops=1)
FURTHER = replace(NEW, partial_article="{}")


@each(
    ("lease", "alone", "rechecked", "listed", "awaited"),
    [
        (NEW, True, False, True, True),
        (AGAIN, True, True, True, True),
        (STORED, True, False, True, True),
        (LED_TO, True, False, False, False),
        (replace(AGAIN, hops=1), True, True, False, False),
        (FURTHER, True, False, False, True),
        (replace(FURTHER, fetch_count=1), True, False, False, False),
        (replace(AGAIN, partial_article="{}"), True, True, False, True),
        (replace(AGAIN, kind=PageType.LIST), False, False, False, False),
        (replace(AGAIN, kind=PageType.ROBOTS), False, False, False, False),
        (replace(AGAIN, update_cycle=60.0), False, False, False, False),
    ],
)
def test_a_lease_says_whether_its_page_is_read_for_itself_was_seen_before_was_listed_and_is_awaited(
    lease: Lease, alone: bool, rechecked: bool, listed: bool, awaited: bool
) -> None:
    assert (lease.alone, lease.rechecked, lease.listed, lease.awaited) == (alone, rechecked, listed, awaited)
