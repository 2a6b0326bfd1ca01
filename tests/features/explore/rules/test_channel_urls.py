"""Whether a list may be a channel, judged by its URL."""

from newsspider.features.explore.rules.channel_urls import choices_of, is_choice, is_further_page, is_search
from tests.support.tables import each


@each(
    "path",
    [
        "search?q=gaokao", "search/gaokao/", "so.php?keyword=%E9%AB%98%E8%80%83", "?s=%BD%CC", "plus/search.php?kwtype=0&keyword=a",
        "site_search.html", "index.php?m=search&key=school", "news.asp?KeyWord=edu",
    ],
)  # fmt: skip
def test_answers_to_a_search_are_known_by_their_words(path):
    assert is_search(f"http://a.cn/{path}")


def test_a_host_for_searching_gives_answers_only():
    assert is_search("http://search.a.cn/edu/")
    assert is_search("https://sousuo.www.gov.cn/")
    assert not is_search("http://research.a.cn/")


@each("path", ["list.asp?id=7", "list.asp?key=12", "keywords-of-education/", "research/", "?cat=3", "news/", ""])
def test_sections_are_no_searches(path):
    assert not is_search(f"http://a.cn/{path}")


@each("path", ["list.asp?id=7&page=2", "?paged=3", "news/page/2", "edu/index_1.html", "e/index-12.shtml", "l?start=2"])
def test_further_pages_are_known_by_their_number(path):
    assert is_further_page(f"http://a.cn/{path}")


@each("path", ["list.asp?id=7&page=1", "list_12.html", "news/page/1/", "index.html", "list-7/", "l?start=0", "?page=x"])
def test_first_pages_are_no_further_ones(path):
    assert not is_further_page(f"http://a.cn/{path}")


NUMBERS = [("2", True), (" [3] ", True), ("【12】", True), ("第2页", True), ("第2期", False), ("", False), ("3月", False)]


@each(("anchor", "further"), NUMBERS)
def test_a_link_that_is_a_number_leads_to_a_further_page(anchor, further):
    assert is_further_page("http://a.cn/list_3.html", anchor) is further


def test_choices_of_one_kind_have_their_place_in_common():
    assert choices_of("http://a.cn/l.asp?a=1") == choices_of("http://a.cn/l.asp?a=2&b=3")
    assert choices_of("http://a.cn/tag/1/") == choices_of("http://a.cn/tag/2")
    assert is_choice("http://a.cn/tags/")
    assert not is_choice("http://a.cn/stage/2/")
