"""The ledger of URLs and hosts: what was offered, what became of it, what is due; every function is one step of a job.

Nothing here commits: the caller's transaction does. States and reasons are those of :mod:`newsspider.core.model`.
"""

from newsspider.store.ledger.address_delays import LOOK_SECONDS, place, take
from newsspider.store.ledger.config_changes import ask_failing, bound_waits, refused_by_other_topic, retire_channels
from newsspider.store.ledger.due import Left, Lists, counts, last_failure, left, list_read_since, lists
from newsspider.store.ledger.internal_errors import faulty, forgive
from newsspider.store.ledger.leases import expire, release, release_worker, workers
from newsspider.store.ledger.offers import move, offer, offer_all
from newsspider.store.ledger.robots import keep_robots, robots_text
from newsspider.store.ledger.settlements import ANSWERED, mark, settle, settle_all

__all__ = (
    "ANSWERED", "LOOK_SECONDS", "Left", "Lists", "ask_failing", "bound_waits", "counts", "expire", "faulty",
    "forgive", "keep_robots", "last_failure", "left", "list_read_since", "lists", "mark", "move", "offer",
    "offer_all", "place", "refused_by_other_topic", "release", "release_worker", "retire_channels",
    "robots_text", "settle", "settle_all", "take", "workers",
)  # fmt: skip
