"""The days of the channels: what visits add to them."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import ArticleObservation, ListObservation, PageResult, Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.core.scheduling.publication_rate import DAY
from newsspider.features.health import stored_channel_days
from newsspider.features.health.rules.channel_day import ChannelDay, day_of
from newsspider.features.health.rules.states import Health
from newsspider.features.health.sources import source_health
from newsspider.sites.holidays import NO_HOLIDAYS
from newsspider.sites.model import Channel, ChannelKind, from_home
from newsspider.store import pages, sites
from tests.support.samples import NOW, POLLED, lease_on, offer

LIST = "http://a.cn/list"


@pytest.fixture
def watched(conn):
    site = from_home("http://a.cn/")
    sites.put(conn, replace(site, name="站", channels=(Channel("要闻", LIST, 5, ChannelKind.LIST),)), NOW)
    return conn


def poll(conn, now, *, new=(), effects=(), settlement=POLLED):
    lease = lease_on(conn, LIST, now, kind=PageType.LIST, site="站", channel="要闻", update_cycle=DAY)
    offers = tuple(offer(f"http://a.cn/{number}", site="站", channel="要闻") for number in new)
    assert pages.save(conn, PageResult(lease, settlement, offers=offers, effects=effects), now).settled


def days(conn, now=NOW) -> list[ChannelDay]:
    return [row for rows in stored_channel_days.days(conn, "站", now).values() for row in rows]


def test_polls_count_what_they_bring_but_not_what_a_first_one_does(watched):
    poll(watched, NOW, new=range(5), effects=(ListObservation(40, 20),))
    poll(watched, NOW + 60, new=range(3, 8), effects=(ListObservation(40, 22),))
    (today,) = days(watched)
    assert (today.day, today.polls, today.new, today.looks, today.shown) == (day_of(NOW), 2, 3, 2, 42)
    assert (today.good_slots.bit_count(), today.new_slots.bit_count(), today.lists.total) == (1, 1, 0)


EMPTY, FRAMED, SHOWN = ListObservation(3, 0), ListObservation(3, 0, elsewhere=True), ListObservation(40, 20)
MISSING = Settlement(State.DONE, Reason.HTTP_STATUS, failures=1, status=404)
UNCHANGED = Settlement(State.DONE, Reason.UNCHANGED, status=304)


def framed(conn, now, *, effects=(), settlement=POLLED, url="http://a.cn/frame"):
    """A visit to a page that the list led to."""
    lease = lease_on(conn, url, now, kind=PageType.LIST, site="站", channel="要闻", hops=1)
    assert pages.save(conn, PageResult(lease, settlement, effects=effects), now).settled


def health(conn, now) -> Health:
    (diagnosis,) = source_health(conn, NO_HOLIDAYS, now).diagnoses.values()
    return diagnosis.health


@pytest.mark.parametrize("observation", [EMPTY, FRAMED, ListObservation(0, 0, guard=True), ListObservation(0, 0, broken="//ul")])
def test_a_list_that_never_showed_anything_is_not_live_after_one_poll(watched, observation):
    poll(watched, NOW, effects=(observation,))
    assert health(watched, NOW) is not Health.LIVE
    poll(watched, NOW + 60, effects=(SHOWN,))
    poll(watched, NOW + 120, effects=(observation,))
    assert health(watched, NOW + 120) is Health.LIVE, "it was well: one bad visit is no diagnosis"


@pytest.mark.parametrize(("visit", "expected"), [
    ({"effects": (SHOWN,)}, Health.LIVE),
    ({"effects": (EMPTY,)}, Health.REDESIGNED),
    ({"effects": (FRAMED,)}, Health.REDESIGNED),
    ({"effects": (ListObservation(0, 0, guard=True),)}, Health.INTERSTITIAL),
    ({"settlement": MISSING}, Health.MOVED),
])  # fmt: skip
def test_a_page_that_a_list_leads_to_says_how_the_list_is(watched, visit, expected):
    for number in range(4):
        now = NOW + number * DAY / 3
        poll(watched, now, effects=(FRAMED,))
        framed(watched, now + 60, **visit)
        assert number not in (0, 3) or health(watched, now + 60) is expected or expected is Health.MOVED
    assert health(watched, now + 60) is expected
    assert sum(day.looks for day in days(watched, now)) == (4 if expected is Health.LIVE else 0)


def test_a_list_in_frames_that_do_not_change_stays_live(watched):
    for number in range(6):
        now = NOW + number * DAY / 3
        poll(watched, now, effects=(FRAMED,))
        settlement = UNCHANGED if number else POLLED
        framed(watched, now + 60, url="http://a.cn/menu", effects=() if number else (EMPTY,), settlement=settlement)
        framed(watched, now + 90, effects=() if number else (SHOWN,), settlement=settlement)
        assert health(watched, now + 90) is Health.LIVE


def test_a_list_whose_frame_is_never_read_is_not_live(watched):
    poll(watched, NOW, effects=(SHOWN,))
    for number in range(1, 5):
        now = NOW + number * DAY / 2
        poll(watched, now, effects=(FRAMED,))
    assert health(watched, now) is Health.REDESIGNED


def test_an_empty_list_that_does_not_change_stays_empty(watched):
    poll(watched, NOW, effects=(SHOWN,))
    for number in range(1, 5):
        now = NOW + number * DAY / 2
        poll(watched, now, effects=(EMPTY,) if number == 1 else (), settlement=POLLED if number == 1 else UNCHANGED)
    assert health(watched, now) is Health.REDESIGNED
    poll(watched, now + 60, effects=(SHOWN,))
    assert health(watched, now + 60) is Health.LIVE
    framed(watched, now + 90, effects=(EMPTY,), url="http://a.cn/list_2")
    assert health(watched, now + 90) is Health.LIVE, "a next page is not the list"


def test_a_sitemap_has_no_usual_length(watched):
    poll(watched, NOW, effects=(ListObservation(40, 40),), settlement=replace(POLLED, kind=PageType.SITEMAP))
    (today,) = days(watched)
    assert (today.polls, today.looks, today.shown) == (1, 0, 0)


def test_failures_in_a_row_are_carried_over_to_the_next_day(watched):
    failed = Settlement(State.DONE, Reason.HTTP_STATUS, failures=1, status=403)
    for number in range(3):
        poll(watched, NOW + number * DAY, settlement=failed)
    *_, today = days(watched, NOW + 2 * DAY)
    assert (today.polls, today.lists.since, today.lists.until) == (1, NOW, NOW + 2 * DAY)
    assert (today.lists.visits, today.lists.evidence) == ({Health.BLOCKED: 3}, "HTTP status 403")


def test_articles_tell_what_they_lack(watched):
    for number, lacks in enumerate([("date",), ("date", "source"), ()]):
        lease = lease_on(watched, f"http://a.cn/{number}", NOW + number, site="站", channel="要闻")
        settlement = Settlement(State.DONE, Reason.OFF_TOPIC, status=200)
        effects = (ArticleObservation(lacks, (("body //x", not lacks),)),)
        pages.save(watched, PageResult(lease, settlement, effects=effects), NOW + number)
    (today,) = days(watched)
    assert (today.articles, today.lacks, today.rules) == (3, {"date": 2, "source": 1}, {"body //x": [1, 2]})


def test_old_days_are_forgotten_with_the_next_one_and_other_pages_leave_no_day(watched):
    for day in range(stored_channel_days.KEPT_DAYS + 2):
        poll(watched, NOW + day * DAY)
    count = watched.execute(text("SELECT count(*) FROM channel_days")).scalar()
    assert count == stored_channel_days.KEPT_DAYS + 1
    robots = lease_on(watched, "http://a.cn/robots.txt", NOW, kind=PageType.ROBOTS, site="站", channel="要闻")
    foreign = lease_on(watched, "http://b.cn/1", NOW, site="")
    for lease in (robots, foreign):
        pages.save(watched, PageResult(lease, Settlement(State.DONE, Reason.ROBOTS_READ)), NOW)
    assert watched.execute(text("SELECT count(*) FROM channel_days")).scalar() == count


def test_sites_that_are_switched_off_have_no_health(watched):
    poll(watched, NOW)
    sites.enable(watched, "站", False, NOW)
    assert source_health(watched, NO_HOLIDAYS, NOW).diagnoses == {}


def test_a_clock_that_was_wrong_once_takes_nothing_and_is_not_shown(watched):
    failed = Settlement(State.DONE, Reason.HTTP_STATUS, failures=1, status=403)
    for day in range(3):
        poll(watched, NOW + day * DAY, settlement=failed)
    poll(watched, NOW + 3650 * DAY)
    poll(watched, NOW + 3 * DAY, settlement=failed)
    assert [channel_day.day - day_of(NOW) for channel_day in days(watched, NOW + 3 * DAY)] == [0, 1, 2, 3]
    (diagnosis,) = source_health(watched, NO_HOLIDAYS, NOW + 3 * DAY).diagnoses.values()
    assert (diagnosis.health, diagnosis.since) == (Health.BLOCKED, NOW)


def test_the_days_of_a_channel_end_with_it(watched):
    poll(watched, NOW)
    sites.put(watched, replace(from_home("http://a.cn/"), name="站"), NOW)
    assert days(watched) == []


def test_only_a_list_that_was_there_for_three_days_is_unwatched(watched):
    assert source_health(watched, NO_HOLIDAYS, NOW + 2.9 * DAY).counts == {}
    assert source_health(watched, NO_HOLIDAYS, NOW + 3.1 * DAY).counts == {"unwatched": 1}
