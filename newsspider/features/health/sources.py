"""The health of the sources: each channel of the enabled sites with its diagnosis, and the problems of each site."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, select

from newsspider.core.crawling.visit import SHORT_BODY
from newsspider.core.scheduling.publication_profile import (
    EAST_8,
    NO_OBSERVATIONS,
    Calendar,
    Observations,
    Profile,
    common_profile,
    profile_of,
)
from newsspider.core.scheduling.publication_rate import DAY
from newsspider.features.health import stored_channel_days
from newsspider.features.health.rules.diagnosis import UNWATCHED_DAYS, Diagnosis, diagnose_channel, with_offline
from newsspider.features.health.rules.reading_quality import QualityChange, quality_changes
from newsspider.features.health.rules.silence import calendar_with_rest_days
from newsspider.features.health.rules.states import ADVICE, Health
from newsspider.sites.holidays import Holidays, calendar_of
from newsspider.store.engine.statement import Statement
from newsspider.store.ledger import polls
from newsspider.store.tables import channels, sites

_EXAMPLES = (
    "SELECT url FROM articles WHERE site = :site AND crawled_ts {compared} :moment AND {condition}"
    " ORDER BY crawled_ts {order} LIMIT 2"
)
_HAS = {
    "date": "published_at IS NOT NULL",
    "source": "source IS NOT NULL",
    "author": "authors <> '[]'",
    "body": f"length(text) >= {SHORT_BODY}",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a source, with all channels of a site that have it."""

    site: str
    health: Health
    since: float | None
    channels: tuple[str, ...]
    urls: tuple[str, ...]
    evidence: tuple[str, ...]

    @property
    def is_alarm(self) -> bool:
        """Whether people are told of it: that a crawl rests, or a site is new, they know; a guard may soon be gone."""
        return self.health not in (Health.UNWATCHED, Health.GUARDED)

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "meaning": self.health.sentence, "advice": SourceHealth.advice(self.site, self.health)}


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """The health of all sources."""

    diagnoses: dict[tuple[str, str], Diagnosis]  # by site and channel
    problems: tuple[Problem, ...]  # by site
    changes: tuple[QualityChange, ...]  # of the quality of articles, by site

    @staticmethod
    def advice(site: str, health: Health) -> str:
        """What to do about it."""
        return ADVICE[health].replace("SITE", shlex.quote(site))

    @property
    def counts(self) -> dict[str, int]:
        """How many channels have each diagnosis, the most frequent first."""
        counts = Counter(str(judged.health) for judged in self.diagnoses.values())
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def source_health(
    conn: Connection, holidays: Holidays, now: float, *, site: str = "", with_changes: bool = False
) -> SourceHealth:
    """The health of the sources at this moment, or of one site; the changes of quality only if they are asked for.

    A channel that was never asked is left out in the first days of its site.
    """
    hours = polls.hours(conn)

    @cache  # cache: no more than for this call
    def common() -> Profile:
        return common_profile(hours.values(), calendar_of(*holidays, now))

    @cache  # cache: no more than for this call
    def rest() -> Calendar:
        return calendar_with_rest_days(common().calendar)

    diagnoses: dict[tuple[str, str], Diagnosis] = {}
    urls: dict[tuple[str, str], str] = {}
    changes: list[QualityChange] = []
    columns = channels.c.site, channels.c.name, channels.c.url, sites.c.added_at
    query = select(*columns).select_from(channels.join(sites)).where(sites.c.enabled).order_by(*columns[:2])
    rows = conn.execute(query.where(sites.c.name == site) if site else query).all()
    for name, of_site in groupby(rows, key=itemgetter(0)):
        days = stored_channel_days.days(conn, name, now)
        profile = partial(_profile, hours.get(name, NO_OBSERVATIONS), common, rest)
        here = list(of_site)
        for _, channel, url, added_at in here:
            if days.get(channel) or now - added_at > UNWATCHED_DAYS * DAY:
                urls[name, channel] = url
                diagnoses[name, channel] = diagnose_channel(days.get(channel, ()), profile, now)
        if with_changes:
            changes += quality_changes(name, (day for row in here for day in days.get(row.name, ())))
    if not site:
        diagnoses = with_offline(diagnoses)
    return SourceHealth(diagnoses, _problems(diagnoses, urls), tuple(changes))


def _profile(site: Observations, common: Callable[[], Profile], rest: Callable[[], Calendar]) -> Profile:
    return replace(profile_of(site, common()), calendar=rest())


def change_examples(conn: Connection, change: QualityChange) -> tuple[list[str], list[str]]:
    """Two pages of articles from before a change, and two from after: if it is for the worse, the first that do not
    lack it and then those that do."""
    moment = change.day * DAY - EAST_8
    worse = change.after > change.before
    with_it, without = _HAS[change.lacks], f"NOT ({_HAS[change.lacks]})"
    values = {"site": change.site, "moment": int(moment)}
    older = Statement(_EXAMPLES.format(compared="<", order="DESC", condition=with_it if worse else without))
    newer = Statement(_EXAMPLES.format(compared=">=", order="DESC", condition=without if worse else with_it))
    return [row.url for row in older.run(conn, values)], [row.url for row in newer.run(conn, values)]


def _problems(diagnoses: dict[tuple[str, str], Diagnosis], urls: dict[tuple[str, str], str]) -> tuple[Problem, ...]:
    by_problem: defaultdict[tuple[str, Health], list[str]] = defaultdict(list)
    for (site, channel), judged in diagnoses.items():
        if judged.health is not Health.LIVE:
            by_problem[site, judged.health].append(channel)
    problems = []
    for (site, health), names in sorted(by_problem.items()):
        first = min((diagnoses[site, channel] for channel in names), key=lambda judged: judged.since or 0.0)
        links = tuple(urls[site, channel] for channel in names)
        problems.append(Problem(site, health, first.since, tuple(names), links, first.evidence))
    return tuple(problems)
