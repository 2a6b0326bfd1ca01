"""``python -m bench.revisit``: how soon new items are found, by our revisit policy and by five others, at equal requests.

The world (``bench/newsworld.py``) is drawn from a seed; rates and profiles are unknown to every schedule. Delays count from
day 3 on. *of bound* is the mean weighted delay over (sum sqrt(w rate))^2 / (2 B sum w rate), summed over the quarters of an
hour: what known rates would come to at as many requests in each. Ours may save up to half an hour's requests for busy hours; the
intervals of the others are relative, so they cannot. The last column is CPU time a decision, planning included.

Items are lost where more come between two polls than a list shows. Nobody knows of a burst before a poll shows it, so who is to lose
nothing has to ask fast lists more often than their waiting is worth, all the time: what that costs is printed below each world.

A change is followed when all lists that changed, taken together, are asked within :data:`RECOVERED` times as often as is right
for their new rates, of the requests of each whole hour from then on. How soon that can be is a matter of how much there is to see:
of a list that is to bring so many items an hour and brings a tenth, each item that is missed says 0.67 nats. So next to our hours
stand those of one who knows the old rates, the profiles and the factor, and sees every item at once.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.newsworld import (
    CELL,
    DAY,
    HOUR,
    START,
    World,
    bound,
    bound_when_saving,
    change,
    lost_at_best,
    news_world,
    safe_delay,
    soon_at_best,
)
from bench.polls import LONGEST, QUARTER, SINCE, Figures, contestants, ours, simulate
from bench.schedules import Found, Schedule
from newsspider.core.scheduling import poll_schedule
from newsspider.core.scheduling.publication_profile import HALF_HOUR
from newsspider.core.scheduling.publication_rate import ANYWHERE_SECONDS

BUDGETS = (0.5, 1.0, 2.0)  # polls a list and hour
LISTS = (200, 1000)
DAYS = 28
OF_BOUND, OF_OTHERS, SOON, HOURS_TO_RECOVER, MICROSECONDS = 1.07, 0.5, 0.92, 2, 50.0  # what is wanted
LINE = "{:<14}{:>8}{:>10}{:>10}{:>10}{:>12}{:>7}{:>9}{:>11}{:>6}"
HOURS = 8  # after a change
BURSTS = (4.0, 8.0, 16.0)  # times the usual rate: a burst; one when an outage is made up for; two bursts at once
RECOVERED = 1.5  # the factor by which a list may be asked too often or too seldom
CHANGED_AT = 4 * DAY + 10 * HOUR  # Friday morning, when most sites publish
TENFOLD = ((10.0, 2.0, 5.0), (0.1, 20.0, 50.0))  # factor, and the rates it befalls


@dataclass(frozen=True, slots=True)
class Recovery:
    """How a schedule follows sources whose rate changes by a factor: their delays, and their part of the polls of each hour, over those of
    known rates."""

    factor: float
    lists: int
    delays: tuple[float, ...]
    polls: tuple[float, ...]
    at_best: tuple[float, ...]  # the polls of one who sees every item at once

    @property
    def hours(self) -> int:
        """How many hours passed before the lists were asked about as often as is right for their new rate."""
        return _hours(self.polls)

    @property
    def hours_at_best(self) -> int:
        """The same of one who sees every item at once."""
        return _hours(self.at_best)


def _hours(polls: tuple[float, ...]) -> int:
    return max([hour + 1 for hour, ratio in enumerate(polls) if not 1 / RECOVERED <= ratio <= RECOVERED], default=0)


@dataclass(frozen=True, slots=True)
class Best:
    """What known rates would come to: the mean weighted delay, the share of the items that are found soon, and how many are lost."""

    delay: float
    soon: float
    lost: int
    saving: float  # the delay, if as many requests could be saved for busy hours as our plan saves
    safe: tuple[
        tuple[float, float], ...
    ]  # of who is to lose nothing in an interval of a burst (BURSTS), as safe_delay has it


def compare(lists: int, per_list: float, days: int, seed: int) -> tuple[dict[str, Figures], Best]:
    """The figures of every schedule on one world, and what known rates would come to."""
    world = news_world(lists, days, seed)
    budget, until = lists * per_list, (days - 1) * DAY
    figures_by_name = {name: simulate(world, make(), budget) for name, make in contestants(world, budget).items()}
    soon, lost = soon_at_best(world, budget, SINCE, until, QUARTER), lost_at_best(world, budget, SINCE, until)
    saving = bound_when_saving(world, budget, SINCE, until, poll_schedule.MOST_SAVED * HALF_HOUR)
    usual = news_world(lists, days, seed, bursts=False, outages=False)
    safe = tuple([safe_delay(usual, budget, SINCE, until, times) for times in BURSTS])
    return figures_by_name, Best(bound(world, budget, SINCE, until), soon, lost, saving, safe)


class _Noted:
    """Our schedule, and when it polled which list."""

    own_clock = False

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.polls: list[tuple[int, float]] = []

    def polled(self, number: int, now: float, result: Found) -> float:
        self.polls.append((number, now - START))
        return self.schedule.polled(number, now, result)


def recovery(per_list: float, factor: float, least: float, most: float, *, lists: int = 400, seed: int = 1) -> Recovery:
    """Change the rate of all lists between two rates (items a day) at once, and look at them hour by hour."""
    world = news_world(lists, 6, seed, bursts=False, outages=False)
    rates = world.rates.mean(axis=1) * DAY
    chosen = np.flatnonzero((rates >= least) & (rates <= most))
    old_world, world = world, change(world, chosen, CHANGED_AT, factor)
    budget, watched = lists * per_list, frozenset(chosen.tolist())
    noted = _Noted(ours(world, budget))
    figures = simulate(world, noted, budget, since=CHANGED_AT, watched=watched)
    pulls = np.sqrt(world.rates * world.weights[:, None])
    intervals = pulls.sum(axis=0) / pulls * HOUR / budget
    delays, ideal, polls, all_polls, fair_shares = (np.zeros(HOURS) for _ in range(5))
    for number, moment, delay in figures.found:
        if (hour := int((moment - CHANGED_AT) // HOUR)) < HOURS:
            delays[hour] += world.weights[number] * delay
            ideal[hour] += world.weights[number] * intervals[number, int(moment / CELL)] / 2
    for number, moment in noted.polls:
        if 0 <= (hour := int((moment - CHANGED_AT) // HOUR)) < HOURS:
            polls[hour] += number in watched
            all_polls[hour] += 1
    for hour in range(HOURS):
        cell = int((CHANGED_AT + hour * HOUR) / CELL)
        fair_shares[hour] = (CELL / intervals[chosen, cell : cell + 4]).sum() / budget
    best = at_best(old_world, world, chosen, factor)
    return Recovery(
        factor, len(chosen), tuple((delays / ideal).tolist()), tuple((polls / all_polls / fair_shares).tolist()), best
    )


def at_best(old_world: World, after: World, lists: NDArray[np.int64], factor: float) -> tuple[float, ...]:
    """The requests of each hour after a change, over those of known rates, of one who sees every item at once and knows all but whether
    there was a change: that moment is the only one he suspects, and as likely
    as :mod:`newsspider.core.scheduling.publication_rate` takes any change to be.
    """
    first = int(CHANGED_AT / CELL)
    cells = slice(first, first + int(HOURS * HOUR / CELL))
    passed = CELL * np.arange(1, cells.stop - first + 1)
    expected = np.cumsum(old_world.rates[lists, cells] * CELL, axis=1)
    item_counts = np.array([np.searchsorted(after.items[number], CHANGED_AT + passed) for number in lists])
    item_counts -= np.array([np.searchsorted(after.items[number], CHANGED_AT) for number in lists])[:, None]
    odds = np.log(np.expm1(passed / ANYWHERE_SECONDS)) + item_counts * np.log(factor) - (factor - 1.0) * expected
    changed = 1.0 / (1.0 + np.exp(-np.clip(odds, -50.0, 50.0)))
    weights = after.weights[lists, None]
    suspected = np.sqrt(weights * old_world.rates[lists, cells] * (1.0 + (factor - 1.0) * changed)).sum(axis=0)
    true_needs = np.sqrt(weights * after.rates[lists, cells]).sum(axis=0)
    return tuple((suspected.reshape(HOURS, -1).sum(axis=1) / true_needs.reshape(HOURS, -1).sum(axis=1)).tolist())


def microseconds(lists: int = 10_000, times: int = 3) -> float:
    """CPU time of a decision over two days with so many lists, plans included: the least of some runs, for others disturb."""
    world, budget = news_world(lists, 2, seed=1), float(lists)
    runs = [simulate(world, ours(world, budget), budget, since=0.0) for _ in range(times)]
    return min(figures.decisions / figures.requests for figures in runs) * 1e6


def checks(figures_by_name: dict[str, Figures], best: Best, per_list: float) -> list[tuple[str, bool]]:
    """What is wanted of one run, and whether it is so."""
    mine = figures_by_name["ours"]
    others = {name: mine.delay / figures.delay for name, figures in figures_by_name.items() if name != "ours"}
    nearest = max(others, key=others.__getitem__)
    ratio, at_best = others[nearest], best.delay / figures_by_name[nearest].delay
    results = [
        (
            f"{mine.delay / best.delay:.3f} of the bound (known rates that save requests as ours: {best.saving / best.delay:.3f}),"
            f" wanted <= {OF_BOUND}",
            mine.delay <= OF_BOUND * best.delay,
        ),
        (f"{ratio:.3f} of {nearest} (known rates: {at_best:.3f}), wanted <= {OF_OTHERS}", ratio <= OF_OTHERS),
        (f"{mine.lost} items lost (known rates, by the square root alone: {best.lost}), wanted none", mine.lost == 0),
        (f"longest interval {mine.longest / HOUR:.1f} h, wanted <= {LONGEST / HOUR:g}", mine.longest <= LONGEST),
    ]
    if per_list == max(BUDGETS):
        share = mine.soon / mine.items
        text = f"{share:.3f} of the items within 15 minutes (known rates, by the square root alone: {best.soon:.3f}), wanted >= {SOON}"
        results.append((text, share >= SOON))
    return results


def main() -> int:
    """Run it all; the exit code is 1 if something wanted is not reached."""
    parser = argparse.ArgumentParser(prog="python -m bench.revisit", description=__doc__)
    parser.add_argument("--lists", type=int, nargs="+", default=LISTS)
    parser.add_argument("--polls", type=float, nargs="+", default=BUDGETS, help="a list and hour")
    parser.add_argument("--days", type=int, default=DAYS, help="of the world, which begins on a Monday")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cost", action="store_true", help="only what a decision costs")
    options = parser.parse_args()
    missed = 0 if options.cost else compare_all(options)
    cost = microseconds()
    missed += print_checks(
        [(f"{cost:.0f} us a decision with 10,000 lists, wanted <= {MICROSECONDS:g}", cost <= MICROSECONDS)]
    )
    return int(missed > 0)


def compare_all(options: argparse.Namespace) -> int:
    """Run the schedules on all worlds; how much of what is wanted is missed."""
    missed = 0
    for lists in options.lists:
        for per_list in options.polls:
            figures_by_name, best = compare(lists, per_list, options.days, options.seed)
            print(
                f"\n{lists} lists, {per_list:g} polls a list and hour, bound {best.delay / 60:.2f} minutes", flush=True
            )
            print(
                LINE.format(
                    "", "minutes", "of bound", "of ours", "in 15 min", "(weighted)", "lost", "longest", "requests", "us"
                )
            )
            for name, figures in figures_by_name.items():
                print_figures(name, figures, best.delay, figures_by_name["ours"])
            missed += print_checks(checks(figures_by_name, best, per_list))
            print(
                "  known rates, to lose nothing in 99 of 100 intervals of a burst, over the bound of a world without bursts and outages:"
            )
            for times, (ratio, share) in zip(BURSTS, best.safe, strict=True):
                share_text = f"not to be had for {share:.0%} of the items, and at" if share else ""
                print(f"    {times:g} times the usual rate: {share_text} {ratio:.2f}")
    print("\na tenfold change: delays, and part of the requests, of the hours after it, over those of the known rate")
    for per_list in options.polls:
        for factor, least, most in TENFOLD:
            after = recovery(per_list, factor, least, most, seed=options.seed)
            hours = "  ".join(
                f"{delay:.2f} / {often:.2f}" for delay, often in zip(after.delays, after.polls, strict=True)
            )
            print(f"{per_list:g} polls, rate x {factor:g} on {after.lists} lists: {hours}", flush=True)
            text = (
                f"asked within {RECOVERED} times of what is right after {after.hours} h"
                f" (who sees every item at once: {after.hours_at_best} h), wanted <= {HOURS_TO_RECOVER}"
            )
            missed += print_checks([(text, after.hours <= HOURS_TO_RECOVER)])
    return missed


def print_figures(name: str, figures: Figures, limit: float, ours: Figures) -> None:
    """One line of the table."""
    columns = (
        f"{figures.delay / 60:.2f}",
        f"{figures.delay / limit:.3f}",
        f"{figures.delay / ours.delay:.2f}",
        f"{figures.soon / figures.items:.3f}",
        f"{figures.soon_weights / figures.weights:.3f}",
        figures.lost,
        f"{figures.longest / HOUR:.1f} h",
        figures.requests,
        f"{figures.decisions / figures.requests * 1e6:.0f}",
    )
    print(LINE.format(name, *columns), flush=True)


def print_checks(results: list[tuple[str, bool]]) -> int:
    """What is wanted, and how much of it is missed."""
    for text, reached in results:
        print(f"  {'ok    ' if reached else 'missed'} {text}", flush=True)
    return sum(not reached for _, reached in results)


if __name__ == "__main__":
    sys.exit(main())
