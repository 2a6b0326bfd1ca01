"""Diagnoses a channel from its days: what is wrong with it, since when, and the evidence. ``visit_diagnosis.py``
says what one visit shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from statistics import median
from typing import NamedTuple

from newsspider.core.scheduling.publication_profile import EAST_8, Profile
from newsspider.core.scheduling.publication_rate import DAY
from newsspider.features.health.rules.channel_day import ChannelDay
from newsspider.features.health.rules.failed_visits import NO_ANSWER, Run
from newsspider.features.health.rules.silence import silence_of_channel
from newsspider.features.health.rules.states import WITHOUT_LIST, Health

LEAST_PAGES = 6  # articles in a row that cannot be read
UNWATCHED_DAYS = 3.0
USUAL_DAYS, LEAST_USUAL = 5, 5.0  # days by which a list's length is known, and the articles that it then has at least
SHRUNK_LENGTH, SHRUNK_POLLS = 0.3, 4  # share of its usual length, and the polls in a row
LEAST_OFFLINE = 4  # sites that cannot be reached; fewer may well be down at once
RULE_TRIES = 5.0  # articles that should have matched an XPath and did not


class Diagnosis(NamedTuple):
    """What is wrong with a channel, since when, and the sentences that say why."""

    health: Health
    since: float | None = None
    evidence: tuple[str, ...] = ()


def diagnose_channel(days: Sequence[ChannelDay], profile: Callable[[], Profile], now: float) -> Diagnosis:
    """The diagnosis of the channel with these days, oldest first. ``profile`` returns the publication profile of its
    site with a calendar of :func:`~newsspider.features.health.rules.silence.calendar_with_rest_days`."""
    if not days or not any(day.polls for day in days):
        return Diagnosis(Health.UNWATCHED, None, ("it was never asked",))
    polled = next(day for day in reversed(days) if day.polls)
    if now - ((polled.day + 1) * DAY - EAST_8) > UNWATCHED_DAYS * DAY:
        since = (polled.day + 1) * DAY - EAST_8
        return Diagnosis(Health.UNWATCHED, since, ("no poll since; does a crawl run?",))
    return next(_problems(days, profile), _guarded(days, now) or _never_read(days) or Diagnosis(Health.LIVE))


def with_offline(diagnoses: Mapping[tuple[str, str], Diagnosis]) -> dict[tuple[str, str], Diagnosis]:
    """The diagnoses of channels, by site and name. Where most sites do not answer, those channels are offline.

    >>> down, live = Diagnosis(Health.UNREACHABLE), Diagnosis(Health.LIVE)
    >>> channels = {(site, "news"): down for site in "abcd"} | {("e", "news"): live}
    >>> [str(verdict.health) for verdict in with_offline(channels).values()]
    ['offline', 'offline', 'offline', 'offline', 'live']
    """
    watched = {site for (site, _), verdict in diagnoses.items() if verdict.health is not Health.UNWATCHED}
    cut_off = {site for (site, _), verdict in diagnoses.items() if verdict.health in NO_ANSWER}
    if len(cut_off) < LEAST_OFFLINE or 2 * len(cut_off) <= len(watched):
        return dict(diagnoses)
    return {
        channel: verdict._replace(health=Health.OFFLINE) if verdict.health in NO_ANSWER else verdict
        for channel, verdict in diagnoses.items()
    }


def _problems(days: Sequence[ChannelDay], profile: Callable[[], Profile]) -> Iterator[Diagnosis]:
    """The diagnoses of what is wrong, the surest first."""
    last = days[-1]
    never = not any(day.good_slots for day in days)  # then no further visits are needed to tell
    is_new_problem = never and last.lists.visits and last.lists.most in WITHOUT_LIST
    is_refused = Health.NOT_PUBLIC in last.lists.visits  # by us, at every visit
    if never and last.led and not last.lists.visits:
        yield Diagnosis(Health.REDESIGNED, None, ("it shows no list, and none of the pages that it leads to was read",))
    if (is_new_problem or is_refused or last.lists.is_persistent) and not _always_redirected(days, last.lists):
        yield _of_run(last.lists, "list")
    if last.pages.total >= LEAST_PAGES and last.pages.is_persistent:
        yield _of_run(last.pages, "articles")
    yield from _shrunk(days)
    yield from _broken_rules(days)
    pause = silence_of_channel(days, profile)
    if pause is not None and pause.is_long:
        evidence = f"{pause.expected:.0f} articles were to be expected since the last new one, {pause.allowed:.0f} may"
        yield Diagnosis(Health.SILENT, pause.since, (f"{evidence} be missing by its own past",))


def _guarded(days: Sequence[ChannelDay], now: float) -> Diagnosis | None:
    """The diagnosis of a channel whose host sent a guard's pages within a day, even if it no longer does."""
    recent = [day for day in days[-2:] if day.guarded and now - day.guarded_at < DAY]
    if not recent:
        return None
    times = sum(day.guarded for day in recent)
    return Diagnosis(
        Health.GUARDED, recent[-1].guarded_at, (f"{times} pages of a guard within a day", recent[-1].guard)
    )


