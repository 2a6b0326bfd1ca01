from newsspider.core.extraction.dom.page import Page, parse
from newsspider.core.links.page_links import Listing, listing_of
from newsspider.core.model import LinkKind, Standing
from tests.support.list_pages import MAKES, ListPage, list_page
from tests.support.tables import each

URL = "http://www.example.edu.cn/jyxw/"
HEAD = '<div class="nav"><a href="/">首页</a> <a href="/jyxw/">教育新闻</a></div>'
FOOT = '<div class="footer"><a href="/about.html">关于我们</a></div>'


def rows(first: int, count: int, title: str = "教育部部署春季学期中小学工作第{}号") -> str:
    return "".join(f'<li><a href="/jyxw/202405/t{n}.html">{title.format(n)}</a></li>' for n in range(first, first + count))


def page(body: str) -> Page:
    return parse(f"<html><head><title>x</title></head><body>{HEAD}{body}{FOOT}</body></html>".encode(), URL)


def read(source: ListPage, known_paths: tuple[str, ...] = ()) -> tuple[Page, Listing]:
    tree = parse(source.body, source.url, "text/html")
    return tree, listing_of(tree, known_paths=known_paths)


OLD = f'<div class="news"><ul class="list">{rows(4000, 8)}</ul></div>'
NEW = f'<section id="stream"><dl class="cards">{rows(4000, 8).replace("li>", "dd>")}</dl></section>'
STOOD = ('//ul[contains(concat(" ", normalize-space(@class), " "), " list ")]/li/a',)


def test_where_a_list_stands_is_learned_as_an_xpath_that_people_can_read() -> None:
    layout = listing_of(page(OLD)).layout
    assert layout == (Standing.LEARNED, STOOD)
    assert [link.get("href") for link in page(OLD).tree.xpath(STOOD[0])] == [f"/jyxw/202405/t{n}.html" for n in range(4000, 4008)]


@each("make", MAKES)
def test_learned_xpaths_give_the_articles_of_the_page_and_hardly_anything_else(make: str) -> None:
    selected_count = true_count = hits = 0
    for seed in range(6):
        tree, listing = read(list_page(make, seed))
        assert listing.layout.standing is Standing.LEARNED
        selected_urls = {link.get("href") for path in listing.layout.paths for link in tree.tree.xpath(path)}
        truth = set(list_page(make, seed).articles)
        selected_count, true_count = selected_count + len(selected_urls), true_count + len(truth)
        hits += len({str(url) for url in selected_urls} & truth)
    assert (hits >= 0.95 * selected_count, hits >= 0.9 * true_count) == (True, True), (hits, selected_count, true_count)


@each("make", MAKES)
def test_the_known_place_of_a_list_is_kept(make: str) -> None:
    for seed in range(6):
        source = list_page(make, seed)
        known_paths = read(source)[1].layout.paths
        assert read(source, known_paths)[1].layout == (Standing.KEPT, known_paths)


def test_other_articles_in_the_same_place_and_a_new_block_are_no_redesign() -> None:
    body = f'<div class="news"><ul class="list">{rows(5000, 6)}</ul></div><div class="zt"><p>{rows(6000, 5).replace("li>", "b>")}</p></div>'
    listing = listing_of(page(body), known_paths=STOOD)
    assert listing.layout == (Standing.KEPT, STOOD)
    assert sum(link.kind is LinkKind.ARTICLE for link in listing.links) == 11


def test_a_redesign_is_noticed_and_the_list_is_learned_again_from_the_same_page() -> None:
    listing = listing_of(page(NEW), known_paths=STOOD)
    assert listing.layout == (Standing.MOVED, ('//dl[contains(concat(" ", normalize-space(@class), " "), " cards ")]/dd/a',))
    assert sum(link.kind is LinkKind.ARTICLE for link in listing.links) == 8
    assert listing_of(page(NEW), known_paths=listing.layout.paths).layout.standing is Standing.KEPT


def test_a_list_that_is_gone_is_lost_and_what_was_known_stays() -> None:
    assert listing_of(page("<p>网站维护中</p>"), known_paths=STOOD).layout == (Standing.LOST, STOOD)


def test_a_list_that_is_empty_today_is_kept() -> None:
    body = '<ul class="list"><li><a href="/jyxw/more/">更多</a></li></ul>'
    assert listing_of(page(body), known_paths=STOOD).layout.standing is Standing.KEPT


def test_nothing_is_learned_from_a_page_without_a_list() -> None:
    assert listing_of(page(f"<ul>{rows(4000, 2)}</ul>")).layout == (Standing.UNKNOWN, ())


def test_a_short_title_in_the_known_place_is_an_article() -> None:
    short = f'<ul class="list">{rows(4000, 3, "开学啦")}</ul>'
    kinds = [
        [link.kind for link in listing_of(page(short), known_paths=known_paths).links if "t40" in link.url] for known_paths in ((), STOOD)
    ]
    assert kinds == [[LinkKind.OTHER] * 3, [LinkKind.ARTICLE] * 3]


def test_regions_that_match_nothing_any_more_count_as_known() -> None:
    listing = listing_of(page(NEW), regions=('//ul[@class="list"]',))
    assert listing.layout.standing is Standing.MOVED
    assert sum(link.kind is LinkKind.ARTICLE for link in listing.links) == 8


def test_a_broken_known_xpath_names_nothing() -> None:
    listing = listing_of(page(OLD), known_paths=("//ul[", "count(//a)"))
    assert listing.layout == (Standing.MOVED, STOOD)


def test_names_that_machines_count_up_are_no_part_of_an_xpath() -> None:
    body = f'<div id="list20240517"><div class="x91023 news"><ul>{rows(4000, 5)}</ul></div></div>'
    (path,) = listing_of(page(body)).layout.paths
    assert (" news " in path, any(map(str.isdigit, path))) == (True, False)
