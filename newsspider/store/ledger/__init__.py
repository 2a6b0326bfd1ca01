"""The ledger of URLs and hosts: which URLs were offered, their states, and when they are due.

Every function is one step of a job and leaves the commit to its caller. States and reasons are those of
:mod:`newsspider.core.model`.
"""

from newsspider.store.ledger.config_changes import (
    ask_failing,
    bound_pages,
    bound_waits,
    refused_by_other_topic,
    retire_channels,
)
from newsspider.store.ledger.due_times import (
    Lists,
    Remaining,
    counts,
    faulty,
    forgive,
    last_failure,
    list_read_since,
    lists,
    remaining,
)
from newsspider.store.ledger.hosts import LOOK_SECONDS, keep_robots, place, robots_text, take
from newsspider.store.ledger.offers import move, offer, offer_all
from newsspider.store.ledger.settlements import (
    ANSWERED,
    expire,
    mark,
    release,
    release_worker,
    settle,
    settle_all,
    workers,
)

__all__ = (
    "ANSWERED",
    "LOOK_SECONDS",
    "Lists",
    "Remaining",
    "ask_failing",
    "bound_pages",
    "bound_waits",
    "counts",
    "expire",
    "faulty",
    "forgive",
    "keep_robots",
    "last_failure",
    "list_read_since",
    "lists",
    "mark",
    "move",
    "offer",
    "offer_all",
    "place",
    "refused_by_other_topic",
    "release",
    "release_worker",
    "remaining",
    "retire_channels",
    "robots_text",
    "settle",
    "settle_all",
    "take",
    "workers",
)
