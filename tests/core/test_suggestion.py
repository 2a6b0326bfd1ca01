"""Which lists are worth watching, and how heavy they would be."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.first_source import Copy
from newsspider.core.model import Kind
from newsspider.core.suggestion import (
    DAY,
    HEAVIEST,
    MOST_A_SITE,
    MOST_CHOICES,
    Kept,
    LeftOut,
    Listed,
    Suggested,
    Thresholds,
    least_share,
    names_itself,
    original_of,
    rate_of,
)
from newsspider.core.suggestion import suggested as decided

NOW = 1_800_000_000.0
TODAY = date(2027, 1, 15)


def listed(path: str, good: Iterable[int], bad: Iterable[int] = (), more: Iterable[int] = (), host: str = "a.cn", **values) -> Listed:
    """A list that shows these articles on topic (one every six hours), these off topic, and these that were not read."""
    articles = {key: Kept(NOW - (place + 1) * DAY / 4) for place, key in enumerate(good)}
    told = {"kind": Kind.LIST, "visited_at": NOW, "kept": articles, "refused": frozenset(bad), "shown": frozenset((*good, *bad, *more))}
    return Listed(f"http://{host}/{path}", **told | values)


def suggested(*lists: Listed, **values) -> Suggested:
    return decided(lists, TODAY, **values)


def paths(found: Suggested) -> list[list[str]]:
    return [[each.url.removeprefix("http://") for each in site] for site in found.sites]


@given(st.integers(1, 500), st.data())
def test_the_bound_lies_below_the_share_and_rises_with_what_was_read_and_kept(read, data):
    kept = data.draw(st.integers(0, read))
    bound = least_share(kept, read)
    assert 0 <= bound <= kept / read
    assert least_share(2 * kept, 2 * read) >= bound
    assert least_share(kept + 1, read + 1) >= bound


def test_the_bound_is_that_of_wilson():
    assert least_share(81, 263) == pytest.approx(0.2553, abs=1e-4)  # Newcombe (1998), table I
    assert least_share(15, 148) == pytest.approx(0.0624, abs=1e-4)
    assert least_share(0, 20) == least_share(0, 0) == 0


def test_one_of_one_does_not_win():
    one = listed("one/", range(1))
    many = listed("many/", range(10, 25), range(50, 53))
    assert one.share > many.share
    assert one.worth < many.worth
    assert paths(suggested(one, many)) == [["a.cn/many/"]]


def test_what_a_choosing_crawl_left_unread_counts_a_quarter():
    half = {"good": range(8), "bad": range(10, 12), "more": range(20, 30)}
    chosen, taken = listed("a/", **half, choosing=True), listed("a/", **half)
    assert (taken.share, chosen.share) == (0.8, pytest.approx(0.8 * 0.625))
    assert chosen.least_share == pytest.approx(taken.least_share * 0.625)
    assert listed("a/", range(8), range(10, 12), choosing=True).share == 0.8, "nothing was left"


def test_the_rate_is_that_of_the_younger_half():
    hours = [3600.0 * n for n in range(1, 21)]
    assert rate_of(hours) == pytest.approx(24)
    assert rate_of([*hours, 4e8, 5e8]) == pytest.approx(24)
    assert rate_of([age + 400 * DAY for age in hours]) < 0.05, "nothing was added for a year"
    assert rate_of([-50.0]) == 24, "a moment to come is no infinite rate"


def test_articles_without_a_time_count_for_the_rate_as_those_with_one():
    timed = listed("a/", range(4))
    some = listed("a/", range(4), kept={**timed.kept, **{key: Kept() for key in range(10, 14)}})
    assert some.a_day == pytest.approx(2 * timed.a_day)


def test_without_times_the_visits_tell_the_rate():
    untimed = {key: Kept() for key in range(6)}
    assert listed("a/", range(6), kept=untimed).a_day is None
    assert listed("a/", range(6), kept=untimed, first_visit_at=NOW - 60, later=2).a_day is None, "a minute says nothing"
    assert listed("a/", range(6), kept=untimed, first_visit_at=NOW - DAY / 2, later=2).a_day == pytest.approx(4)


def test_a_weight_follows_share_and_rate():
    pure = listed("a/", range(60))
    mixed = listed("b/", range(30), range(100, 130))
    slow = listed("c/", range(60), kept={key: Kept(NOW - key * 10 * DAY) for key in range(60)})
    assert [each.weight for each in (pure, mixed, slow)] == [6, 3, 2]
    fast = listed("d/", range(400), kept={key: Kept(NOW - key * 60) for key in range(400)})
    assert fast.weight == HEAVIEST


def test_a_list_that_mostly_reprints_is_lighter():
    own = listed("a/", range(20))
    taken = listed("a/", range(20), kept={key: each._replace(original=key < 8) for key, each in own.kept.items()})
    assert taken.original == 0.4
    assert taken.weight == own.weight - 1


@pytest.mark.parametrize(
    ("copies", "original"),
    [
        ([Copy("http://a.cn/1", "a")], "http://a.cn/1"),
        ([Copy("http://a.cn/1", "a", "新华社")], None),
        ([Copy("http://a.cn/1", "a", published_at=5), Copy("http://b.cn/1", "b", published_at=3)], "http://b.cn/1"),
        ([Copy("http://a.cn/1", "a", published_at=5), Copy("http://b.cn/1", "b", "新华社", published_at=3)], "http://a.cn/1"),
    ],
)
def test_an_original_is_the_first_of_its_copies_and_names_no_other(copies, original):
    assert original_of(copies) == original


@pytest.mark.parametrize(("source", "own"), [("示例教育网", True), ("示例", True), ("新华网", False), ("", False), (None, False)])
def test_a_site_that_names_itself_as_source_is_told_by_its_titles(source, own):
    assert names_itself(source, "校长谈改革_示例　教育网") is own


def test_a_list_whose_articles_a_better_one_shows_is_not_suggested_too():
    parent = listed("edu/", range(20))
    part = listed("edu/gaokao/", range(9))
    beside = listed("edu/college/", range(100, 110), more=range(5))
    found = suggested(part, beside, parent)
    assert paths(found) == [["a.cn/edu/", "a.cn/edu/college/"]]
    assert found.left_out == {LeftOut.REPEATED: 1}


def test_several_better_lists_together_may_show_all_of_another():
    mixed = listed("all/", [*range(10, 20), *range(30, 40)], range(100, 120))
    found = suggested(listed("a/", range(20)), listed("b/", range(30, 50)), mixed)
    assert paths(found) == [["a.cn/a/", "a.cn/b/"]]


def test_what_was_not_read_may_be_new():
    parent = listed("edu/", range(20))
    half_read = listed("more/", range(8), more=range(200, 210))
    assert paths(suggested(parent, half_read)) == [["a.cn/edu/", "a.cn/more/"]]
    refused = listed("more/", range(8), bad=range(200, 205))
    assert suggested(parent, refused).left_out == {LeftOut.REPEATED: 1}, "what is off topic adds nothing"


def test_what_watched_lists_show_is_nothing_new():
    found = suggested(listed("a/", range(20)), listed("b/", range(30, 50)), watched={"http://a.cn/a/"}, had=set(range(30, 50)))
    assert found.sites == ()
    assert found.left_out == {LeftOut.WATCHED: 1, LeftOut.REPEATED: 1}


def test_a_part_of_a_watched_list_is_nothing_new():
    found = suggested(listed("edu/gaokao/", range(9)), listed("edu/", range(20)), watched={"http://a.cn/edu/"})
    assert (found.sites, found.left_out) == ((), {LeftOut.WATCHED: 1, LeftOut.REPEATED: 1})


def test_a_list_without_anything_on_topic_is_not_suggested_whatever_is_asked_for():
    found = suggested(listed("a/", (), range(5), range(10, 20)), at_least=Thresholds(0.0, 0))
    assert (found.sites, found.left_out) == ((), {LeftOut.IMPURE: 1})


def test_the_same_texts_at_other_urls_of_the_site_are_nothing_new():
    def texts(first: int) -> dict[int, Kept]:
        return {first + n: Kept(NOW - n * DAY / 4, text=n) for n in range(12)}

    page = listed("edu/", (), kept=texts(0), shown=frozenset(range(12)))
    mobile = listed("edu/", (), host="m.a.cn", kept=texts(100), shown=frozenset(range(100, 113)))
    other = listed("edu/", (), host="b.cn", kept=texts(200), shown=frozenset(range(200, 212)))
    found = suggested(page, mobile, other)
    assert sorted(paths(found)) == [["a.cn/edu/"], ["b.cn/edu/"]]
    assert found.left_out == {LeftOut.REPEATED: 1}


def test_of_equal_lists_the_feed_is_taken():
    page, feed = listed("edu/", range(20)), listed("edu/rss.xml", range(20), kind=Kind.FEED)
    assert paths(suggested(page, feed)) == [["a.cn/edu/rss.xml"]]


def test_sections_go_before_tags_and_lists_with_query_strings():
    section = listed("edu/", range(20), range(50, 55))
    tag = listed("tag/gaokao/", range(18))
    asked = listed("list.asp?sort=hits", range(20))
    assert tag.worth > section.worth
    assert paths(suggested(tag, asked, section)) == [["a.cn/edu/"]]


def test_choices_of_one_kind_do_not_crowd_the_others_out():
    made = [listed(f"list.asp?id={n}", range(n * 100, n * 100 + 20)) for n in range(1, 9)]
    section = listed("edu/", range(6))
    found = suggested(*made, section)
    assert [path.partition("?")[0] for path in paths(found)[0]] == ["a.cn/edu/", *["a.cn/list.asp"] * MOST_CHOICES]
    assert found.left_out == {LeftOut.CROWDED: 8 - MOST_CHOICES}


def test_no_site_has_too_many_lists():
    found = suggested(*(listed(f"s{n}/", range(n * 100, n * 100 + 20)) for n in range(MOST_A_SITE + 3)))
    assert [len(site) for site in found.sites] == [MOST_A_SITE]
    assert found.left_out == {LeftOut.CROWDED: 3}


@pytest.mark.parametrize(
    ("path", "values", "reason"),
    [
        ("search?q=edu", {}, LeftOut.SEARCH),
        ("index_3.html", {}, LeftOut.FURTHER),
        ("b/", {"further": True}, LeftOut.FURTHER),
        ("b/", {"anchor": "2"}, LeftOut.FURTHER),
        ("a/b/a/b/a/b/a/b/", {}, LeftOut.TRAP),
        ("old/", {"visited_at": NOW + 3000 * DAY}, LeftOut.STALE),
    ],
)
def test_what_is_no_channel_is_told_with_its_reason(path, values, reason):
    found = suggested(listed(path, range(20), **values))
    assert (found.sites, found.left_out) == ((), {reason: 1})


def test_the_thresholds_are_those_that_are_given():
    few, impure = listed("a/", range(4)), listed("b/", range(20, 26), range(50, 70))
    assert suggested(few, impure).left_out == {LeftOut.FEW: 1, LeftOut.IMPURE: 1}
    assert paths(suggested(few, impure, at_least=Thresholds(0.1, 4))) == [["a.cn/a/", "a.cn/b/"]]


def test_lists_are_told_by_domain_the_worthiest_first():
    found = suggested(
        listed("x/", range(6), host="one.cn"),
        listed("", range(100, 140), host="www.two.com.cn"),
        listed("", range(200, 220), host="edu.two.com.cn"),
    )
    assert paths(found) == [["www.two.com.cn/", "edu.two.com.cn/"], ["one.cn/x/"]]
