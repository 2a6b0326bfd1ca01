import json
from datetime import UTC, datetime

from newsspider.core.extraction.dom.page import Page, parse
from newsspider.core.links.article_parts import (
    begun_article,
    continued_article,
    is_part,
    joined,
    next_part,
    part_of,
    partial_anchor,
    partial_article,
    same_title,
)
from newsspider.core.links.page_links import page_links
from newsspider.core.model import Article, ArticlePart, Image, PageType, StoredArticle
from tests.support.tables import each

URL = "http://www.example.cn/2024/05/c12345.html"


def page(links: str, url: str = URL) -> Page:
    return parse(f"<h1>标题</h1><p>第一页的正文。</p>{links}".encode(), url)


def following(links: str, url: str = URL) -> str | None:
    read = page(links, url)
    return next_part(read, page_links(read))


@each(
    ("url", "links", "expected"),
    [
        (URL, "<a href='c12345_2.html'>下一页</a>", "c12345_2.html"),
        (URL, "<a href='c12345_1.html'>下一页</a>", "c12345_1.html"),
        (URL, "<a href='c12345_2.html'>2</a><a href='c12345_3.html'>3</a>", "c12345_2.html"),
        (URL, "<a href='c12345-2.html'>[2]</a>", "c12345-2.html"),
        (URL, "<a href='c12345.html?page=2'>下一頁 &gt;</a>", "c12345.html?page=2"),
        (URL.replace(".html", "_2.html"), "<a href='c12345.html'>1</a><a href='c12345_3.html'>下页</a>", "c12345_3.html"),
        (URL, "<script>createPageHTML(3, 0, 'c12345', 'html')</script>", "c12345_1.html"),
        (URL, "<a href='c12345_2.html'>余下全文</a>", "c12345_2.html"),
        (URL, "<a href='c12345_2.html'>点击图片进入下一页</a>", "c12345_2.html"),
        (URL, "<b>1</b><a href='c12345_2.html'>&gt;</a>", "c12345_2.html"),
        (URL, "<a rel='next' href='c12345_2.html'>2/3</a>", "c12345_2.html"),
        (URL, "<link rel='next' href='c12345_2.html'>", "c12345_2.html"),
        (URL, "<a href='c12345_p2.html'>下一页</a>", "c12345_p2.html"),
        (URL + "?a=1&b=2", "<a href='c12345.html?b=2&a=1&page=2'>下一页</a>", "c12345.html?b=2&a=1&page=2"),
        (URL + "?p=77", "<a href='c12345.html?p=77&page=2'>2</a>", "c12345.html?p=77&page=2"),
        ("http://www.example.cn/2024/05/", "<a href='index_2.html'>下一页</a>", "index_2.html"),
        ("http://www.example.cn/2024/05/a/", "<a href='page/2/'>下一页</a>", "a/page/2/"),
        (URL, "<a href='https://www.example.cn/2024/05/c12345_2.html'>下一页</a>", "c12345_2.html"),
    ],
)
def test_the_next_page_of_the_article_is_found(url: str, links: str, expected: str) -> None:
    assert following(links, url) == f"http://www.example.cn/2024/05/{expected}"


@each(
    "links",
    [
        "",
        "<a href='c12346.html'>下一页</a>",
        "<a href='c12345.html'>下一页</a>",
        "<a href='c12345_2.html'>下一篇：另一件事</a>",
        "<a href='c12346_2.html'>2</a>",
        "<a href='c12345_3.html'>下一页</a>",
        "<a href='c12345_2024.html'>下一页</a>",
        "<a href='http://other.example/2024/05/c12345_2.html'>下一页</a>",
        "<a href='http://www[.example.cn/2024/05/c12345_2.html'>下一页</a>",
        "<script>createPageHTML(1, 0, 'c12345', 'html')</script>",
        "<script>createPageHTML(3, 0, 'index', 'html')</script>",
    ],
)
def test_what_is_another_article_or_a_list_is_no_next_page(links: str) -> None:
    assert following(links) is None


NEIGHBOURS = [
    ("http://www.example.cn/show_17.html", "/show_18.html"),
    ("http://www.example.cn/archives/17/", "/archives/18/"),
    ("http://www.example.cn/?p=17", "/?p=18"),
    ("http://www.example.cn/?p=1", "/?p=2"),
    ("http://www.example.cn/news/2026-11", "/news/2026-12"),
]


@each(("url", "following_url"), NEIGHBOURS)
@each("text", ["下一页", "Next »"])
def test_the_next_number_alone_is_the_next_article(url: str, following_url: str, text: str) -> None:
    assert following(f"<a href='{following_url}'>{text}</a>", url) is None


@each(("url", "following_url"), NEIGHBOURS)
def test_the_next_number_is_that_of_a_part_behind_a_further_page_or_with_a_pager(url: str, following_url: str) -> None:
    expected = "http://www.example.cn" + following_url
    onward = f"<a href='{following_url}'>下一页</a>"
    read = page(onward, url)
    assert next_part(read, page_links(read), further=True) == expected
    assert following(f"<div>1 <a href='{following_url}'>2</a></div>", url) == expected


