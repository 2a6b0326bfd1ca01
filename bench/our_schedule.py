"""Our schedule in the benchmark: the policy of :mod:`newsspider.core.scheduling.poll_schedule`, and what the store keeps for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.schedules import Found
from newsspider.core.scheduling import poll_schedule, publication_profile, publication_rate


@dataclass(slots=True)
class _List:
    """What ours keeps of a list."""

    belief: publication_rate.Belief = publication_rate.UNKNOWN
    seen_at: float | None = None
    failures: int = 0


class Ours:
    """The revisit policy of the crawler; the plan is made anew every hour, from what is stored of each list and site."""

    own_clock = False
    REPLAN, CORRECT = 3600.0, 600.0

    def __init__(
        self,
        weights: list[float],
        sites: list[int],
        limits: poll_schedule.PollLimits,
        *,
        calendar: publication_profile.Calendar = publication_profile.PLAIN,
        replan: float = REPLAN,
    ) -> None:
        self.weights, self.sites, self.limits = weights, [str(site) for site in sites], limits
        self.lists = [_List() for _ in weights]
        self.known = [
            poll_schedule.Polled(site, site, weight, publication_rate.UNKNOWN.rate, 0.0, 0.0)
            for site, weight in zip(self.sites, weights, strict=True)
        ]
        self.seen = dict.fromkeys(self.sites, publication_profile.NO_OBSERVATIONS)
        self.plan = replace(poll_schedule.NO_PLAN, common=replace(publication_profile.PRESUMED, calendar=calendar))
        self.planned_at = self.corrected_at = 0.0
        self.replan = replan

    def polled(self, number: int, now: float, result: Found) -> float:
        if now >= self.corrected_at + self.CORRECT:
            self._plan(now)
        polled_list, site = self.lists[number], self.sites[number]
        if result.answered:
            if polled_list.seen_at is not None and polled_list.failures <= poll_schedule.MOST_HICCUPS:
                self._learn(polled_list, site, now, result)
            polled_list.seen_at = now
            polled_list.failures = 0
        else:
            polled_list.failures += 1
        weight = self.weights[number]
        due = poll_schedule.next_poll(now, weight, polled_list.belief, site, site, self.plan, self.limits)
        if polled_list.failures:
            due = min(due, poll_schedule.next_try(now, polled_list.failures))
        self.known[number] = poll_schedule.Polled(site, site, weight, polled_list.belief.rate, now, due)
        return due

    def _learn(self, polled_list: _List, site: str, now: float, result: Found) -> None:
        assert polled_list.seen_at is not None
        shape = self.plan.profile(site)
        spans = list(shape.spans(polled_list.seen_at, now))
        days = publication_profile.active_seconds(spans) / publication_rate.DAY
        polled_list.belief = publication_rate.learned(
            polled_list.belief, now - polled_list.seen_at, days, result.new, full=result.full
        )
        self.seen[site] = publication_profile.observed(self.seen[site], shape, spans, now, result.new)

    def _plan(self, now: float) -> None:
        if now >= self.planned_at + self.replan:
            self.plan = poll_schedule.plan(self.known, self.seen, now, self.limits, self.plan)
            self.planned_at = now
        self.plan = poll_schedule.corrected(self.plan, self.known, now, self.limits)
        self.corrected_at = now