def _never_read(days: Sequence[ChannelDay]) -> Diagnosis | None:
    """The diagnosis of a channel that was asked, but never read."""
    run = days[-1].lists
    if not run.visits or any(day.good_slots for day in days):
        return None
    return Diagnosis(Health.UNWATCHED, run.since, (f"it was never read: {run.most}", run.evidence))


def _always_redirected(days: Sequence[ChannelDay], run: Run) -> bool:
    """Whether a channel has been reached by a redirect ever since it was added, which does no harm."""
    return run.most is Health.MOVED and all(day.redirected == day.polls for day in days)


def _of_run(run: Run, what: str) -> Diagnosis:
    shares = ", ".join(f"{count} {health}" for health, count in sorted(run.visits.items(), key=lambda pair: -pair[1]))
    return Diagnosis(run.most, run.since, (f"{what}: {run.total} visits in a row ({shares})", run.evidence))


def _shrunk(days: Sequence[ChannelDay]) -> Iterator[Diagnosis]:
    """The diagnosis of a list that shows far fewer articles than before, if it does."""
    looked = [day for day in days if day.looks]
    lengths = [day.shown / day.looks for day in looked]
    usual = median(lengths) if len(lengths) > USUAL_DAYS else 0.0
    if usual < LEAST_USUAL:
        return
    short = list(takewhile(lambda day: day.shown / day.looks < SHRUNK_LENGTH * usual, reversed(looked)))
    if sum(day.looks for day in short) >= SHRUNK_POLLS:
        evidence = f"{lengths[-1]:.0f} articles on the list instead of {usual:.0f}"
        yield Diagnosis(Health.REDESIGNED, short[-1].day * DAY - EAST_8, (evidence,))


def _broken_rules(days: Sequence[ChannelDay]) -> Iterator[Diagnosis]:
    """A diagnosis for each XPath of the site that matches none of the last articles, although it should have matched
    :data:`RULE_TRIES` of them."""
    for rule in sorted({rule for day in days[-7:] for rule in day.rules}):
        misses, since, matched, tried = 0, days[-1].day, 0, 0
        for day in reversed(days):
            hits, missed = day.rules.get(rule, (0, 0))
            matched, tried = matched + hits, tried + hits + missed
            if not matched and missed:
                misses, since = misses + missed, day.day
        usual = matched / (tried - misses) if matched else 1.0
        if misses * usual >= RULE_TRIES:
            history = f"it matched {usual:.0%} of those before" if matched else "it never matched one"
            evidence = f"{rule} matches none of the last {misses} articles; {history}"
            yield Diagnosis(Health.RULE_BROKEN, since * DAY - EAST_8, (evidence,))
