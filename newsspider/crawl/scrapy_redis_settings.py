"""Refuses settings of scrapy-redis that a crawl with a ledger cannot honour: none is ignored in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

# Setting -> the value that holds anyway, and why there is no other.
HOLDS = {
    "SCHEDULER_PERSIST": ("True", "the ledger keeps what was found; name another DATABASE_URL to begin anew"),
    "SCHEDULER_FLUSH_ON_START": (
        "False",
        "no start empties the ledger, which other workers may be using; name another DATABASE_URL to begin anew",
    ),
    "SCHEDULER_QUEUE_CLASS": (
        "scrapy_redis.queue.PriorityQueue",
        "the ledger decides what is next; `scrapy crawl explore` has -a strategy=breadth-first (a FIFO queue), "
        "depth-first (a LIFO one) and others",
    ),
    "SCHEDULER_QUEUE_KEY": ("%(spider)s:requests", "no request waits in Redis; REDIS_PREFIX stands before other keys"),
    "SCHEDULER_DUPEFILTER_KEY": ("%(spider)s:dupefilter", "the ledger knows every URL; Redis holds no fingerprints"),
    "SCHEDULER_SERIALIZER": ("scrapy_redis.picklecompat", "no request is serialized, and nothing is ever unpickled"),
}
SWITCHES = {"1": "True", "true": "True", "0": "False", "false": "False"}
OWN = "; a spider of your own may have it in its custom_settings"


def check_scrapy_redis(settings: BaseSettings) -> None:
    """Raise ``UsageError`` for the first of these settings that has another value."""
    for name, (value, why) in HOLDS.items():
        given = str(settings.get(name, value))
        if SWITCHES.get(given.lower(), given) != value:
            raise wrong_use(f"{name}={given}: {why}{OWN}")
