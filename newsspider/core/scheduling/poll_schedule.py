"""Recrawl scheduling of list pages (the revisit policy): decides the poll interval of each within the budget of
requests. It ends when the expected new items have waited as long as a request is worth.

New items appear on a list at rate(t) and wait until the next poll. The index of a list is the expected weighted
waiting time since its last poll, weight x integral of rate(s) (t - s) ds. The list is polled when its index reaches
the *price* of a request. At a steady rate, weight x rate x interval^2 / 2 = price, so the frequency is proportional
to sqrt(weight x rate). This is optimal: the mean weighted waiting time is (sum sqrt(w rate))^2 / (2 B sum w rate) at
B requests an hour. All lists share the price; :func:`plan` sets it for each of the next half hours so that the
requests match the budget, moving some from quiet to busy hours. Every list is polled within the longest interval,
whatever its weight. :mod:`newsspider.core.scheduling.publication_rate` has the rate of a list, also of a new one.

An item found later than *soon*, :data:`SOON_SECONDS`, costs :data:`LATE_COSTS` on top, whatever the weight. The mean of
weight x rate x interval / 2 + rate x LATE_COSTS x (1 - soon / interval) + price / interval is minimal where weight x
rate x interval^2 / 2 = price - rate x soon x LATE_COSTS, if that interval is longer than soon. From then on, the price
is lower by that amount: a list that would be due a little later is polled then, and one that is polled every few hours
hardly moves. With known rates, 2 % more items are found within a quarter of an hour, for half a percent of mean
waiting time.

Sources: J. Cho and H. Garcia-Molina, "Effective page refresh policies for Web crawlers" (TODS 2003): uniform and
proportional polling are equally good; Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres and D. Shahaf, "Tractable
near-optimal policies for crawling" (PNAS 2018) and A. Kolobov, Y. Peres, C. Lu and E. Horvitz, "Staying up to date
with online content changes using reinforcement learning for scheduling" (NeurIPS 2019): one multiplier for the budget
and one per host, and rates that are learned while polling; K. C. Sia, J. Cho and H.-K. Cho, "Efficient monitoring
algorithm for fast news alerts" (TKDE 2007): delay of news as the measure, rates that change with the hour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, pairwise, repeat
from math import sqrt

from newsspider.core.fetching.politeness import back_off
from newsspider.core.scheduling.publication_profile import (
    HALF_HOUR,
    PRESUMED,
    Observations,
    Profile,
    common_profile,
    profile_of,
)
from newsspider.core.scheduling.publication_rate import DAY, HOUR, Belief

LOOK_AHEAD = 60  # half hours for which a price is set
LOOK_BACK = 48  # half hours over which the saved budget is computed; all workers do so from the same rows
PRICE_AT_FIRST = 3600.0
LEAST_PRICE = 1e-9
MOST_SAVED = 1.0  # half hours of the budget that may be saved for busy ones
SOON_SECONDS = 900.0  # seconds within which a new item should be found
LATE_COSTS = 1600.0  # the cost of a later find, in seconds of waiting at weight 1
# exponents that damp the price corrections every ten minutes: of the common price, of a host's
DAMPED_COMMON, DAMPED_HOST = 0.05, 0.1
LEAST_GAIN, MOST_GAIN, MOST_OF_HOST = 0.05, 20.0, 400.0  # limits of the multipliers
FOR_LISTS = 0.5  # share of a host's requests that lists may take; the rest is for the articles that they show
# New items of a list, usually of 20, at the next poll: as expected and at the highest likely rate. More might be lost.
ITEMS_EXPECTED, ITEMS_AT_MOST = 3, 5
IN_TIME = 0.97  # share of the longest interval after which a list is due
# Failures in a row before a good poll. After more, items may have piled up and say nothing about the rate.
MOST_HICCUPS = 1
SOONEST_SHARE = 0.2  # minimum time between two polls, as a share of the cycle
RETRY_SECONDS, RETRY_MOST = 300.0, HOUR  # after a failed poll, doubled with each further failure


@dataclass(frozen=True, slots=True)
class PollLimits:
    """The limits of the policy: requests an hour in all and to one host, shortest and longest interval in seconds. In
    a crawl they follow from the settings ``REVISIT_...`` of ``settings.py``."""

    requests_an_hour: float
    host_requests_an_hour: float
    shortest: float
    longest: float


@dataclass(frozen=True, slots=True)
class Polled:
    """A list: host, site, weight, rate (items a day), when it was polled and is due, its host's delay."""

    host: str
    site: str
    weight: float
    rate: float
    polled_at: float
    due_at: float
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """The price of a request in each half hour from ``start`` on, its multipliers (``gain`` for all, ``hosts`` for
    busy hosts), and the publication profiles of the sites."""

    start: float = 0.0
    prices: tuple[float, ...] = (PRICE_AT_FIRST,)
    gain: float = 1.0
    hosts: Mapping[str, float] = field(default_factory=dict)
    common: Profile = PRESUMED
    profiles: Mapping[str, Profile] = field(default_factory=dict)

    def profile(self, site: str) -> Profile:
        """The profile of a site; for an unknown site, the common one."""
        return self.profiles.get(site, self.common)

    def prices_from(self, moment: float) -> Iterator[float]:
        """Half-hourly prices from ``moment`` on, without multipliers; outside the plan its first or last."""
        place = int((moment - self.start) // HALF_HOUR)
        earlier = repeat(self.prices[0], -place if place < 0 else 0)
        return chain(earlier, self.prices[place if place > 0 else 0 :], repeat(self.prices[-1]))


NO_PLAN = Plan()


@dataclass(frozen=True, slots=True)
class Polling:
    """What the next poll of a list of this weight depends on; without ``decides`` the poll is only learned from."""

    weight: float
    plan: Plan
    limits: PollLimits
    decides: bool = True


def next_round(now: float, cycle: float) -> float:
    """The next time a list with this update cycle is due: the next multiple of the cycle that is at least
    :data:`SOONEST_SHARE` of a cycle away, so that a group stays together as a round.

    >>> next_round(61.0, 60.0), next_round(120.0, 60.0), next_round(119.0, 60.0)
    (120.0, 180.0, 180.0)
    """
    return ((now + SOONEST_SHARE * cycle) // cycle + 1) * cycle


def next_poll(
    polled_at: float, weight: float, belief: Belief, site: str, host: str, plan: Plan, limits: PollLimits
) -> float:
    """When a list polled at ``polled_at`` is due: when its index reaches the price, which is lower once items get
    late.

    It is due earlier if so much is expected that some items might scroll away, never before the shortest interval,
    and early enough to be polled within the longest. On a host whose lists demand more than it allows, more new items
    are tolerated.
    """
    index = items = 0.0
    host_multiplier = plan.hosts.get(host, 1.0)
    multiplier = plan.gain * host_multiplier
    rate = belief.rate / DAY
    room = min(ITEMS_EXPECTED, ITEMS_AT_MOST * belief.rate / belief.most) * sqrt(host_multiplier)
    due, soon = polled_at, polled_at + SOON_SECONDS
    spans = plan.profile(site).spans(polled_at, polled_at + IN_TIME * limits.longest)
    for (seconds, factor, _), half_price in zip(spans, plan.prices_from(polled_at), strict=False):
        arriving = rate * factor
        price = half_price * multiplier
        price_late = price - LATE_COSTS * SOON_SECONDS * arriving if due + seconds > soon else price
        then_index = index + weight * (items * seconds + arriving * seconds * seconds / 2)
        then_items = items + arriving * seconds
        if then_index >= price_late or (then_items >= room and arriving > 0.0):
            reached = _reached(index, items, arriving, weight, price)
            if due + reached > soon:
                reached = max(soon - due, _reached(index, items, arriving, weight, price_late))
            if arriving > 0.0:
                reached = min(reached, max(0.0, (room - items) / arriving))
            due += reached
            break
        due += seconds
        index, items = then_index, then_items
    return max(due, polled_at + limits.shortest)


def next_try(now: float, failures: int, most: float = RETRY_MOST) -> float:
    """When a list is retried after this many failures in a row, at most after ``most`` seconds.

    >>> next_try(0.0, 1), next_try(0.0, 3), next_try(0.0, 30)
    (300.0, 1200.0, 3600.0)
    """
    return now + back_off(failures, RETRY_SECONDS, most)


def _reached(index: float, items: float, arriving: float, weight: float, price: float) -> float:
    """Seconds until the index reaches the price, with ``items`` waiting and ``arriving`` new items a second."""
    missing = (price - index) / weight
    if missing <= 0.0:
        return 0.0
    if arriving <= 0.0:
        return missing / items if items > 0.0 else float("inf")
    return (sqrt(items * items + 2.0 * arriving * missing) - items) / arriving


def plan(
    lists: Sequence[Polled], sites: Mapping[str, Observations], now: float, limits: PollLimits, previous: Plan = NO_PLAN
) -> Plan:
    """The prices that keep the polls of all lists within the budget; computed about once an hour."""
    common = common_profile(sites.values(), previous.common.calendar)
    start = now // HOUR * HOUR
    totals = [0.0] * (LOOK_BACK + LOOK_AHEAD)
    profiles = {site: profile_of(observed, common) for site, observed in sites.items()}
    for site, pull in _pulls(lists).items():
        roots = map(sqrt, profiles.get(site, common).factors(start - LOOK_BACK * HALF_HOUR, len(totals)))
        totals = [total + pull * root for total, root in zip(totals, roots, strict=True)]
    budget = limits.requests_an_hour / HOUR
    shares = spending(totals, MOST_SAVED)[LOOK_BACK:]
    ahead = zip(totals[LOOK_BACK:], shares, strict=True)
    prices = tuple([max((total / (budget * share)) ** 2 / 2, LEAST_PRICE) for total, share in ahead])
    return Plan(start, prices, previous.gain, previous.hosts, common, profiles)


def corrected(plan: Plan, lists: Iterable[Polled], now: float, limits: PollLimits) -> Plan:
    """The plan with its multipliers corrected towards the budget: minimum intervals and retries take requests, quiet
    lists leave some.

    A list that is polled every n seconds is always in an interval of n seconds, so the sum of 1 / interval is the
    current poll rate. Polls beyond a host's own limit are left to that host's multiplier.
    """
    polls_an_hour: dict[str, float] = {}
    delays: dict[str, float] = {}
    for polled in lists:
        interval = (polled.due_at if polled.due_at > now else now) - polled.polled_at
        if interval > 0.0:
            polls_an_hour[polled.host] = polls_an_hour.get(polled.host, 0.0) + HOUR / interval
            delays[polled.host] = polled.delay
    host_limit = limits.host_requests_an_hour
    most = {
        host: min(FOR_LISTS * HOUR / delay, host_limit) if delay > 0.0 else host_limit for host, delay in delays.items()
    }
    total = sum(min(polls, most[host]) for host, polls in polls_an_hour.items())
    if not total:
        return plan
    gain = min(MOST_GAIN, max(LEAST_GAIN, plan.gain * (total / limits.requests_an_hour) ** DAMPED_COMMON))
    hosts = {
        host: min(MOST_OF_HOST, max(1.0, plan.hosts.get(host, 1.0) * (polls / most[host]) ** DAMPED_HOST))
        for host, polls in polls_an_hour.items()
        if polls > most[host] or host in plan.hosts
    }
    return replace(plan, gain=gain, hosts={host: multiplier for host, multiplier in hosts.items() if multiplier > 1.0})


def _pulls(lists: Iterable[Polled]) -> dict[str, float]:
    """By site, the sum of sqrt(weight x rate), rates a second."""
    pulls: dict[str, float] = {}
    for polled in lists:
        pulls[polled.site] = pulls.get(polled.site, 0.0) + sqrt(polled.weight * polled.rate / DAY)
    return pulls


LEAST_PULL = 1e-6  # of the strongest pull: the least pull of an interval


def spending(pulls: Sequence[float], most: float) -> list[float]:
    """The spending in each interval, for a budget of 1 per interval of which at most ``most`` can be saved. Nothing is
    saved at the start, nothing left at the end. Pulls are at least 0; every share is above 0.

    >>> [round(share, 6) for share in spending([1.0, 3.0, 1.0, 1.0], 0.5)]
    [0.5, 1.5, 1.0, 1.0]
    >>> spending([0.0, 0.0], 0.5)
    [1.0, 1.0]
    """
    count = len(pulls)
    least = LEAST_PULL * max(pulls, default=0.0) or 1.0
    places = list(accumulate([max(pull, least) for pull in pulls], initial=0.0))
    upper = [float(n) for n in range(count + 1)]
    lower = [max(0.0, earned - most) for earned in upper]
    lower[-1] = upper[-1]
    spent = [0.0] * (count + 1)
    at = 0
    while at < count:
        steepest, flattest, above, below = float("inf"), float("-inf"), at, at
        for n in range(at + 1, count + 1):
            distance = places[n] - places[at]
            highest, lowest = (upper[n] - spent[at]) / distance, (lower[n] - spent[at]) / distance
            if highest < flattest:
                bend, slope = below, flattest
                break
            if lowest > steepest:
                bend, slope = above, steepest
                break
            if highest <= steepest:
                steepest, above = highest, n
            if lowest >= flattest:
                flattest, below = lowest, n
        else:
            bend, slope = count, flattest
        for n in range(at + 1, bend + 1):
            spent[n] = spent[at] + slope * (places[n] - places[at])
        at = bend
    return [end - start for start, end in pairwise(spent)]
