"""WebCrawler's index mode: as many different servers as possible first, then all of them in turn.

Source: Pinkerton, "Finding what people want: experiences with the WebCrawler" (1994). A new server is visited before
any second page of another; after that the servers take turns, one page each, until a new server appears. Choose it to
discover servers, and for indexes that need something from everyone; it also spreads the load best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.strategies.strategy import (
    UNLIMITED,
    Counts,
    LinkSeen,
    Need,
    Placement,
    Strategy,
    StrategyState,
    Visit,
)

SERVERS = 1 << 20  # servers with their own position in a round
NEW = 0  # the priority of a new server's first page; a round has a negative one


def turn(round_: int, server: int) -> int:
    """The priority of a server's page in a round: rounds in order, and in each the servers in order of discovery.

    >>> NEW > turn(1, 0) > turn(1, 1) > turn(2, 0)
    True
    """
    return -(round_ * SERVERS + min(server, SERVERS - 1))


def round_of(priority: int) -> int:
    """The round of a priority that :func:`turn` gave.

    >>> round_of(turn(7, 3)), round_of(NEW)
    (7, 0)
    """
    return -priority // SERVERS


@dataclass(frozen=True, slots=True)
class WebCrawler(Strategy):
    """Fair queueing: a server's next page is one round after its last, and missed rounds are not made up for."""

    depth: int = UNLIMITED

    needs = frozenset({Need.HOSTS, Need.WAITS})

    def placed(self, visit: Visit, links: Sequence[LinkSeen], depth: int, counts: Counts) -> list[Placement | None]:
        now = max(round_of(visit.placement.priority), visit.placement.carried.round)
        carried = StrategyState(round=now)
        last: dict[str, int] = {}  # the round of the last page of each host of these links
        new: dict[str, int] = {}  # the numbers of new hosts
        placements: list[Placement | None] = []
        for link in links:
            host, host_count = link.host, counts.hosts.get(link.host)
            if link.fetched or link.waits:
                placements.append(None)
                continue
            if host_count is None and host not in new:
                new[host], last[host], priority = counts.hosts_known + len(new), now, NEW
            else:
                lowest = host_count.lowest if host_count else None
                last[host] = last.get(host, max(now, 0 if lowest is None else round_of(lowest))) + 1
                priority = turn(last[host], host_count.number if host_count else new[host])
            placements.append(Placement(priority, depth, carried))
        return placements
