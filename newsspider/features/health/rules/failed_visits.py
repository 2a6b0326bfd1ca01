"""Failed visits in a row: how many of them, over how long, are a problem of the source. When most sites do not answer,
``diagnosis.py`` says that this machine was offline."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from newsspider.core.scheduling.publication_rate import DAY, HOUR
from newsspider.features.health.rules.states import WITHOUT_LIST, Health
from newsspider.features.health.rules.visit_diagnosis import VisitHealth

LONGEST_EVIDENCE = 160
PERSISTENT_FAILURES = ((3, 9 * HOUR), (2, 18 * HOUR))  # visits in a row, the time they span: either is a problem
NO_ANSWER = (Health.UNREACHABLE, Health.SLOW)
LEAST_ANSWERS, ANSWERS_SHARE = 3, 1 / 8  # of a run, by which its answers say more than the visits without one
PAUSE_SECONDS = 2 * DAY  # without a visit: what failed before and after it need not have failed meanwhile


@dataclass(slots=True)
class Run:
    """Failed visits in a row: the first and the last of them, their number by diagnosis, the evidence of the last.

    A good visit starts a new, empty run. So does a failed one after a pause, unless the run already was a problem."""

    since: float = 0.0
    until: float = 0.0
    visits: dict[str, int] = field(default_factory=dict)
    evidence: str = ""

    def add(self, visit: VisitHealth, now: float) -> None:
        if visit.health is Health.LIVE:
            self.since, self.until, self.visits, self.evidence = 0.0, 0.0, {}, ""
            return
        if not self.visits or (now - self.until > PAUSE_SECONDS and not self.is_persistent):
            self.since, self.visits = now, {}
        self.until = now
        self.visits[visit.health] = self.visits.get(visit.health, 0) + 1
        self.evidence = visit.evidence[:LONGEST_EVIDENCE]

    @property
    def is_persistent(self) -> bool:
        """Whether it is long enough to be a problem: an outage of some hours is not one."""
        span = self.until - self.since
        return any(self.total >= visits and span >= seconds for visits, seconds in PERSISTENT_FAILURES)

    @property
    def unchanged(self) -> VisitHealth:
        """What a visit shows whose page is the same as at the last one: still no list, or nothing wrong."""
        found = next((health for health in WITHOUT_LIST if health in self.visits), Health.LIVE)
        return VisitHealth(found, self.evidence if found is not Health.LIVE else "")

    @property
    def total(self) -> int:
        return sum(self.visits.values())

    @property
    def most(self) -> Health:
        """The diagnosis of most of its visits, of equals the first. If the host answers now and then, only the visits
        with an answer count, for they show what is wrong."""
        answers = {health: count for health, count in self.visits.items() if health not in NO_ANSWER}
        count = max(answers.values(), default=0)
        says_more = count >= max(LEAST_ANSWERS, ANSWERS_SHARE * self.total)
        return Health(Counter(answers if says_more else self.visits).most_common(1)[0][0])
