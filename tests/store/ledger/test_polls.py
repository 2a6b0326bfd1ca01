"""What polls teach of a list and its site, and when the list is due again."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult, Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.core.scheduling.poll_schedule import Plan, Polling, PollLimits
from newsspider.core.scheduling.publication_profile import profile
from newsspider.core.scheduling.publication_rate import DAY, HOUR
from newsspider.sites.model import Channel, ChannelKind, from_home
from newsspider.store import ledger, pages, sites
from newsspider.store.ledger import polls as clock
from tests.support.samples import NOW, POLLED, lease_on, links, offer, row

LIST = "http://a.cn/list"
FURTHER = "http://a.cn/list?page=2"
LIMITS = PollLimits(100.0, 60.0, 60.0, DAY)
PLAN = Plan(NOW, (500.0,), common=profile((1.0,) * 24, (1.0,) * 7))
POLLING = Polling(5.0, PLAN, LIMITS)


@pytest.fixture
def watched(conn):
    """A store that watches one list."""
    site = from_home("http://a.cn/")
    channel = Channel("要闻", LIST, 5, ChannelKind.LIST)
    sites.put(conn, replace(site, name="站", channels=(channel,)), NOW)
    return conn


def polled(conn, now, new=(), *, item_count=40, url=LIST, settlement=POLLED, polling=POLLING, cycle=DAY):
    """Poll a list that shows so many articles, of which these are new."""
    new_urls = [f"http://a.cn/{number}" for number in new]
    old = [f"http://a.cn/old{number}" for number in range(item_count - len(new_urls))]
    lease = lease_on(conn, url, now, kind=PageType.LIST, site="站", channel="要闻", update_cycle=cycle)
    result = PageResult(
        lease, replace(settlement, fetched_at=now), links=links([*new_urls, *old]),
        offers=tuple(offer(item_url, site="站", channel="要闻") for item_url in new_urls), effects=(polling,),
    )  # fmt: skip
    saved = pages.save(conn, result, now)
    assert saved.settled
    return saved


def rate(conn):
    return conn.execute(text("SELECT rate FROM channels")).scalar()


def polls(conn, times, every, per_poll, start=NOW):
    """Poll the list so many times; when the last poll was."""
    for n in range(times):
        now = start + n * every
        polled(conn, now, range(round(n * per_poll), round((n + 1) * per_poll)))
    return now


def test_the_rate_of_a_list_is_learned_from_what_its_polls_find(watched):
    polls(watched, 30, HOUR, 2)
    assert rate(watched) == pytest.approx(48, rel=0.25)


def test_the_first_poll_teaches_no_rate_for_all_of_it_is_new(watched):
    polled(watched, NOW, range(40))
    first = rate(watched)
    polled(watched, NOW + HOUR)
    assert rate(watched) < first


def test_a_list_is_due_sooner_the_more_it_brings(watched):
    due = {}
    for name, per_poll in (("quiet", 0.1), ("busy", 3)):
        watched.execute(text("UPDATE channels SET rate_posterior = '', rate = NULL, seen_at = NULL"))
        watched.execute(text("DELETE FROM urls"))
        last = polls(watched, 24, HOUR, per_poll)
        due[name] = row(watched, LIST).due_at - last
    assert LIMITS.shortest < due["busy"] < due["quiet"] / 2 < DAY / 2


def test_the_queue_of_the_host_knows_when_the_list_is_due(watched):
    polled(watched, NOW)
    assert ledger.remaining(watched, "").due_at == row(watched, LIST).due_at > NOW + 60


def test_what_further_pages_bring_counts_at_the_next_poll_unless_they_were_never_read_before(watched):
    polled(watched, NOW, range(3))
    polled(watched, NOW + 1, range(100, 140), url=FURTHER, cycle=None)
    assert watched.execute(text("SELECT found_since FROM channels")).scalar() == 0
    for n in range(1, 20):
        polled(watched, NOW + n * HOUR)
        polled(watched, NOW + n * HOUR + 1, [1000 + n, 2000 + n], url=FURTHER, cycle=None)
    assert rate(watched) == pytest.approx(48, rel=0.3)


def test_what_a_further_page_brings_in_the_batch_of_the_poll_itself_is_not_lost(watched):
    polled(watched, NOW)
    polled(watched, NOW + 1, url=FURTHER.replace("a.cn", "b.cn"), cycle=None)
    leases = [
        lease_on(watched, LIST, NOW + HOUR, kind=PageType.LIST, site="站", channel="要闻", update_cycle=DAY),
        lease_on(watched, FURTHER.replace("a.cn", "b.cn"), NOW + HOUR, kind=PageType.LIST, site="站", channel="要闻"),
    ]
    results = [
        PageResult(lease, replace(POLLED, fetched_at=NOW + HOUR), offers=(offer(f"http://a.cn/{n}"),), effects=(POLLING,))
        for n, lease in enumerate(leases)
    ]
    pages.save_all(watched, [(result, NOW + HOUR) for result in results])
    assert watched.execute(text("SELECT found_since FROM channels")).scalar() == 1


def test_a_list_that_shows_nothing_but_new_items_may_have_brought_more(watched):
    rates = []
    for item_count in (40, 10):
        watched.execute(text("UPDATE channels SET rate_posterior = '', rate = NULL, seen_at = NULL"))
        watched.execute(text("DELETE FROM urls"))
        polled(watched, NOW)
        polled(watched, NOW + DAY, range(10), item_count=item_count)
        rates.append(rate(watched))
    assert rates[1] > 1.5 * rates[0]


@pytest.mark.parametrize(("failures", "seconds"), [(1, 300.0), (2, 600.0), (5, 3600.0), (20, 3600.0)])
def test_a_list_that_cannot_be_read_is_asked_again_after_a_while_that_doubles_or_when_it_would_be_anyway(watched, failures, seconds):
    polls(watched, 20, HOUR, 0)
    failed = Settlement(State.DONE, Reason.HTTP_STATUS, NOW + 60, failures, status=404)
    old_rate = rate(watched)
    dear = replace(POLLING, plan=replace(PLAN, prices=(1e9,)))
    polled(watched, NOW + DAY, settlement=failed, polling=dear)
    assert row(watched, LIST).due_at == NOW + DAY + seconds
    assert rate(watched) == old_rate
    polled(watched, NOW + 2 * DAY, settlement=failed, polling=replace(POLLING, plan=replace(PLAN, prices=(1e-9,))))
    assert row(watched, LIST).due_at == NOW + 2 * DAY + LIMITS.shortest


def test_a_list_that_is_put_off_is_asked_when_its_outcome_says(watched):
    polled(watched, NOW)
    polled(watched, NOW + HOUR, settlement=Settlement(State.DONE, Reason.RATE_LIMITED, NOW + HOUR + 7, 1, status=429))
    assert row(watched, LIST).due_at == NOW + HOUR + 7


def test_under_another_policy_lists_teach_and_are_due_in_their_rounds(watched):
    rounds = replace(POLLING, decides=False)
    for n in range(10):
        polled(watched, NOW + n * HOUR, [n], polling=rounds, settlement=replace(POLLED, due_at=NOW + n * HOUR + 60))
    assert rate(watched) == pytest.approx(24, rel=0.4)
    assert row(watched, LIST).due_at == NOW + 9 * HOUR + 60


def test_the_hours_of_a_site_are_learned_from_all_its_lists(watched):
    for day in range(20):
        for hour in range(24):
            busy = 8 <= (hour + 16) % 24 < 18  # by the clock of Shanghai; NOW is 16:00 there
            polled(watched, NOW + day * DAY + hour * HOUR, range(day * 1000 + hour * 10, day * 1000 + hour * 10 + 3 * busy))
    site_hours = clock.hours(watched)["站"]
    shape = profile(site_hours.day_items, (1.0,) * 7).day
    assert min(shape[9:17]) > 5 * max(shape[0:6])


def test_a_channel_that_was_given_another_page_is_learned_anew(watched):
    polls(watched, 10, HOUR, 2)
    site = sites.every_site(watched)[0]
    sites.put(watched, replace(site, channels=(replace(site.channels[0], url="http://a.cn/new"),)), NOW)
    assert watched.execute(text("SELECT rate_posterior, rate, seen_at FROM channels")).one() == ("", None, None)


def test_a_plan_sees_every_channel_that_is_polled_with_its_host_rate_and_moments(watched):
    last = polls(watched, 3, HOUR, 1)
    (planned,) = clock.lists(watched, frozenset({"站"}))
    assert (planned.host, planned.site, planned.weight, planned.polled_at) == ("a.cn", "站", 5, last)
    assert planned.rate == rate(watched)
    assert planned.due_at == row(watched, LIST).due_at
    assert clock.lists(watched, frozenset()) == []


def test_a_poll_of_a_page_that_is_no_channel_any_more_is_settled_as_its_outcome_says(watched):
    watched.execute(text("DELETE FROM channels"))
    saved = polled(watched, NOW, settlement=replace(POLLED, due_at=NOW + 60))
    assert (saved.lesson, row(watched, LIST).due_at) == (None, NOW + 60)


def test_a_list_that_redirects_is_polled_and_learned_like_any_other_by_what_its_target_shows(watched):
    moved = replace(POLLED, reason=Reason.REDIRECT, status=301)
    polled(watched, NOW, settlement=moved)
    polled(watched, NOW, url=FURTHER, cycle=None)
    for n in range(1, 30):
        polled(watched, NOW + n * HOUR, settlement=moved)
        polled(watched, NOW + n * HOUR + 1, [2 * n, 2 * n + 1], url=FURTHER, cycle=None)
    assert rate(watched) == pytest.approx(48, rel=0.3)
    assert row(watched, LIST).due_at > NOW + 29 * HOUR + 300


@pytest.mark.parametrize("reason", [Reason.CONTENT_TYPE, Reason.ROBOTS, Reason.ADDRESS, Reason.DROPPED])
def test_a_page_that_is_no_list_is_polled_no_more_often_than_an_unknown_list(watched, reason):
    polled(watched, NOW)
    usual = row(watched, LIST).due_at - NOW
    polled(watched, NOW + DAY, settlement=Settlement(State.DONE, reason, NOW + DAY + 60))
    assert row(watched, LIST).due_at - NOW - DAY == pytest.approx(usual, rel=0.01)


def test_a_list_that_was_given_back_is_due_as_it_was(watched):
    polled(watched, NOW)
    polled(watched, NOW + DAY, settlement=Settlement(State.DONE, Reason.RELEASED, NOW + DAY))
    assert row(watched, LIST).due_at == NOW + DAY


def test_a_list_that_fails_between_two_good_polls_teaches_all_the_same(watched):
    for n in range(40):
        failed = Settlement(State.DONE, Reason.RETRY, NOW + n * HOUR + 5, 1, status=503)
        polled(watched, NOW + n * HOUR, settlement=failed)
        polled(watched, NOW + n * HOUR + 5, [2 * n, 2 * n + 1])
    assert rate(watched) == pytest.approx(48, rel=0.25)


def advanced(conn, now=NOW, weight=5.0, limits=LIMITS, **options):
    polling = replace(POLLING, weight=weight, limits=limits)
    return clock.advance(conn, frozenset({"站"}), lambda _: polling, now, **options)


def test_a_list_whose_weight_rises_or_whose_longest_interval_falls_is_due_sooner_at_once(watched):
    polled(watched, NOW)
    old_due_at = row(watched, LIST).due_at
    assert advanced(watched) == 0
    assert advanced(watched, weight=10.0) == 1
    assert NOW < row(watched, LIST).due_at < old_due_at
    assert advanced(watched, limits=replace(LIMITS, longest=120.0)) == 1
    assert row(watched, LIST).due_at <= NOW + 120
    assert ledger.remaining(watched, "").due_at == row(watched, LIST).due_at
    assert advanced(watched, weight=1.0) == 0, "none is put off"


def test_a_list_whose_moment_is_lost_or_lies_in_the_future_is_found_again(watched):
    polled(watched, NOW)
    watched.execute(text("UPDATE urls SET due_at = NULL WHERE url = :url"), {"url": LIST})
    assert advanced(watched, lost_only=True) == 1
    assert row(watched, LIST).due_at < NOW + DAY
    month = 30 * DAY
    watched.execute(text("UPDATE urls SET due_at = :due, last_fetched_at = :due - 10 WHERE url = :url"), {"url": LIST, "due": NOW + month})
    assert advanced(watched, lost_only=True) == 1
    assert row(watched, LIST).due_at < NOW + DAY
    watched.execute(text("UPDATE urls SET due_at = :due, last_fetched_at = :due - 10 WHERE url = :url"), {"url": LIST, "due": NOW + month})
    again = replace(offer(LIST, kind=PageType.LIST), site="站", channel="要闻", update_cycle=DAY, again_before=NOW, due_at=NOW)
    ledger.offer(watched, [again], NOW)
    assert row(watched, LIST).due_at == NOW


def test_a_plan_sees_the_delay_of_each_host(watched):
    polled(watched, NOW, settlement=replace(POLLED, host_delay=7.5, host_delay_reason="crawl_delay"))
    (planned,) = clock.lists(watched, frozenset({"站"}))
    assert planned.delay == 7.5


def test_the_time_in_which_a_list_could_not_be_read_for_long_says_nothing_of_its_rate(watched):
    last = polls(watched, 20, HOUR, 2)
    old_rate = rate(watched)
    for n in range(1, 4):
        polled(watched, last + n * HOUR, settlement=Settlement(State.DONE, Reason.HTTP_STATUS, last, n, status=503))
    polled(watched, last + 8 * HOUR)
    assert rate(watched) == pytest.approx(old_rate, rel=1e-3)
    polled(watched, last + 16 * HOUR)
    assert rate(watched) < 0.9 * old_rate


def test_the_prices_that_are_kept_are_the_last_ones_of_each_topic(conn):
    assert clock.multipliers(conn, "education") == {}
    clock.keep_multipliers(conn, "education", {"": 0.5, "a.cn": 2.0, "b.cn": 3.0})
    clock.keep_multipliers(conn, "health", {"": 9.0, "a.cn": 8.0})
    clock.keep_multipliers(conn, "education", {"": 0.7, "b.cn": 4.0})
    assert clock.multipliers(conn, "education") == {"": 0.7, "b.cn": 4.0}
    assert clock.multipliers(conn, "health") == {"": 9.0, "a.cn": 8.0}


def test_a_channel_knows_its_last_poll(watched):
    polled(watched, NOW, [1], item_count=2)
    row = watched.execute(text("SELECT polls, last_polled_at, last_status, last_links, last_new FROM channels")).one()
    assert row == (1, NOW, 200, 2, 1)


def test_a_list_that_was_asked_for_before_and_stored_since_counts_as_read(watched):
    lease = lease_on(watched, LIST, kind=PageType.LIST, site="站", channel="要闻", update_cycle=60.0)
    pages.save(watched, PageResult(lease, POLLED, effects=(POLLING,)), NOW + 5)
    assert ledger.list_read_since(watched, {"站"}, NOW + 3)
    assert not ledger.list_read_since(watched, {"站"}, NOW + 6)
