"""Finds out why a crawl that ended badly read nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from newsspider.store import ledger

if TYPE_CHECKING:
    from newsspider.crawl.crawl import Crawl


REMEDY = "name the addresses in ALLOWED_ADDRESSES, or in the variable NEWSSPIDER_ALLOWED_ADDRESSES, if they are meant"


async def name_cause(crawl: Crawl) -> None:
    """Put into the stats what failed in this run, or in an earlier one if everything still waits."""
    counters = crawl.ending.counters
    cause = counters.failures.summary() or _refused(counters.stats.get_value("addresses/refused", 0))
    if cause is None:
        failed = await crawl.storage.writer.run(partial(ledger.last_failure, sites=crawl.sites.claimable()))
        cause = failed and f"nothing may be asked again yet after earlier failures, such as {failed}"
    if cause:
        counters.stats.set_value("spider/stopped_by", cause)


def _refused(requests: int) -> str | None:
    """What to do where requests were not made, because their hosts are at addresses that are not public."""
    return f"{requests} requests would go to addresses that are not public: {REMEDY}" if requests else None
