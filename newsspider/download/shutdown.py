"""How a crawl that is told to stop by a signal ends within half a minute, whatever hangs: a page, or the store."""

from __future__ import annotations

PAGES_SECONDS = 10.0  # for pages under way; then they are given back
STORE_SECONDS = 20.0  # for the store to take what was read; then it counts as failed, and leases end by themselves

told_to_stop = object()  # the signal of Scrapy's kind that `scrapy crawl` sends then, without arguments
