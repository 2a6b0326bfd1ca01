"""The diagnosis of a channel from its days."""

from dataclasses import replace

from newsspider.core.crawling.visit import ArticleObservation
from newsspider.core.scheduling.publication_profile import EAST_8, PRESUMED, Calendar
from newsspider.core.scheduling.publication_rate import DAY, HOUR
from newsspider.features.health.rules.channel_day import ChannelDay, day_of
from newsspider.features.health.rules.diagnosis import diagnose_channel
from newsspider.features.health.rules.failed_visits import Run
from newsspider.features.health.rules.reading_quality import quality_changes
from newsspider.features.health.rules.silence import calendar_with_rest_days, silence_of_channel
from newsspider.features.health.rules.states import Health
from newsspider.features.health.rules.visit_diagnosis import REDIRECTS, VisitHealth
from tests.support.tables import each

MONDAY = 20_458  # 2026-01-05
GOOD = VisitHealth(Health.LIVE)


def start(day: int) -> float:
    return day * DAY - EAST_8


def history(
    days: int, *, new: int = 1, hours=range(24), links_shown: int = 20, first: int = MONDAY, visit: VisitHealth = GOOD
) -> list[ChannelDay]:
    """Days with a poll in each of the given hours; each poll by day brings ``new`` new URLs."""
    rows: list[ChannelDay] = []
    for day in range(first, first + days):
        row = rows[-1].next_day(day) if rows else ChannelDay(day)
        for hour in hours:
            row.polled(visit, start(day) + hour * HOUR, new if 7 <= hour <= 21 else 0, links_shown)
        rows.append(row)
    return rows


def of(rows: list[ChannelDay], after_hours: float = 24.0):
    return diagnose_channel(rows, lambda: PRESUMED, start(rows[-1].day) + after_hours * HOUR)


def test_a_host_that_was_down_and_then_refuses_is_blocked():
    rows = history(30)
    begin = start(rows[-1].day) + 20 * HOUR
    for hour in range(20):
        rows[-1].polled(VisitHealth(Health.UNREACHABLE, "HTTP status 502"), begin + hour * HOUR)
    for hour in range(20, 23):
        assert of(rows).health is Health.UNREACHABLE
        rows[-1].polled(VisitHealth(Health.BLOCKED, "HTTP status 403"), begin + hour * HOUR)
    assert (of(rows).health, of(rows).since) == (Health.BLOCKED, begin)
    for hour in range(23, 32):
        visit = VisitHealth(Health.BLOCKED if hour < 27 else Health.UNREACHABLE, "")
        rows[-1].polled(visit, begin + hour * HOUR)
        assert of(rows).health is Health.BLOCKED, "an outage on top changes nothing"


def test_a_day_survives_as_json():
    (row,) = history(1)
    row.polled(VisitHealth(Health.BLOCKED, "HTTP status 403"), start(MONDAY) + 23.5 * HOUR)
    row.read(ArticleObservation(("date",), (("body //x", False),)))
    assert ChannelDay.of(MONDAY, row.text()) == row
    assert ChannelDay.of(MONDAY, "{}") == ChannelDay(MONDAY)
    assert day_of(start(MONDAY)) == day_of(start(MONDAY) + DAY - 1) == MONDAY


def test_a_channel_that_brings_what_it_did_is_live():
    assert of(history(40)).health is Health.LIVE


def test_a_channel_that_was_never_asked_or_not_for_days_is_unwatched():
    assert diagnose_channel((), lambda: PRESUMED, 0.0).health is Health.UNWATCHED
    assert of(history(40), 24 * 5).health is Health.UNWATCHED


