"""Which lists are worth watching, and which say nothing new."""

from datetime import date

from newsspider.core.model import PageType
from newsspider.features.explore.rules.list_value import DAY, OnTopicArticle, ReadList
from newsspider.features.explore.rules.suggestions import MOST_A_SITE, MOST_CHOICES, Had, LeftOut, Suggested, Thresholds
from newsspider.features.explore.rules.suggestions import suggest_lists as decided
from tests.features.explore.rules.lists import NOW, listed
from tests.support.tables import each

TODAY = date(2027, 1, 15)


def suggested(*lists: ReadList, **values) -> Suggested:
    return decided(lists, TODAY, **values)


def paths(suggestion: Suggested) -> list[list[str]]:
    return [[listing.url.removeprefix("http://") for listing in site] for site in suggestion.sites]


def test_one_of_one_does_not_win():
    single = listed("one/", range(1))
    many = listed("many/", range(10, 25), range(50, 53))
    assert single.share > many.share
    assert single.worth < many.worth
    assert paths(suggested(single, many)) == [["a.cn/many/"]]


def test_a_list_whose_articles_a_better_one_shows_is_not_suggested_too():
    parent = listed("edu/", range(20))
    part = listed("edu/gaokao/", range(9))
    sibling = listed("edu/college/", range(100, 110), more=range(5))
    suggestion = suggested(part, sibling, parent)
    assert paths(suggestion) == [["a.cn/edu/", "a.cn/edu/college/"]]
    assert suggestion.left_out == {LeftOut.REPEATED: 1}


def test_several_better_lists_together_may_show_all_of_another():
    mixed = listed("all/", [*range(10, 20), *range(30, 40)], range(100, 120))
    suggestion = suggested(listed("a/", range(20)), listed("b/", range(30, 50)), mixed)
    assert paths(suggestion) == [["a.cn/a/", "a.cn/b/"]]


def test_what_was_not_read_may_be_new():
    parent = listed("edu/", range(20))
    half_read = listed("more/", range(8), more=range(200, 210))
    assert paths(suggested(parent, half_read)) == [["a.cn/edu/", "a.cn/more/"]]
    refused = listed("more/", range(8), bad=range(200, 205))
    assert suggested(parent, refused).left_out == {LeftOut.REPEATED: 1}, "what is off topic adds nothing"


def test_what_watched_lists_show_is_nothing_new():
    suggestion = suggested(listed("a/", range(20)), listed("b/", range(30, 50)), watched={"http://a.cn/a/"}, had=Had(set(range(30, 50))))
    assert suggestion.sites == ()
    assert suggestion.left_out == {LeftOut.WATCHED: 1, LeftOut.REPEATED: 1}


def test_a_part_of_a_watched_list_is_nothing_new():
    suggestion = suggested(listed("edu/gaokao/", range(9)), listed("edu/", range(20)), watched={"http://a.cn/edu/"})
    assert (suggestion.sites, suggestion.left_out) == ((), {LeftOut.WATCHED: 1, LeftOut.REPEATED: 1})


def test_a_list_without_anything_on_topic_is_not_suggested_whatever_is_asked_for():
    suggestion = suggested(listed("a/", (), range(5), range(10, 20)), at_least=Thresholds(0.0, 0))
    assert (suggestion.sites, suggestion.left_out) == ((), {LeftOut.IMPURE: 1})


def test_the_same_texts_at_other_urls_of_the_site_are_nothing_new():
    def texts(first: int) -> dict[int, OnTopicArticle]:
        return {first + n: OnTopicArticle(NOW - n * DAY / 4, text=n) for n in range(12)}

    page = listed("edu/", (), kept=texts(0), shown=frozenset(range(12)))
    mobile = listed("edu/", (), host="m.a.cn", kept=texts(100), shown=frozenset(range(100, 113)))
    other = listed("edu/", (), host="b.cn", kept=texts(200), shown=frozenset(range(200, 212)))
    suggestion = suggested(page, mobile, other)
    assert sorted(paths(suggestion)) == [["a.cn/edu/"], ["b.cn/edu/"]]
    assert suggestion.left_out == {LeftOut.REPEATED: 1}


def test_texts_that_watched_lists_showed_at_other_urls_of_the_site_are_nothing_new():
    def mirror(host: str) -> ReadList:
        kept = {n: OnTopicArticle(NOW - n * DAY / 4, text=n) for n in range(12)}
        return listed("edu/", (), host=host, kept=kept, shown=frozenset(range(12)))

    had = Had(texts={("a.cn", n) for n in range(12)})
    assert suggested(mirror("m.a.cn"), had=had).left_out == {LeftOut.REPEATED: 1}
    assert paths(suggested(mirror("b.cn"), had=had)) == [["b.cn/edu/"]]


def test_of_equal_lists_the_feed_is_taken():
    page, feed = listed("edu/", range(20)), listed("edu/rss.xml", range(20), kind=PageType.FEED, visited_at=NOW + 60)
    assert page.worth > feed.worth
    assert paths(suggested(page, feed)) == [["a.cn/edu/rss.xml"]]


def test_sections_go_before_tags_and_lists_with_query_strings():
    section = listed("edu/", range(20), range(50, 55))
    tag = listed("tag/gaokao/", range(18))
    query_list = listed("list.asp?sort=hits", range(20))
    assert tag.worth > section.worth
    assert paths(suggested(tag, query_list, section)) == [["a.cn/edu/"]]


def test_choices_of_one_kind_do_not_crowd_the_others_out():
    query_lists = [listed(f"list.asp?id={n}", range(n * 100, n * 100 + 20)) for n in range(1, 9)]
    section = listed("edu/", range(6))
    suggestion = suggested(*query_lists, section)
    assert [path.partition("?")[0] for path in paths(suggestion)[0]] == ["a.cn/edu/", *["a.cn/list.asp"] * MOST_CHOICES]
    assert suggestion.left_out == {LeftOut.CROWDED: 8 - MOST_CHOICES}


def test_no_site_has_too_many_lists():
    suggestion = suggested(*(listed(f"s{n}/", range(n * 100, n * 100 + 20)) for n in range(MOST_A_SITE + 3)))
    assert [len(site) for site in suggestion.sites] == [MOST_A_SITE]
    assert suggestion.left_out == {LeftOut.CROWDED: 3}


@each(
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
    suggestion = suggested(listed(path, range(20), **values))
    assert (suggestion.sites, suggestion.left_out) == ((), {reason: 1})


def test_the_thresholds_are_those_that_are_given():
    few, impure = listed("a/", range(4)), listed("b/", range(20, 26), range(50, 70))
    assert suggested(few, impure).left_out == {LeftOut.FEW: 1, LeftOut.IMPURE: 1}
    assert paths(suggested(few, impure, at_least=Thresholds(0.1, 4))) == [["a.cn/a/", "a.cn/b/"]]


def test_lists_are_told_by_domain_the_worthiest_first():
    suggestion = suggested(
        listed("x/", range(6), host="one.cn"),
        listed("", range(100, 140), host="www.two.com.cn"),
        listed("", range(200, 220), host="edu.two.com.cn"),
    )
    assert paths(suggestion) == [["www.two.com.cn/", "edu.two.com.cn/"], ["one.cn/x/"]]
