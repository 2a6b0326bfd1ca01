"""Two workers, ten times ``kill -9``: every article stored once, no URL lost, none invented, at any moment."""

import random
import time
from collections import Counter
from pathlib import Path

from tests.support.news import News
from tests.support.workers import (
    LEASE_SECONDS,
    PATIENCE_SECONDS,
    SETTINGS,
    SETTLED,
    Store,
    Worker,
    assert_asked_once,
    assert_ends_well,
    assert_stored_once,
    until,
    watched,
    workers,
)

KILLS = 10
RETURN_SECONDS = 5.0  # after its end a lease is back


def test_kills_lose_nothing_double_nothing_and_fetch_only_what_was_in_flight_again(
    portal: News, store: Store, tmp_path: Path, chance: random.Random
) -> None:
    portal.forget_visits()
    pages = len(portal.known_urls)
    moments = sorted(chance.sample(range(pages // 20, pages * 9 // 10), KILLS))
    left_dead = chance.randrange(KILLS // 2)  # from here on, the first that held pages is not started again before they came back
    came_back = False
    in_flight: Counter[str] = Counter()
    arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS)
    with workers(store, tmp_path, 2, *arguments) as fleet, watched(store, portal) as samples:
        for number, moment in enumerate(moments):
            until(lambda moment=moment: _settled(store) >= moment, PATIENCE_SECONDS, fleet[0].log_end)  # type: ignore[misc]
            victim = chance.choice(_holding(fleet))
            leased_urls = victim.kill()
            in_flight.update(leased_urls)
            if leased_urls and number >= left_dead and not came_back:
                _wait_for_leases(victim)
                came_back = True
            victim.start()
        assert_ends_well(fleet)
    assert came_back
    assert samples.pop("samples") > KILLS
    assert samples == Counter(), samples
    assert_stored_once(store, portal)
    assert_asked_once(portal, in_flight)
    ends = dict(store.rows("SELECT reason, count(*) FROM runs GROUP BY reason"))
    assert ends.keys() == {"died", "finished"}, ends
    assert ends["finished"] == len(fleet)


def _settled(store: Store) -> int:
    return int(store.rows(SETTLED)[0][0])


def _holding(fleet: list[Worker]) -> list[Worker]:
    """The workers that hold pages, as soon as there is one."""
    holders: list[Worker] = []

    def look() -> bool:
        holders.extend(worker for worker in fleet if worker.may_be_killed())
        return bool(holders)

    until(look, PATIENCE_SECONDS, fleet[0].log_end)
    return holders


def _wait_for_leases(dead: Worker) -> None:
    """Its leases return, to a worker that knows nothing of its death, soon after they end."""
    killed_at = time.monotonic()
    until(lambda: not dead.held(), LEASE_SECONDS + RETURN_SECONDS, dead.log_end)
    assert time.monotonic() - killed_at < LEASE_SECONDS + RETURN_SECONDS