@each("health", [Health.BLOCKED, Health.SLOW, Health.INTERSTITIAL, Health.CERTIFICATE, Health.UNREACHABLE])
def test_failures_in_a_row_over_hours_are_an_illness_until_the_first_success(health):
    rows = history(30)
    rows.append(rows[-1].next_day(rows[-1].day + 1))
    begin = start(rows[-1].day)
    for hour in range(9):
        rows[-1].polled(VisitHealth(health, "seen"), begin + hour * HOUR)
    assert of(rows, 9).health is Health.LIVE, "an outage of some hours is no problem"
    rows[-1].polled(VisitHealth(Health.UNREACHABLE, "seen"), begin + 10 * HOUR)
    unhealthy = of(rows, 10)
    assert (unhealthy.health, unhealthy.since) == (health, begin)
    assert "list: 10 visits in a row" in unhealthy.evidence[0]
    rows[-1].polled(GOOD, begin + 11 * HOUR, 1, 20)
    assert of(rows, 11).health is Health.LIVE


@each("health", [Health.UNREACHABLE, Health.BLOCKED, Health.ROBOTS_CLOSED])
def test_a_channel_that_was_never_read_is_not_live(health):
    row = ChannelDay(MONDAY)
    row.polled(VisitHealth(health, "why"), start(MONDAY) + 8 * HOUR)
    assert of([row]).health is Health.UNWATCHED
    assert of([row]).evidence == (f"it was never read: {health}", "why")
    row.polled(GOOD, start(MONDAY) + 9 * HOUR)
    assert of([row]).health is Health.LIVE


def test_a_refusal_of_ours_is_named_at_once():
    rows = history(30)
    rows[-1].polled(VisitHealth(Health.NOT_PUBLIC, "loopback address 127.0.0.3"), start(rows[-1].day) + 24 * HOUR)
    assert of(rows).health is Health.NOT_PUBLIC
    rows[-1].polled(GOOD, start(rows[-1].day) + 24.5 * HOUR)
    assert of(rows).health is Health.LIVE


def test_failures_before_and_after_a_pause_are_none_in_a_row():
    rows = history(1) + history(1, first=MONDAY + 1, visit=VisitHealth(Health.UNREACHABLE, "seen"), hours=(0,))
    rows.append(rows[-1].next_day(MONDAY + 11))
    for hour in (0, 10):
        rows[-1].polled(VisitHealth(Health.UNREACHABLE, "seen"), start(MONDAY + 11) + hour * HOUR)
    assert of(rows, 10).health is Health.LIVE
    rows[-1].polled(VisitHealth(Health.BLOCKED, "seen"), start(MONDAY + 11) + 11 * HOUR)
    assert (of(rows, 11).health, of(rows, 11).since) == (Health.UNREACHABLE, start(MONDAY + 11))


def test_a_problem_goes_on_after_a_pause_until_the_first_success():
    rows = history(1, visit=VisitHealth(Health.BLOCKED, "seen"))
    rows.append(rows[-1].next_day(MONDAY + 11))
    rows[-1].polled(VisitHealth(Health.BLOCKED, "seen"), start(MONDAY + 11))
    assert (of(rows, 1).health, of(rows, 1).since) == (Health.BLOCKED, start(MONDAY))


def test_a_run_goes_on_over_midnight():
    rows = history(30, visit=VisitHealth(Health.BLOCKED, "HTTP status 403"))
    assert of(rows).since == start(MONDAY)
    assert rows[-1].lists == Run(start(MONDAY), start(MONDAY + 29) + 23 * HOUR, {"blocked": 720}, "HTTP status 403")


def test_articles_that_cannot_be_read_are_an_illness_of_a_list_that_can():
    rows = history(30)
    for hour in range(12):
        rows[-1].pages.add(VisitHealth(Health.BLOCKED, "HTTP status 403"), start(rows[-1].day) + hour * HOUR)
    assert of(rows).health is Health.BLOCKED
    assert "articles: 12 visits" in of(rows).evidence[0]


def test_a_redirect_is_an_illness_unless_the_channel_was_always_reached_by_one():
    moved = VisitHealth(Health.MOVED, REDIRECTS + "http://a.cn/new/")
    assert of(history(30, visit=moved)).health is Health.LIVE
    rows = history(30)
    rows += [*history(2, first=MONDAY + 30, visit=moved)]
    assert of(rows).health is Health.MOVED


