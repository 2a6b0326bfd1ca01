"""The figures of a channel on one day, from which its health is diagnosed; they are stored as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Self

from newsspider.core.crawling.visit import ArticleObservation
from newsspider.core.scheduling.publication_profile import EAST_8, HALF_HOUR, HALVES_OF_DAY
from newsspider.core.scheduling.publication_rate import DAY
from newsspider.features.health.rules.failed_visits import LONGEST_EVIDENCE, Run
from newsspider.features.health.rules.states import Health
from newsspider.features.health.rules.visit_diagnosis import REDIRECTS, VisitHealth

_decoded = json.JSONDecoder().raw_decode  # without blanks around: there are 60 days of each list


def day_of(moment: float) -> int:
    """The day in China, counted from 1970-01-01."""
    return int((moment + EAST_8) // DAY)


@dataclass(slots=True)
class ChannelDay:
    """The day of a channel."""

    day: int
    polls: int = 0
    redirected: int = 0  # polls that were redirected
    new: int = 0  # URLs on its list that were new
    new_slots: int = 0  # a bit for each half hour in which it brought some
    good_slots: int = 0  # the same of its good polls
    looks: int = 0  # good polls that showed the list
    shown: int = 0  # articles on it, all these polls together
    lists: Run = field(default_factory=Run)  # of polls; its state at the end of the day
    led: bool = False  # the last poll led to pages that may hold the list, and none of them has shown it yet
    pages: Run = field(default_factory=Run)  # of its articles' first visits
    articles: int = 0
    lacks: dict[str, int] = field(default_factory=dict)  # articles without date, source, author, with a short body
    guarded: int = 0  # answers of a guard, whatever was asked for
    guarded_at: float = 0.0  # the last of them
    guard: str = ""  # what it said
    rules: dict[str, list[int]] = field(default_factory=dict)  # by XPath of the site: articles with it and without

    def next_day(self, day: int) -> ChannelDay:
        """An empty day that follows; the runs of failures go on."""
        runs = [Run(run.since, run.until, dict(run.visits), run.evidence) for run in (self.lists, self.pages)]
        return ChannelDay(day, lists=runs[0], pages=runs[1], led=self.led)

    def polled(self, visit: VisitHealth, now: float, new: int = 0, articles: int | None = None) -> None:
        """Add a poll that found ``new`` URLs; ``articles`` is the number on the list, if the host sent one."""
        self.polls += 1
        redirected = visit.health is Health.MOVED and visit.evidence.startswith(REDIRECTS)
        self.redirected += redirected
        self.lists.add(visit, now)
        if redirected or visit.health in (Health.LIVE, Health.SLOW):
            self.good_slots |= 1 << slot_of(now)
        if articles is not None and not self.lists.visits:
            self.looks += 1
            self.shown += articles
        self.brought(new, now)

    def leads_on(self, visit: VisitHealth, now: float, new: int = 0) -> None:
        """Add a poll whose page shows no list but leads to others, which show the state of the list. If those of the
        poll before did not, this page stands for it."""
        self.polls += 1
        if self.led:
            self.lists.add(visit, now)
        self.led = True
        self.brought(new, now)

    def led_to(self, visit: VisitHealth, now: float, articles: int | None) -> None:
        """Add a page that the last poll led to; it counts as the list until one of them shows it."""
        if self.led:
            self.polled(visit, now, articles=articles)
            self.led = not articles and visit.health is not Health.LIVE

    def met_guard(self, evidence: str, now: float) -> None:
        """Add a page of a guard."""
        self.guarded, self.guarded_at, self.guard = self.guarded + 1, now, evidence[:LONGEST_EVIDENCE]

    def brought(self, new: int, now: float) -> None:
        """Add new URLs."""
        if new > 0:
            self.new += new
            self.new_slots |= 1 << slot_of(now)

    def read(self, observation: ArticleObservation) -> None:
        """Add an article that was read."""
        self.articles += 1
        for what in observation.lacks:
            self.lacks[what] = self.lacks.get(what, 0) + 1
        for rule, matched in observation.rules:
            counts = self.rules.setdefault(rule, [0, 0])
            counts[not matched] += 1

    def text(self) -> str:
        """As JSON."""
        figures = {name: getattr(self, name) for name in _FIGURES}
        figures |= {name: {part: getattr(figures[name], part) for part in _PARTS} for name in ("lists", "pages")}
        return json.dumps({name: value for name, value in figures.items() if value}, ensure_ascii=False)

    @classmethod
    def of(cls, day: int, text: str) -> Self:
        """From its JSON."""
        figures = _decoded(text)[0]
        for name in ("lists", "pages"):
            if name in figures:
                figures[name] = Run(**figures[name])
        return cls(day, **figures)


_FIGURES = tuple(one.name for one in fields(ChannelDay) if one.name != "day")
_PARTS = tuple(one.name for one in fields(Run))


def slot_of(moment: float) -> int:
    """The half hour of the day in China.

    >>> slot_of(0.0), slot_of(16 * 3600.0 - 1)
    (16, 47)
    """
    return int((moment + EAST_8) // HALF_HOUR % HALVES_OF_DAY)
