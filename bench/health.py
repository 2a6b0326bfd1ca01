"""``python -m bench.health``: 90 simulated days of generated sites with faults, diagnosed by the rules of the crawl.

Each site publishes by hours, weekdays, public holidays and school holidays of its own; its days are uneven, some bring
all at once. Its list pages are generated as HTML and read by the crawl's reader, once a design. Hosts fail for hours
now and then, which is no fault. Faults of ten kinds begin at random moments and stay for a week or more. A held clock
goes by half hours; every four hours each channel is diagnosed.

A fault is named rightly if its channel's diagnosis is that kind within 24 hours or two expected gaps, whichever is
later. An expected gap is the longest that the channel had before, in articles of its true rate, so that nights,
weekends and holidays count by what they bring; at least six articles: by chance, one gap in 400 is longer. A false
alarm is a diagnosis of a site without a fault, or of another kind than its fault's.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from math import exp
from statistics import median

from newsspider.core.crawling.observations import observe_article, observe_list
from newsspider.core.crawling.visit import ArticleObservation, ListObservation, Settlement
from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of
from newsspider.core.model import Article, ArticleRules, LinkKind, Reason, State
from newsspider.core.scheduling.publication_profile import (
    EAST_8,
    HALF_HOUR,
    HALVES_OF_DAY,
    NO_OBSERVATIONS,
    Calendar,
    common_profile,
    observed,
    profile_of,
)
from newsspider.core.scheduling.publication_rate import DAY, HOUR
from newsspider.features.health.rules.channel_day import ChannelDay, day_of
from newsspider.features.health.rules.diagnosis import Diagnosis, diagnose_channel
from newsspider.features.health.rules.silence import calendar_with_rest_days
from newsspider.features.health.rules.states import Health
from newsspider.features.health.rules.visit_diagnosis import visit_health
from newsspider.sites.holidays import calendar_of

DAYS, FAULTS, SITES = 90, 20, 40
WARM_DAYS = 30  # before the first fault: a new store knows nothing
LEAST_SHARE, MOST_FALSE = 1.0, 0.01  # of the faults, named rightly; false alarms a source-week
GAP_ARTICLES = 6.0
KINDS = (
    Health.SLOW,
    Health.SILENT,
    Health.BLOCKED,
    Health.REDESIGNED,
    Health.INTERSTITIAL,
    Health.MOVED,
    Health.ROBOTS_CLOSED,
    Health.CERTIFICATE,
    Health.WRONG_CHARSET,
    Health.RULE_BROKEN,
)
WORDS = (
    "教育部发布关于做好高校招生工作的通知学校教师培训改革课程建设义务阶段学生综合素质评价指导意见开展职业技能大赛举办"
)
REGION = "//div[@class='list']"


@dataclass
class Channel:
    """A generated channel: its true rate of an average workday, and how it publishes."""

    site: Site
    name: str
    rate: float
    interval: float  # seconds between two polls
    has_region: bool
    designs: dict[Health, ListObservation] = field(default_factory=dict)
    days: list[ChannelDay] = field(default_factory=list)
    next_poll: float = 0.0
    pending: int = 0
    gap: float = 0.0  # articles to be expected since the last one
    longest_gap: float = 0.0
    uneven: float = 1.0
    states: list[tuple[float, Diagnosis]] = field(default_factory=list)


@dataclass
class Site:
    """A generated site."""

    name: str
    hours: list[float]
    weekend: float
    holiday: float
    school: float
    batch: float  # share of the articles that come all at once
    channels: list[Channel] = field(default_factory=list)
    learned: object = NO_OBSERVATIONS
    down_until: float = 0.0
    article: ArticleObservation = field(default_factory=ArticleObservation)
    broken_article: ArticleObservation = field(default_factory=ArticleObservation)


@dataclass(frozen=True)
class Fault:
    """What goes wrong: with one channel, or with all of its site."""

    kind: Health
    channel: Channel
    whole_site: bool
    begins: float
    ends: float

    def hits(self, channel: Channel, now: float) -> bool:
        ours = channel.site is self.channel.site if self.whole_site else channel is self.channel
        return ours and self.begins <= now < self.ends


def page(design: Health, seed: int, region: bool) -> bytes:
    """A list page as HTML."""
    rng = random.Random(seed)
    titles = ["".join(rng.choice(WORDS) for _ in range(rng.randint(12, 26))) for _ in range(20)]
    if design is Health.WRONG_CHARSET:
        titles = [title.encode().decode("latin-1") for title in titles]
    name = "news-grid" if design is Health.RULE_BROKEN else "list"
    items = "".join(
        f'<li><a href="/2026/{1 + n % 9:02}{10 + n}/c{seed * 100 + n}.html">{title}</a><span>2026-0{1 + n % 9}-1{n % 9}</span></li>'
        for n, title in enumerate(titles)
    )
    menu = "".join(f'<a href="/{word}/">{word}</a>' for word in ("shouye", "xinwen", "zhaosheng", "keyan", "dangjian"))
    body = f'<div class="nav">{menu}</div><div class="{name}"><h2>新闻</h2><ul>{items}</ul></div>'
    if design is Health.INTERSTITIAL:
        body = '<h1>安全验证</h1><p>您的访问过于频繁，请完成验证后继续。</p><form><input name="code"></form><script>go()</script>'
    if design is Health.REDESIGNED:
        cards = "".join(
            f'<section><h3>{word}</h3><a href="/{word}/">进入</a></section>' for word in ("a", "b", "c", "d", "e") * 3
        )
        body = f'<div class="nav">{menu}</div><main>{cards}<p>{"".join(titles[:8])}</p></main>'
    return f"<html><head><meta charset='utf-8'><title>新闻 - 教育网</title></head><body>{body}</body></html>".encode()


def observation_of(design: Health, seed: int, region: bool) -> ListObservation:
    tree = parse(page(design, seed, region), "http://edu.example.cn/xinwen/", "text/html; charset=utf-8")
    regions = (REGION,) if region else ()
    links = links_of(tree, regions)
    return observe_list(tree, [link for link in links if link.kind in LinkKind], regions)


def world(rng: random.Random) -> list[Site]:
    """Sites as they are: ministries, papers, portals, schools."""
    sites = []
    for number in range(SITES):
        peak = rng.uniform(9, 16)
        width = rng.uniform(2, 6)
        hours = [rng.uniform(0.0, 0.15) + exp(-(((hour - peak) / width) ** 2)) for hour in range(24)]
        site = Site(
            f"site{number}",
            [hour * 24 / sum(hours) for hour in hours],
            rng.choice((0.05, 0.15, 0.5, 0.9)),
            rng.choice((0.0, 0.03, 0.2, 0.6)),
            rng.choice((0.3, 0.6, 1.0)),
            rng.choice((0.0, 0.0, 0.3, 0.6)),
        )
        rules = ArticleRules(body="//div[@class='content']")
        html = "<html><head><title>标题</title></head><body><div class='{}'><p>{}</p></div></body></html>"
        both = [
            parse(html.format(name, WORDS * 4).encode(), "http://edu.example.cn/1.html") for name in ("content", "x")
        ]
        site.article, site.broken_article = (observe_article(page, Article(text=WORDS * 4), rules) for page in both)
        for place in range(rng.choice((1, 1, 2, 3))):
            rate = rng.choice((0.7, 2.0, 5.0, 12.0, 30.0, 80.0)) * rng.uniform(0.7, 1.4)
            interval = min(12 * HOUR, max(1200.0, DAY / rate / 3)) * rng.uniform(0.8, 1.2)
            channel = Channel(site, f"{site.name}/{place}", rate, interval, rng.random() < 0.5)
            for design in (
                Health.LIVE,
                Health.INTERSTITIAL,
                Health.REDESIGNED,
                Health.WRONG_CHARSET,
                Health.RULE_BROKEN,
            ):
                channel.designs[design] = observation_of(design, number * 7 + place, channel.has_region)
            channel.next_poll = rng.uniform(0, interval)
            site.channels.append(channel)
        sites.append(site)
    return sites


def factor(site: Site, now: float, calendar: Calendar, holidays: frozenset[int]) -> float:
    """How much a site publishes at a moment, as a multiple of its rate."""
    day = day_of(now)
    weekday, _ = calendar.weekday(day)
    hour = site.hours[int((now + EAST_8) % DAY // HOUR)]
    if day in holidays:
        return hour * site.holiday
    special = site.school if day in calendar.factors else 1.0
    return hour * special * (site.weekend if weekday >= 5 else 1.0)


def faults_of(rng: random.Random, sites: Sequence[Site], start: float) -> list[Fault]:
    """Twenty faults of ten kinds, on different sites, spread over the time after the warm-up."""
    order = rng.sample(sites, FAULTS)
    faults = []
    for number, site in enumerate(order):
        kind = KINDS[number % len(KINDS)]
        channel = rng.choice(site.channels)
        if kind is Health.RULE_BROKEN and number < len(KINDS) and not channel.has_region:
            channel.has_region = True
            for design in channel.designs:
                channel.designs[design] = observation_of(design, number, True)
        if kind is Health.REDESIGNED and channel.has_region:
            channel.has_region = False
            for design in channel.designs:
                channel.designs[design] = observation_of(design, number, False)
        begins = start + rng.uniform(WARM_DAYS, DAYS - 20) * DAY
        whole = kind in (Health.BLOCKED, Health.ROBOTS_CLOSED, Health.CERTIFICATE, Health.SLOW)
        faults.append(Fault(kind, channel, whole, begins, begins + rng.uniform(8, 15) * DAY))
    return faults


def settlement(fault: Fault | None, down: bool, rng: random.Random) -> Settlement:
    """What a visit brings."""
    kind = fault.kind if fault else Health.LIVE
    done, latency = State.DONE, rng.uniform(0.05, 2.0)
    if down:
        choices = ((Reason.TIMEOUT, None), (Reason.CONNECTION, None), (Reason.HTTP_STATUS, 502), (Reason.DNS, None))
        reason, status = rng.choice(choices)
        return Settlement(done, reason, status=status, failures=1)
    if kind is Health.BLOCKED:
        return Settlement(done, Reason.HTTP_STATUS, status=rng.choice((403, 403, 412)), failures=1)
    if kind is Health.SLOW:
        if rng.random() < 0.5:
            return Settlement(done, Reason.RETRY, failures=1, detail="timeout: no answer within 60 seconds")
        return Settlement(done, Reason.POLLED, status=200, host_latency=rng.uniform(12, 50))
    if kind is Health.MOVED:
        status = rng.choice((404, 301))
        return Settlement(done, Reason.HTTP_STATUS, status=status, failures=1)
    if kind is Health.ROBOTS_CLOSED:
        return Settlement(done, Reason.ROBOTS)
    if kind is Health.CERTIFICATE:
        return Settlement(done, Reason.RETRY, failures=1, detail="connection: certificate verify failed: has expired")
    return Settlement(done, Reason.POLLED, status=200, host_latency=latency)


def simulate(seed: int) -> tuple[list[Site], list[Fault], float]:
    """Ninety days; each channel has its diagnoses with their moments afterwards."""
    rng = random.Random(seed)
    year, month = rng.choice(((2025, 8), (2025, 12), (2026, 1), (2026, 2), (2026, 4), (2026, 8)))
    start = datetime(year, month, rng.randint(1, 28), tzinfo=UTC).timestamp() // DAY * DAY - EAST_8
    calendar = calendar_of("CN", ("01-20/02-20", "07-10/08-31"), start + 60 * DAY)
    holidays = frozenset(day for day, counts in calendar.counts_as.items() if counts == 6)
    rest = calendar_with_rest_days(calendar)
    sites = world(rng)
    faults = faults_of(rng, sites, start)
    profiles = {site.name: common_profile((), calendar) for site in sites}
    for step in range(DAYS * HALVES_OF_DAY):
        now = start + step * HALF_HOUR
        if step % HALVES_OF_DAY == 0:
            common = common_profile([site.learned for site in sites], calendar)  # type: ignore[misc]
            profiles = {site.name: profile_of(site.learned, common) for site in sites}  # type: ignore[arg-type]
        for site in sites:
            if now >= site.down_until and rng.random() < 1 / (12 * HALVES_OF_DAY):  # a host is down now and then
                site.down_until = now + rng.choice((HALF_HOUR, HOUR, 2 * HOUR, 5 * HOUR, 8 * HOUR))
            if step % HALVES_OF_DAY == 0:
                for channel in site.channels:
                    channel.uneven = rng.gammavariate(4, 1 / 4)
            for channel in site.channels:
                tick(channel, faults, now, start, calendar, holidays, profiles[site.name], rng)
                if step % 8 == 7 and step > 2 * HALVES_OF_DAY:
                    channel.states.append(
                        (
                            now,
                            diagnose_channel(
                                channel.days[-60:], partial(replace, profiles[site.name], calendar=rest), now
                            ),
                        )
                    )
    return sites, faults, start


def tick(  # type: ignore[no-untyped-def]
    channel: Channel,
    faults: Sequence[Fault],
    now: float,
    start: float,
    calendar: Calendar,
    holidays: frozenset[int],
    profile,
    rng: random.Random,
) -> None:
    """Half an hour of a channel."""
    site = channel.site
    fault = next((other for other in faults if other.hits(channel, now)), None)
    usual = channel.rate / HALVES_OF_DAY * factor(site, now, calendar, holidays)
    expected = usual * channel.uneven
    if fault is None or fault.kind is not Health.SILENT:
        if rng.random() < site.batch:
            expected = 0.0 if rng.random() > 0.25 else expected * 4
        came = poisson(rng, expected)
        channel.pending += came
        channel.gap = 0.0 if came else channel.gap + usual
        if all(now < other.begins for other in faults if other.channel is channel):
            channel.longest_gap = max(channel.longest_gap, channel.gap)
    while channel.next_poll + start < now + HALF_HOUR:
        poll(channel, fault, max(now, channel.next_poll + start), start, profile, rng)


def poll(  # type: ignore[no-untyped-def]
    channel: Channel, fault: Fault | None, now: float, start: float, profile, rng: random.Random
) -> None:
    site = channel.site
    day = day_of(now)
    if not channel.days or channel.days[-1].day != day:
        channel.days.append(channel.days[-1].next_day(day) if channel.days else ChannelDay(day))
    today = channel.days[-1]
    outcome = settlement(fault, now < site.down_until, rng)
    design = fault.kind if fault and fault.kind in channel.designs else Health.LIVE
    if design is Health.RULE_BROKEN and not channel.has_region:
        design = Health.LIVE  # the XPath of the articles is broken
    look = channel.designs[design] if outcome.reason is Reason.POLLED else None
    sign = visit_health(outcome, look)
    assert sign is not None
    new = 0
    if look is not None and look.articles:
        new = channel.pending
        channel.pending = 0
        broken = fault is not None and fault.kind is Health.RULE_BROKEN and not channel.has_region
        for _ in range(min(new, 20)):
            today.read(site.broken_article if broken else site.article)
    first = len(channel.days) == 1 and today.polls == 0
    today.polled(sign, now, 0 if first else new, None if look is None else look.articles)
    channel.next_poll = (
        now - start + (min(channel.interval, HOUR) if outcome.failures else channel.interval * rng.uniform(0.8, 1.2))
    )
    if look is not None and look.articles:
        since = max(start, now - channel.interval)
        site.learned = observed(site.learned, profile, list(profile.spans(since, now)) or [(1.0, 1.0, 0)], now, new)  # type: ignore[arg-type]


def poisson(rng: random.Random, mean: float) -> int:
    """A random number of this mean."""
    count, limit = 0, exp(-mean)
    product = rng.random()
    while product > limit:
        count += 1
        product *= rng.random()
    return count


def deadline(fault: Fault, calendar: Calendar, holidays: frozenset[int]) -> float:
    """Until when a fault must be named."""
    now, articles = fault.begins, 0.0
    while articles < 2 * max(GAP_ARTICLES, fault.channel.longest_gap) and now < fault.ends:
        articles += fault.channel.rate / HALVES_OF_DAY * factor(fault.channel.site, now, calendar, holidays)
        now += HALF_HOUR
    return max(now, fault.begins + DAY)


@dataclass
class Figures:
    """What came of a seed."""

    named: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    delays: dict[Health, list[float]] = field(default_factory=dict)
    undecided: int = 0  # faults that end before their deadline
    weeks: float = 0.0

    @property
    def false_rate(self) -> float:
        return len(self.wrong) / self.weeks


def judged(seed: int) -> Figures:
    """The figures of a seed."""
    sites, faults, start = simulate(seed)
    calendar = calendar_of("CN", ("01-20/02-20", "07-10/08-31"), start + 60 * DAY)
    holidays = frozenset(day for day, counts in calendar.counts_as.items() if counts == 6)
    figures = Figures(weeks=len(sites) * DAYS / 7)
    for fault in faults:
        until = deadline(fault, calendar, holidays)
        first = next(
            (now for now, state in fault.channel.states if now >= fault.begins and state.health is fault.kind), None
        )
        if until >= fault.ends and (first is None or first >= fault.ends):
            figures.undecided += 1
        elif first is not None and first <= until:
            figures.named += 1
            figures.delays.setdefault(fault.kind, []).append((first - fault.begins) / HOUR)
        else:
            delay_text = f"{fault.channel.name} {fault.kind} at {fault.channel.rate:.1f} a day: "
            late = None if first is None else (first - fault.begins) / HOUR
            delay_text += (
                "never" if late is None else f"after {late:.0f} h instead of {(until - fault.begins) / HOUR:.0f}"
            )
            figures.missed.append(delay_text)
    for site in sites:
        figures.wrong += alarms(site, faults)
    return figures


def alarms(site: Site, faults: Sequence[Fault]) -> Iterator[str]:
    """The diagnoses that no fault explains, each once from its beginning to its end; a fault explains its own kind
    until a day after it was mended."""
    for channel in site.channels:
        previous_health = Health.LIVE
        for now, state in channel.states:
            if state.health is not previous_health and state.health is not Health.LIVE:
                about = [fault for fault in faults if fault.hits(channel, now) or fault.hits(channel, now - DAY)]
                if all(fault.kind is not state.health for fault in about):
                    when = datetime.fromtimestamp(now + EAST_8, UTC)
                    yield f"{channel.name} {state.health} on {when:%Y-%m-%d %H}h at {channel.rate:.1f} a day: {state.evidence}"
            previous_health = state.health


def main() -> int:
    """Print the figures of each seed and of all."""
    parser = argparse.ArgumentParser(prog="python -m bench.health", description=__doc__)
    parser.add_argument("--seeds", default="1,2,3", help="numbers, with commas between")
    options = parser.parse_args()
    every = Figures()
    print(f"{'seed':>4} {'named':>6} {'missed':>7} {'undecided':>10} {'false':>6} {'weeks':>7} {'per 100':>8}")
    for seed in map(int, options.seeds.split(",")):
        figures = judged(seed)
        row = f"{seed:>4} {figures.named:>6} {len(figures.missed):>7} {figures.undecided:>10} {len(figures.wrong):>6} {figures.weeks:>7.0f}"
        print(f"{row} {100 * figures.false_rate:>8.2f}", flush=True)
        for line in (*figures.missed, *figures.wrong):
            print(f"       {line}")
        every.named += figures.named
        every.missed += figures.missed
        every.undecided += figures.undecided
        every.wrong += figures.wrong
        every.weeks += figures.weeks
        for kind, delays in figures.delays.items():
            every.delays.setdefault(kind, []).extend(delays)
    for kind in KINDS:
        delays = every.delays.get(kind, [0.0])
        print(
            f"{kind:<14} named after {median(delays):>5.1f} h (median), {max(delays):>5.1f} h at most; {len(delays)} faults"
        )
    decided = every.named + len(every.missed)
    precision = every.named / (every.named + len(every.wrong)) if every.named else 0.0
    print(
        f"named in time {every.named} of {decided}; precision {precision:.3f};"
        f" false alarms in 100 source-weeks {100 * every.false_rate:.2f}"
    )
    return 0 if every.named == decided and every.false_rate <= MOST_FALSE else 1


if __name__ == "__main__":
    sys.exit(main())
