"""The simulator of polls: one schedule on one world at one budget, and what became of the items."""

from __future__ import annotations

import heapq
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.newsworld import DAY, HOUR, SHOWN, START, World
from bench.our_schedule import Ours
from bench.schedules import CloudAdaptive, Fixed, Found, NutchAdaptive, Proportional, Schedule, StormAdaptive
from newsspider.core.scheduling.poll_schedule import PollLimits

SINCE = 3 * DAY  # items are counted from then on: the days before are there to learn
QUARTER = 900.0  # of an hour
LONGEST = DAY
SHORTEST = 60.0
HOST_REQUESTS = 1200.0  # an hour: one every three seconds
CARRIED = HOUR  # for so long a request that nobody wanted may be asked later


@dataclass(slots=True)
class Figures:
    """What became of the items of a run; delays in seconds, each item weighing as its list."""

    requests: int = 0
    weighted: float = 0.0
    weights: float = 0.0
    items: int = 0
    soon: int = 0  # items found within a quarter of an hour
    soon_weights: float = 0.0
    lost: int = 0  # items that had left their list before it was polled
    longest: float = 0.0  # between two polls of a list
    decisions: float = 0.0  # seconds of CPU time
    found: list[tuple[int, float, float]] = field(
        default_factory=list
    )  # list, moment and delay, of the lists that are watched

    @property
    def delay(self) -> float:
        """The mean weighted delay."""
        return self.weighted / self.weights


class _Polls:
    """The lists of a world while they are polled."""

    def __init__(self, world: World, since: float, until: float, watched: frozenset[int]) -> None:
        self.world, self.since, self.until, self.watched = world, since, until, watched
        self.items = [moments.tolist() for moments in world.items]
        self.sites = [int(site) for site in world.sites]
        self.place = [0] * world.lists
        self.last: list[float | None] = [None] * world.lists
        self.read = [False] * world.lists
        self.figures = Figures()

    def poll(self, number: int, now: float) -> Found:
        figures, last = self.figures, self.last[number]
        figures.requests += 1
        if last is not None:
            figures.longest = max(figures.longest, now - last)
        self.last[number] = now
        if not self.world.answers(self.sites[number], now):
            return Found(0, 0, False, False)
        items, start, first = self.items[number], self.place[number], not self.read[number]
        self.place[number] = stop = bisect_right(items, now, start)
        self.read[number] = True
        listed_items = items[max(start, stop - SHOWN) : stop]
        if not first:
            figures.lost += stop - start - len(listed_items) if now >= self.since else 0
            self._count(number, now, listed_items)
        return Found(
            len(listed_items),
            SHOWN,
            first or len(listed_items) == SHOWN,
            True,
            first,
            tuple([START + moment for moment in listed_items]),
        )

    def _count(self, number: int, now: float, moments: list[float]) -> None:
        figures, weight = self.figures, float(self.world.weights[number])
        for moment in moments:
            if self.since <= moment < self.until:
                delay = now - moment
                figures.weighted += weight * delay
                figures.weights += weight
                figures.items += 1
                if delay <= QUARTER:
                    figures.soon += 1
                    figures.soon_weights += weight
                if number in self.watched:
                    figures.found.append((number, moment, delay))


def simulate(
    world: World, schedule: Schedule, budget: float, *, since: float = SINCE, watched: frozenset[int] = frozenset()
) -> Figures:
    """Poll the lists of a world as a schedule says, with so many requests an hour; items of the last day are not counted."""
    end, gap = world.days * DAY, HOUR / budget
    polls = _Polls(world, since, end - DAY, watched)
    queue = [(0.0 if schedule.own_clock else number * gap, number) for number in range(world.lists)]
    free = 0.0
    while True:
        due, number = queue[0]
        if schedule.own_clock:
            now = polls.figures.requests * gap
        else:
            now = max(due, free)
            free = max(free + gap, now - CARRIED)
        if now >= end:
            return polls.figures
        result = polls.poll(number, now)
        began = time.process_time()
        again = (
            schedule.polled(number, due, result)
            if schedule.own_clock
            else schedule.polled(number, START + now, result) - START
        )
        polls.figures.decisions += time.process_time() - began
        heapq.heapreplace(queue, (again, number))


def ours(world: World, budget: float) -> Ours:
    """Our schedule, which knows weights and sites, and no rates."""
    limits = PollLimits(budget, HOST_REQUESTS, SHORTEST, LONGEST)
    return Ours(world.weights.tolist(), [int(site) for site in world.sites], limits)


def contestants(world: World, budget: float) -> dict[str, Callable[[], Schedule]]:
    """The schedules by name, ours first."""
    lists = world.lists
    return {
        "ours": lambda: ours(world, budget),
        "fixed": Fixed,
        "proportional": lambda: Proportional(lists),
        "nutch": lambda: NutchAdaptive(lists),
        "stormcrawler": lambda: StormAdaptive(lists),
        "media cloud": lambda: CloudAdaptive(lists),
    }
