"""When a list page is to be polled again: when what it is expected to have brought has waited for as long as a request
is worth.

New items appear on a list at rate(t) and wait there until the next poll. The index of a list is the expected weighted
waiting time of what has come since its last poll, weight x integral of rate(s) (t - s) ds. It is polled when the index
reaches the *price* of a request. At a steady rate that is weight x rate x interval^2 / 2 = price, so the frequency is
proportional to sqrt(weight x rate): the optimum, for which the mean weighted waiting time is (sum sqrt(w rate))^2 / (2
B sum w rate) at B requests an hour. The price is the one number that all lists share; :func:`plan` sets it for each of
the next hours so that the requests are those of the budget, of which quiet hours leave some to busy ones
(:mod:`newsspider.core.scheduling.budget_spreading`). None starves: whatever its weight, a list is polled after the
longest interval.

What is found later than :data:`SOON` costs :data:`LATE_COSTS` on top, whatever the weight. The mean of weight x rate x
interval / 2 + rate x LATE_COSTS x (1 - SOON / interval) + price / interval is least where weight x rate x interval^2 /
2 = price - rate x SOON x LATE_COSTS, if that is longer than SOON: from SOON on the price is so much lower. So a list
whose turn would come a little later is polled then, and one that is polled every few hours hardly sooner. With known
rates that brings 2 items of 100 more within a quarter of an hour at half a percent of the mean waiting time: near its
least it is flat.

Sources: J. Cho and H. Garcia-Molina, "Effective page refresh policies for Web crawlers" (TODS 2003): uniform and
proportional polling are no better than each other; Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres and D. Shahaf, "Tractable
near-optimal policies for crawling" (PNAS 2018) and A. Kolobov, Y. Peres, C. Lu and E. Horvitz, "Staying up to date with
online content changes using reinforcement learning for scheduling" (NeurIPS 2019): one multiplier for the budget and
one for each host's, and rates that are learned while polling; K. C. Sia, J. Cho and H.-K. Cho, "Efficient monitoring
algorithm for fast news alerts" (TKDE 2007): delay of news as the measure, rates that change with the hour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from math import sqrt

from newsspider.core.scheduling.budget_spreading import spending
from newsspider.core.scheduling.full_hours import LATE
from newsspider.core.scheduling.publication_profile import HALF, PRESUMED, Profile, Seen, profile_of, shared
from newsspider.core.scheduling.publication_rate import DAY, HOUR, Belief

LOOK_AHEAD = 60  # half hours for which a price is set
LOOK_BACK = 48  # half hours over which is reckoned what was saved, as all workers do from the same rows
PRICE_AT_FIRST = 3600.0
LEAST_PRICE = 1e-9
SAVED = 1.0  # half hours of the budget that may be saved for busy ones
SOON = 900.0  # seconds within which a new item is to be found
LATE_COSTS = 1600.0  # seconds of waiting at weight 1, as which an item counts that is found later than that
# powers of the corrections of a price every ten minutes, of that of all and of a host's
DAMPED, DAMPED_HOST = 0.05, 0.1
LEAST_GAIN, MOST_GAIN, MOST_OF_HOST = 0.05, 20.0, 400.0  # no correction goes farther
FOR_LISTS = 0.5  # share of what a host gives at its delay that lists may take: the rest is for what they show
# Of the 20 items that lists show so many may be new at the next poll, and at the highest rate that is likely: more
# might be lost.
EXPECTED, AT_MOST = 3, 5
IN_TIME = 0.97  # share of the longest interval after which a list is due
# failures in a row before a good poll; after more, what was published meanwhile may have waited, and says nothing of
# the rate
HICCUPS = 1
RETRY_SECONDS, RETRY_MOST = 300.0, HOUR  # after a poll that failed, doubled with each further one


@dataclass(frozen=True, slots=True)
class Limits:
    """Within what the policy moves: requests an hour in all and to one host, and the shortest and longest interval
    in seconds."""

    requests_an_hour: float
    host_requests_an_hour: float
    shortest: float
    longest: float


@dataclass(frozen=True, slots=True)
class Polled:
    """A list as the plan sees it: its host, site, weight and rate (items a day), when it was polled and is due; the
    delay of its host."""

    host: str
    site: str
    weight: float
    rate: float
    polled_at: float
    due_at: float
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """The price of a request in each half hour from ``start`` on, what it is multiplied by in all (``gain``) and for a
    busy host, and the profiles of the sites.
    """

    start: float = 0.0
    prices: tuple[float, ...] = (PRICE_AT_FIRST,)
    gain: float = 1.0
    hosts: Mapping[str, float] = field(default_factory=dict)
    common: Profile = PRESUMED
    profiles: Mapping[str, Profile] = field(default_factory=dict)

    def profile(self, site: str) -> Profile:
        """The profile of a site; of one that is not known, what all have in common."""
        return self.profiles.get(site, self.common)

    def prices_from(self, moment: float) -> Iterator[float]:
        """The price of a request, before any gain, in the half hour of a moment and in each later one; outside the
        plan, of its ends."""
        place = int((moment - self.start) // HALF)
        before = repeat(self.prices[0], -place if place < 0 else 0)
        return chain(before, self.prices[place if place > 0 else 0 :], repeat(self.prices[-1]))


NO_PLAN = Plan()


@dataclass(frozen=True, slots=True)
class Polling:
    """By what the next poll of a list of this weight is decided; where the plan does not decide, it only places what
    the list teaches."""

    weight: float
    plan: Plan
    limits: Limits
    decides: bool = True


def next_poll(
    polled_at: float, weight: float, belief: Belief, site: str, host: str, plan: Plan, limits: Limits
) -> float:
    """When a list that was polled at ``polled_at`` is due: when its index reaches the price, which is lower as soon as
    items get late.

    It is due earlier where it might bring so much that the list does not show all of it, never before the shortest
    interval, and early enough to be asked before the longest is over. On a host whose lists ask for more than it gives,
    more may come.
    """
    index = items = 0.0
    of_host = plan.hosts.get(host, 1.0)
    dearer = plan.gain * of_host
    rate = belief.rate / DAY
    room = min(EXPECTED, AT_MOST * belief.rate / belief.most) * sqrt(of_host)
    due, soon = polled_at, polled_at + SOON
    shape = plan.profile(site)
    on_the_hour, between = rate * shape.tick * HOUR, rate * (1.0 - shape.tick)
    spans = shape.spans(polled_at, polled_at + IN_TIME * limits.longest)
    for (seconds, factor, half), half_price in zip(spans, plan.prices_from(polled_at), strict=False):
        arriving = between * factor
        ticks = on_the_hour and not half & 1 and due > polled_at
        if ticks:
            items += on_the_hour * factor
        price = half_price * dearer
        price_late = price - LATE_COSTS * SOON * arriving if due + seconds > soon else price
        then_index = index + weight * (items * seconds + arriving * seconds * seconds / 2)
        then_items = items + arriving * seconds
        if then_index >= price_late or (then_items >= room and arriving > 0.0):
            reached = _reached(index, items, arriving, weight, price)
            if due + reached > soon:
                reached = max(soon - due, _reached(index, items, arriving, weight, price_late))
            if arriving > 0.0:
                reached = min(reached, max(0.0, (room - items) / arriving))
            due += max(reached, LATE) if ticks else reached
            break
        due += seconds
        index, items = then_index, then_items
    return max(due, polled_at + limits.shortest)


def next_try(now: float, failures: int) -> float:
    """When a list is asked again that could not be read so many times in a row.

    >>> next_try(0.0, 1), next_try(0.0, 3), next_try(0.0, 30)
    (300.0, 1200.0, 3600.0)
    """
    return now + min(RETRY_SECONDS * 2.0 ** min(failures - 1, 10), RETRY_MOST)


def _reached(index: float, items: float, arriving: float, weight: float, price: float) -> float:
    """After how many seconds the index is at the price, with so many items that wait and so many a second that come."""
    missing = (price - index) / weight
    if missing <= 0.0:
        return 0.0
    if arriving <= 0.0:
        return missing / items if items > 0.0 else float("inf")
    return (sqrt(items * items + 2.0 * arriving * missing) - items) / arriving


def plan(
    lists: Sequence[Polled], sites: Mapping[str, Seen], now: float, limits: Limits, before: Plan = NO_PLAN
) -> Plan:
    """The prices at which the lists together are polled as often as the budget allows: made anew about once an hour."""
    common = shared(sites.values(), before.common.calendar)
    start = now // HOUR * HOUR
    totals = [0.0] * (LOOK_BACK + LOOK_AHEAD)
    profiles = {site: profile_of(each, common) for site, each in sites.items()}
    for site, pull in _pulls(lists).items():
        roots = map(sqrt, profiles.get(site, common).factors(start - LOOK_BACK * HALF, len(totals)))
        totals = [total + pull * root for total, root in zip(totals, roots, strict=True)]
    budget = limits.requests_an_hour / HOUR
    shares = spending(totals, SAVED)[LOOK_BACK:]
    ahead = zip(totals[LOOK_BACK:], shares, strict=True)
    prices = tuple([max((total / (budget * share)) ** 2 / 2, LEAST_PRICE) for total, share in ahead])
    return Plan(start, prices, before.gain, before.hosts, common, profiles)


def corrected(plan: Plan, lists: Iterable[Polled], now: float, limits: Limits) -> Plan:
    """The plan with its price moved towards the budget: floors and failures take requests, quiet lists leave some.

    A list that is asked every n seconds is at any moment in an interval of n seconds, so 1 / interval over all lists is
    how often they are asked now. What a host is asked beyond its own limit is its own price's to mend.
    """
    asked: dict[str, float] = {}
    delays: dict[str, float] = {}
    for each in lists:
        interval = (each.due_at if each.due_at > now else now) - each.polled_at
        if interval > 0.0:
            asked[each.host] = asked.get(each.host, 0.0) + HOUR / interval
            delays[each.host] = each.delay
    of_host = limits.host_requests_an_hour
    most = {host: min(FOR_LISTS * HOUR / delay, of_host) if delay > 0.0 else of_host for host, delay in delays.items()}
    together = sum(min(often, most[host]) for host, often in asked.items())
    if not together:
        return plan
    gain = min(MOST_GAIN, max(LEAST_GAIN, plan.gain * (together / limits.requests_an_hour) ** DAMPED))
    hosts = {
        host: min(MOST_OF_HOST, max(1.0, plan.hosts.get(host, 1.0) * (often / most[host]) ** DAMPED_HOST))
        for host, often in asked.items()
        if often > most[host] or host in plan.hosts
    }
    return replace(plan, gain=gain, hosts={host: dearer for host, dearer in hosts.items() if dearer > 1.0})


def _pulls(lists: Iterable[Polled]) -> dict[str, float]:
    """Of each site, the sum of sqrt(weight x rate), rates a second."""
    pulls: dict[str, float] = {}
    for each in lists:
        pulls[each.site] = pulls.get(each.site, 0.0) + sqrt(each.weight * each.rate / DAY)
    return pulls