def test_a_list_that_shows_a_few_articles_of_many_is_redesigned():
    rows = history(20)
    rows += history(1, first=MONDAY + 20, links_shown=2)
    assert (of(rows).health, of(rows).since) == (Health.REDESIGNED, start(MONDAY + 20))
    assert of(history(20, links_shown=2)).health is Health.LIVE, "a short list is none that shrank"


def test_an_xpath_that_matches_no_article_any_more_is_broken():
    rows = history(10)
    for row in rows:
        for _ in range(4):
            row.read(ArticleObservation((), (("body //x", row.day < MONDAY + 8), ("author //y", row.day % 2 == 0))))
    unhealthy = of(rows)
    assert (unhealthy.health, unhealthy.since) == (Health.RULE_BROKEN, start(MONDAY + 8))
    assert unhealthy.evidence == ("body //x matches none of the last 8 articles; it matched 100% of those before",)


def test_an_xpath_that_matches_now_and_then_is_not_broken():
    rows = history(10)
    for row in rows:
        for _ in range(3):
            row.read(ArticleObservation((), (("author //y", row.day % 4 == 0),)))
    assert of(rows).health is Health.LIVE


def test_a_channel_without_news_for_longer_than_ever_is_silent():
    rows = history(30) + history(2, new=0, first=MONDAY + 30)
    unhealthy = of(rows)
    assert (unhealthy.health, unhealthy.since) == (Health.SILENT, start(MONDAY + 29) + 21.5 * HOUR)
    quiet = history(1, new=0, first=MONDAY + 30, hours=range(12))
    assert of(history(30) + quiet, 12).health is Health.LIVE


def test_usual_pauses_of_a_channel_are_not_silence():
    rows: list[ChannelDay] = []
    for day in range(MONDAY, MONDAY + 42):
        rows += history(1, new=20 * (day % 7 == 0), first=day)
    assert of(rows[:-1]).health is Health.LIVE


def test_time_without_polls_does_not_count_as_silence():
    rows = history(30) + history(1, new=0, first=MONDAY + 32, hours=(0,))
    assert of(rows, 1).health is Health.LIVE


def test_nothing_is_expected_on_holidays_and_the_days_around_them():
    first = MONDAY + 30
    calendar = calendar_with_rest_days(Calendar(dict.fromkeys(range(first, first + 4), 6) | {first + 5: 2}))
    assert [calendar.factors.get(day, 1.0) for day in (first - 2, first - 1, first, first + 4, first + 7, first + 8)] == [1, 0, 0, 0, 0, 1]
    assert first + 5 not in calendar.factors, "a make-up workday is none"
    rows = history(30) + history(4, new=0, first=first)
    assert silence_of_channel(rows, lambda: PRESUMED).is_long
    assert not silence_of_channel(rows, lambda: replace(PRESUMED, calendar=calendar)).is_long


def test_a_single_holiday_does_not_rest_the_whole_week():
    assert calendar_with_rest_days(Calendar({MONDAY: 6}, {MONDAY + 1: 0.8})).factors == {MONDAY: 0.0, MONDAY + 1: 0.5}


def quality(shares: list[float], articles: int = 20) -> list[ChannelDay]:
    return [ChannelDay(MONDAY + n, articles=articles, lacks={"date": round(share * articles)}) for n, share in enumerate(shares)]


def test_a_sudden_loss_of_dates_is_named_with_its_day():
    (change,) = quality_changes("站", quality([0.05] * 10 + [0.9, 0.95]))
    assert (change.lacks, change.day, round(change.before, 2), change.articles) == ("date", MONDAY + 10, 0.05, 40)
    assert change.sentence == "92% of its articles are without a date, before 5%"


@each("shares", [[0.1] * 12, [0.0, 0.3, 0.1, 0.2, 0.05, 0.3, 0.1, 0.25], [0.05] * 10 + [0.9] * 9, [0.9], []])
def test_ordinary_variation_and_old_changes_are_not_reported(shares):
    assert list(quality_changes("站", quality(shares))) == []


def test_a_few_articles_are_no_change():
    assert list(quality_changes("站", quality([0.0] * 40 + [1.0], articles=3))) == []