def test_a_first_page_is_known_by_its_number_where_only_parts_have_one() -> None:
    assert following("<a href='split_2.html'>下一页</a>", "http://www.example.cn/a/split_1.html") == "http://www.example.cn/a/split_2.html"
    assert following("<a href='?id=7&page=2'>下一页</a>", "http://www.example.cn/a?id=7&page=1") == "http://www.example.cn/a?id=7&page=2"


@each("mark", ["(2)", "（2/3）", " 第2页", "_2", " 2/3", "[2]", "（第二页）", "！"])
def test_a_title_is_the_same_whatever_it_says_of_the_page(mark: str) -> None:
    assert same_title("高考改革方案", "高考改革方案" + mark)


@each("other", ["中考改革方案", "高考改革方案解读", "高考改革方案（二）", "高考改革方案2", ""])
def test_another_title_is_another(other: str) -> None:
    assert not same_title("高考改革方案", other)


@each(
    ("title", "meta_title", "body", "goes_on"),
    [
        ("强基计划录取办法（2）", "强基计划录取办法（2）_某网", "", True),
        (None, None, "", True),
        ("某某新闻网", "某某新闻网", "<td>强基计划录取办法</td>", True),
        ("某某新闻网", "某某新闻网", "<a href=/1>强基计划录取办法</a>", False),
        ("考研成绩查询通知", "强基计划录取办法", "", False),
        ("考研成绩查询通知", "考研成绩查询通知", "", False),
    ],
)
def test_a_page_with_another_title_is_another_article(title: str | None, meta_title: str | None, body: str, goes_on: bool) -> None:
    first = stored(title="强基计划录取办法", meta_title="某某新闻网")
    assert is_part(page(body), Article(title=title, meta_title=meta_title, text="二。"), first) is goes_on


def test_the_last_page_and_the_one_before_lead_nowhere() -> None:
    assert following("<a href='c12345_2.html'>上一页</a><a href='c12345_2.html'>2</a>", URL.replace(".html", "_3.html")) is None


def test_a_date_is_no_number_of_a_part() -> None:
    assert part_of("http://www.example.cn/a/t20240501_123456.html")[1] is None


def test_what_every_page_repeats_stands_once() -> None:
    assert joined(["导语。\n一。", "导语。\n二。", ""]) == "导语。\n一。\n二。"
    assert joined([]) == ""


def stored(**overrides: object) -> StoredArticle:
    values = {
        "url": URL, "canonical_url": URL, "site": "s", "channel": "c", "media_class": "", "anchor": "a", "title": "标题", "authors": (),
        "source": None, "published_at": datetime(2024, 5, 1, 10, 0, tzinfo=UTC), "crawled_at": datetime(2024, 5, 2, tzinfo=UTC),
        "meta_keywords": ("教育",), "meta_description": None, "text": "一。", "summary": "一。", "keywords": (), "language": "zh",
        "charset": "utf-8", "kind": PageType.ARTICLE, "link_count": 3, "priority": 1, "snapshot": "ab", "content": b"x",
    }  # fmt: skip
    return StoredArticle(**{**values, **overrides})  # type: ignore[arg-type]


def test_an_article_goes_on_where_it_began() -> None:
    pictures = (Image("http://www.example.cn/1.jpg", "校园"), Image("http://www.example.cn/2.jpg"))
    changed = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
    first = stored(headings=("标题",), images=pictures[:1], modified_at=changed, parts=(ArticlePart(URL + "?1", "ef"),))
    further = stored(url=URL + "?2", title="标题(2)", text="二。", headings=(), published_at=None, snapshot="cd")
    partial = begun_article(partial_article(first), further)
    assert partial is not None
    whole = continued_article(partial, Article(text="二。", authors=("王小明",), editors=("李责编",), images=pictures))
    assert whole is not None
    assert (whole.editors, whole.modified_at, whole.images, whole.parts) == (("李责编",), changed, pictures, first.parts)
    assert (whole.url, whole.title, whole.text, whole.authors) == (URL, "标题", "一。\n二。", ("王小明",))
    assert (whole.published_at, whole.snapshot, whole.headings) == (first.published_at, "ab", ("标题",))


def test_an_article_was_read_when_its_first_page_was() -> None:
    """Otherwise "3分钟前" on the first page would mean another time when it is read again."""
    first, later = stored(), datetime(2024, 5, 2, 0, 7, tzinfo=UTC)
    partial = begun_article(partial_article(first), stored(url=URL + "?2", crawled_at=later))
    assert partial is not None
    assert partial.crawled_at == first.crawled_at


def test_a_partial_article_without_a_moment_is_of_that_of_the_further_page() -> None:
    fields = json.loads(partial_article(stored()))
    del fields["crawled_at"]
    later = datetime(2024, 5, 3, tzinfo=UTC)
    partial = begun_article(json.dumps(fields), stored(crawled_at=later))
    assert partial is not None
    assert partial.crawled_at == later


def test_a_partial_article_keeps_its_anchor_text() -> None:
    assert (partial_anchor(partial_article(stored(anchor="锚"))), partial_anchor("{}")) == ("锚", None)


def test_a_page_that_adds_nothing_is_no_further_page() -> None:
    assert continued_article(stored(text="一。\n二。"), Article(text="一。\n二。")) is None


@each("carried", ["", "{}", '{"energy": 3}', "????", "c$}"])
def test_state_of_another_kind_is_not_read_as_a_partial_article(carried: str) -> None:
    assert begun_article(carried, stored()) is None
