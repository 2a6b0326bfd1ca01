"""URLs that a site generates by the thousand share one pattern; the URLs of single articles have others."""

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.fetching.traps import PLACE, patterns_of, places_of
from newsspider.core.url import canonical
from tests.support.tables import each

ALIKE = [
    ("a calendar", "http://a.cn/calendar/2024-05-17", "http://a.cn/calendar/2031-11-02"),
    ("a calendar in the query", "http://a.cn/cal?y=2024&m=5", "http://a.cn/cal?m=12&y=1999"),
    ("session ids in the path", "http://a.cn/s-5f3e9ab2/news/17.html", "http://a.cn/s-c0ffee12ab/news/18.html"),
    ("session ids that look like a word and a number", "http://a.cn/s-abcdef1234/news/1.html", "http://a.cn/s-12345abcde/news/1.html"),
    ("session ids that look like a number", "http://a.cn/s-1234567890/news/1.html", "http://a.cn/s-12345abcde/news/1.html"),
    ("session ids behind the path", "http://a.cn/news/17.html;token=ab12cd34", "http://a.cn/news/3.html;token=99zz88yy77"),
    ("session ids in the query", "http://a.cn/news/17.html?visit=ab12", "http://a.cn/news/9.html?visit=zz99"),
    ("repeated segments", "http://a.cn/edu/list/edu/list/7.html", "http://a.cn/edu/list/edu/list/edu/list/edu/list/9.html"),
    ("endless pages", "http://a.cn/list_2.html", "http://a.cn/list_77001.html"),
    ("articles by day", "http://a.cn/2024/0517/t20240517_12.html", "http://a.cn/2023/1231/t20231231_999.html"),
    ("articles by title", "http://a.cn/post/jiaoyu-gaige-zhengce", "http://a.cn/post/gaokao-baoming"),
    ("long titles", "http://a.cn/w/the-minister-of-education-spoke-to-us-yesterday/", "http://a.cn/w/a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v/"),
    ("titles in Chinese", "http://a.cn/wiki/%E6%95%99", "http://a.cn/wiki/%E8%82%B2%E4%BA%BA"),
]
DIFFERENT = [
    ("another folder", "http://a.cn/edu/17.html", "http://a.cn/sports/17.html"),
    ("another suffix", "http://a.cn/edu/17.html", "http://a.cn/edu/17.shtml"),
    ("a query or none", "http://a.cn/edu/17.html", "http://a.cn/edu/17.html?print=1"),
    ("another host", "http://a.cn/edu/17.html", "http://b.a.cn/edu/17.html"),
    ("a path that repeats nothing", "http://a.cn/edu/list/7.html", "http://a.cn/edu/list/edu/list/7.html"),
    ("days in folders are no repetition", "http://a.cn/2024/05/17/1.html", "http://a.cn/2024/05/17/3/1.html"),
    ("another parameter", "http://a.cn/a?id=3", "http://a.cn/a?id=3&sort=time"),
]


@each(("rule", "first", "second"), ALIKE, ids=[row[0] for row in ALIKE])
def test_urls_made_by_one_rule_have_one_pattern(rule, first, second):
    assert patterns_of(first) == patterns_of(second)


@each(("rule", "first", "second"), DIFFERENT, ids=[row[0] for row in DIFFERENT])
def test_urls_made_by_different_rules_have_different_patterns(rule, first, second):
    assert patterns_of(first)[0] != patterns_of(second)[0]


def test_facets_have_one_wide_pattern_whatever_parameters_they_combine():
    facets = ["http://a.cn/find?color=red", "http://a.cn/find?color=red&size=3", "http://a.cn/find?brand=x&size=3&sort=up"]
    assert len({patterns_of(url)[0] for url in facets}) == 3
    assert {patterns_of(url)[1] for url in facets} == {"a.cn/find?*"}


def test_facets_in_the_path_have_one_wide_pattern():
    facets = ["http://a.cn/find/red/large/", "http://a.cn/find/red/large/cheap/", "http://a.cn/find/blue/small/new/x"]
    assert {patterns_of(url)[-1] for url in facets} == {"a.cn/find/**"}


@each("folders", ["aabb" * 500, "a" + "".join(chr(97 + n * n // 3 % 26) for n in range(2000)), "abc" * 660])
def test_a_path_of_thousands_of_folders_takes_no_time(folders):
    started = process_time()
    assert patterns_of(f"http://a.cn/{'/'.join(folders)}/7.html")[-1] == "a.cn/a/**"
    assert process_time() - started < 1


def test_numbers_as_folders_take_no_time():
    started = process_time()
    assert patterns_of(f"http://a.cn/{'1/' * 1900}7.html")[-1] == "a.cn/#/**"
    assert process_time() - started < 0.4


def test_a_loop_around_a_repeated_folder_has_one_pattern():
    assert patterns_of(f"http://a.cn/{'x/a/a/' * 2}7.html") == patterns_of(f"http://a.cn/{'x/a/a/' * 9}7.html")


SEGMENTS = ("news", "2024", "ab12cd3", "a-b", "list", "%E6", "t1_2.html")


@given(st.lists(st.sampled_from(SEGMENTS), max_size=9), st.sampled_from(["", "?a=1&b=2", "?b=3&a"]))
def test_every_url_has_patterns_of_its_host_the_narrowest_first(segments, query):
    url = canonical(f"http://a.cn/{'/'.join(segments)}{query}")
    assert url is not None
    patterns = patterns_of(url)
    assert 1 <= len(patterns) <= 3
    assert all(pattern.startswith("a.cn/") for pattern in patterns)
    assert not patterns[0].endswith(("?*", "/**"))
    assert all(pattern.endswith(("?*", "/**")) for pattern in patterns[1:])


SESSIONS = ("7", "20241105", "5f3e9ab2", "ab12cd3ef", "c1", "s-88f1")
URLS = ("http://a.cn/{}/read/17.html", "http://a.cn/news/{}", "http://a.cn/2024/t{}_5.html?a=1", "http://a.cn/17.html?a=1&tk={}&b", "http://a.cn/7/7/{}/7")


@given(st.sampled_from(URLS), st.sampled_from(SESSIONS), st.sampled_from(SESSIONS))
def test_two_urls_that_differ_in_one_part_have_just_that_place_in_common(url, first, second):
    common = set(places_of(url.format(first))) & set(places_of(url.format(second)))
    if first == second:
        assert common == set(places_of(url.format(first)))
    else:
        assert len(common) == 1
        assert all(name.count(PLACE) == bare.count(PLACE) == 1 for name, bare in common)


def test_words_are_no_places_and_urls_that_differ_in_two_parts_have_none_in_common():
    assert places_of("http://a.cn/news/edu/") == ()
    assert not set(places_of("http://a.cn/s1/7.html")) & set(places_of("http://a.cn/s2/8.html"))
