"""A synthetic world of news lists: sites with lists, when each item appears, which hours a site does not answer.

It is drawn from a seed, so that every schedule is asked about the same items. Rates are log-uniform, weights uniform, and
each site keeps hours of its own: offices that publish on working days, papers that publish before breakfast, portals that
publish from morning to midnight. On top of that come bursts of a list and outages of a site. The shares and shapes are set
by hand: what is measured on them orders schedules on such worlds and says nothing of one real site.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from newsspider.core.scheduling.poll_schedule import spending

HOUR, DAY = 3600.0, 86400.0
START = 1_767_542_400.0  # the moment at which a world begins: Monday, 2026-01-05, midnight in Shanghai
CELL = 900.0  # seconds in which a rate does not change
CELLS_A_DAY = round(DAY / CELL)
RATES = (0.1, 50.0)  # items a day of a list, log-uniform
WEIGHTS = (1, 10)
LISTS_A_SITE = (1, 8)
SHOWN = 20  # items a list shows
SAFE = 11.8  # items that may be expected of an interval for more than SHOWN to come in one of 100: 1 - Poisson cdf(20; 11.8) = .01
HALVINGS = 50
BURST_EVERY, BURST_HOURS, BURST_FACTOR = 7 * DAY, (1.0, 3.0), 4.0  # of a list
OUTAGE_EVERY, OUTAGE_HOURS = 20 * DAY, (0.5, 5.0)  # of a site
JITTER = 1.0  # hours by which two sites of one kind are apart, a standard deviation

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Habit:
    """When sites of a kind publish: peaks (hour, width in hours, height) over a floor, and a factor for each day of the week."""

    share: float
    peaks: tuple[tuple[float, float, float], ...]
    floor: float
    week: tuple[float, ...]


HABITS = (
    Habit(0.35, ((10.0, 1.0, 1.0), (16.0, 1.0, 0.9)), 0.005, (1.0, 1.0, 1.0, 1.0, 0.9, 0.08, 0.06)),  # offices
    Habit(
        0.35, ((9.5, 1.3, 1.0), (15.5, 1.6, 0.8), (20.5, 1.0, 0.5)), 0.015, (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.45)
    ),  # portals
    Habit(0.20, ((6.5, 0.6, 1.0),), 0.01, (1.0, 1.0, 1.0, 1.0, 1.0, 0.8, 0.6)),  # papers
    Habit(0.10, ((22.0, 1.3, 1.0), (12.0, 1.0, 0.5)), 0.025, (0.8, 0.9, 1.0, 1.0, 1.0, 0.9, 0.9)),  # evening desks
)


@dataclass(slots=True)
class World:
    """The lists, their weights and sites; the rate of each in each cell, a second; and the items, by the moment they appear."""

    days: int
    weights: Floats
    sites: NDArray[np.int64]
    rates: Floats  # list x cell, items a second
    down: Bools  # site x cell
    items: list[Floats] = field(default_factory=list)  # of each list: when they appear, sorted

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return len(self.weights)

    def answers(self, site: int, now: float) -> bool:
        """Whether a site answers."""
        return not self.down[site, min(int(now / CELL), self.down.shape[1] - 1)]


def news_world(lists: int, days: int = 14, seed: int = 1, *, bursts: bool = True, outages: bool = True) -> World:
    """A world of so many lists and days, which begin on a Monday at midnight."""
    drawn = np.random.default_rng(seed)
    sites = _sites(lists, drawn)
    weights = drawn.integers(WEIGHTS[0], WEIGHTS[1] + 1, lists).astype(float)
    base = np.exp(drawn.uniform(log(RATES[0]), log(RATES[1]), lists)) / DAY
    profiles = np.array([_profile(drawn, days) for _ in range(sites.max() + 1)])
    rates = base[:, None] * profiles[sites]
    cells = days * CELLS_A_DAY
    if bursts:
        for row in rates:
            for cell, length in _spells(drawn, days * DAY, BURST_EVERY, BURST_HOURS):
                row[cell : cell + length] *= BURST_FACTOR
    down = np.zeros((sites.max() + 1, cells), dtype=bool)
    if outages:
        for site, row_down in enumerate(down):
            for cell, length in _spells(drawn, days * DAY, OUTAGE_EVERY, OUTAGE_HOURS):
                row_down[cell : cell + length] = True
                _put_off(rates, sites == site, cell, length)
    world = World(days, weights, sites, rates, down)
    world.items = draw_items(world, drawn)
    return world


def draw_items(world: World, drawn: np.random.Generator) -> list[Floats]:
    """The items of every list, as its rates have it."""
    items = []
    for row in drawn.poisson(world.rates * CELL):
        cells = np.repeat(np.arange(len(row)), row)
        items.append(np.sort((cells + drawn.random(len(cells))) * CELL))
    return items


def change(world: World, lists: NDArray[np.int64], since: float, factor: float, seed: int = 1) -> World:
    """The same world, but for the items of some lists, whose rate is another one from a moment on."""
    rates = world.rates.copy()
    rates[lists, int(since / CELL) :] *= factor
    changed = World(world.days, world.weights, world.sites, rates, world.down)
    changed.items = draw_items(changed, np.random.default_rng(seed))
    return changed


def bound(world: World, requests_an_hour: float, since: float, until: float) -> float:
    """The mean weighted delay in seconds that no schedule without knowledge of single items gets below at so many requests in each hour.

    In each cell (sum sqrt(w rate))^2 / (2 B), over the sum of w rate: known rates, f proportional to sqrt(w rate), no longest
    interval, no request to a site that is down.
    """
    rates = _weighted(world, since, until)
    budget = requests_an_hour / HOUR
    return float((np.sqrt(rates).sum(axis=0) ** 2).sum() / (2 * budget * rates.sum()))


def bound_when_saving(world: World, requests_an_hour: float, since: float, until: float, seconds: float) -> float:
    """The same where the requests of so many seconds may be saved for later cells."""
    rates = _weighted(world, since, until)
    pulls = np.sqrt(rates).sum(axis=0)
    budgets = requests_an_hour / HOUR * np.array(spending(pulls.tolist(), seconds / CELL))
    return float((pulls**2 / (2 * budgets)).sum() / rates.sum())


def safe_delay(usual: World, requests_an_hour: float, since: float, until: float, times: float) -> tuple[float, float]:
    """The mean weighted delay of known rates, over :func:`bound` of the same world, where every list is asked so often that it loses
    nothing should it suddenly bring so many times as much as is ``usual``: in 99 of 100 intervals no more items come than a list
    shows. And the share of the items that come when there are too few requests for that; then each list has its share of them.

    Who does not know of a burst before a request shows it has to ask so often beforehand. The rest of the requests of a cell is in
    proportion to sqrt(w rate).
    """
    rates, weighted = usual.rates[:, int(since / CELL) : int(until / CELL)], _weighted(usual, since, until)
    pulls, floors, budget = np.sqrt(weighted), rates * times / SAFE, requests_an_hour / HOUR
    low, high = np.zeros(rates.shape[1]), budget / pulls.sum(axis=0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        fits = np.maximum(middle * pulls, floors).sum(axis=0) <= budget
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    often = np.maximum(low * pulls, floors)
    too_few = floors.sum(axis=0) > budget
    often *= budget / often.sum(axis=0)
    delay = float((weighted / (2 * often)).sum() / weighted.sum())
    return delay / bound(usual, requests_an_hour, since, until), float(rates[:, too_few].sum() / rates.sum())


def _weighted(world: World, since: float, until: float) -> Floats:
    """The rate of each list in each cell of a time, times its weight."""
    weighted_rates: Floats = world.rates[:, int(since / CELL) : int(until / CELL)] * world.weights[:, None]
    return weighted_rates


def soon_at_best(world: World, requests_an_hour: float, since: float, until: float, seconds: float) -> float:
    """The share of the items that are found within so many seconds where f is proportional to sqrt(w rate), as in :func:`bound`."""
    cells = slice(int(since / CELL), int(until / CELL))
    rates, often = world.rates[:, cells], _often(world, requests_an_hour)[:, cells]
    return float((rates * np.minimum(1.0, seconds * often)).sum() / rates.sum())


def lost_at_best(world: World, requests_an_hour: float, since: float, until: float, seed: int = 1) -> int:
    """How many items leave their list unseen where each list is asked with f proportional to sqrt(w rate), as in :func:`bound`, from a
    random moment on: bursts are known, which items come when is not."""
    polls = np.concatenate(
        [np.zeros((world.lists, 1)), np.cumsum(_often(world, requests_an_hour) * CELL, axis=1)], axis=1
    )
    ends, drawn = np.arange(polls.shape[1]) * CELL, np.random.default_rng(seed)
    lost = 0
    for row, moments in zip(polls, world.items, strict=True):
        counted = moments[(moments >= since) & (moments < until)]
        _, between = np.unique(np.floor(np.interp(counted, ends, row) + drawn.random()), return_counts=True)
        lost += int(np.maximum(0, between - SHOWN).sum())
    return lost


def _often(world: World, requests_an_hour: float) -> Floats:
    """Requests a second of each list in each cell, proportional to sqrt(w rate)."""
    pulls = np.sqrt(world.rates * world.weights[:, None])
    often: Floats = pulls / pulls.sum(axis=0) * requests_an_hour / HOUR
    return often


def _sites(lists: int, drawn: np.random.Generator) -> NDArray[np.int64]:
    sizes = drawn.integers(LISTS_A_SITE[0], LISTS_A_SITE[1] + 1, lists)
    return np.repeat(np.arange(lists), sizes)[:lists]


def _profile(drawn: np.random.Generator, days: int) -> Floats:
    """The factor of a site in each cell; its mean over a week is 1."""
    habit = HABITS[drawn.choice(len(HABITS), p=[habit.share for habit in HABITS])]
    hours = (np.arange(CELLS_A_DAY) + 0.5) * CELL / HOUR
    day = np.full(CELLS_A_DAY, habit.floor)
    shift = drawn.normal(0.0, JITTER)
    for peak, width, height in habit.peaks:
        away = np.abs(hours - peak - shift - drawn.normal(0.0, JITTER / 2)) % 24
        away = np.minimum(away, 24 - away)
        day += height * drawn.uniform(0.6, 1.4) * np.exp(-0.5 * (away / (width * drawn.uniform(0.8, 1.3))) ** 2)
    week = np.array(habit.week) * drawn.uniform(0.8, 1.25, 7)
    factors = np.concatenate([day * factor for factor in week])
    factors /= factors.mean()
    return np.tile(factors, ceil(days / 7))[: days * CELLS_A_DAY]


def _spells(
    drawn: np.random.Generator, seconds: float, every: float, hours: tuple[float, float]
) -> list[tuple[int, int]]:
    """Where spells begin, and how many cells they last."""
    count = drawn.poisson(seconds / every)
    starts = drawn.integers(0, int(seconds / CELL), count)
    return [(int(start), max(1, round(drawn.uniform(*hours) * HOUR / CELL))) for start in starts]


def _put_off(rates: Floats, lists: Bools, cell: int, length: int) -> None:
    """What would have been published while the site was down is so in as much time after that."""
    missed = rates[lists, cell : cell + length].copy()
    rates[lists, cell : cell + length] = 0.0
    later = rates[lists, cell + length : cell + 2 * length]
    rates[lists, cell + length : cell + 2 * length] = later + missed[:, : later.shape[1]]
