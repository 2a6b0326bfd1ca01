

from datetime import UTC, datetime
from typing import Any

from newsspider.core.extraction.article import ENOUGH_LETTERS, extract_article, record_of, summary_of
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article, ArticleRules, Link, LinkKind, PageType
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
MARKUP = """<html lang="zh-CN"><head><title>新学期的作业怎么写_某某网</title>
<meta name="keywords" content="作业,双减，学校 作业"><meta name="description" content="一句描述">
<link rel="canonical" href="{canonical}"></head><body><h1>新学期的作业怎么写</h1><h2>副题在这里</h2>
<div class="info">2024-03-05 14:08 来源：某某报</div><div class="content">{text}</div>
<div id="other"><p>另一块<b>文字</b></p><p>第二段</p></div>
<span class="when">3小时前</span><i class="by">文/王小明 李红</i></body></html>"""
TEXT = "<p>教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。</p>" * 4

URL = "http://news.example.cn/2026/c1.html"
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
PAGE = parse("<h1>标题</h1>".encode(), URL, "text/html; charset=utf-8")


def page(canonical: str = "/a/1.html"):  # type: ignore[no-untyped-def]
    return parse(MARKUP.format(canonical=canonical, text=TEXT).encode(), "http://www.example.cn/a/1.html?from=x")


def test_the_record_of_an_article_is_complete() -> None:
    article = extract_article(page(), NOW)
    assert article.title == "新学期的作业怎么写"
    assert article.text.split("\n") == ["教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。"] * 4
    assert article.published_at is not None
    assert article.published_at.isoformat() == "2024-03-05T14:08:00+08:00"
    assert article.source == "某某报"
    assert article.meta_keywords == ("作业", "双减", "学校")
    assert article.meta_description == "一句描述"
    assert article.meta_title == "新学期的作业怎么写_某某网"
    assert article.headings == ("新学期的作业怎么写", "副题在这里")
    assert article.canonical_url == "http://www.example.cn/a/1.html"
    assert article.language == "zh"
    assert article.keywords == ()


@each("canonical", ["http://elsewhere.test/1.html", "http://[", "javascript:x", "http://www.example.cn/", "/index.html"])
def test_a_canonical_url_elsewhere_or_of_the_home_page_is_not_believed(canonical: str) -> None:
    assert extract_article(page(canonical), NOW).canonical_url is None


def test_the_sites_xpaths_come_first() -> None:
    rules = ArticleRules(
        title="//h2", body="//div[@id='other']", date="//span[@class='when']", source="string(//b)", author="//i/text()"
    )
    article = extract_article(page(), NOW, rules)
    assert article.title == "副题在这里"
    assert article.text == "另一块文字\n第二段"
    assert article.published_at is not None
    assert article.published_at.isoformat() == "2024-06-15T05:00:00+08:00"
    assert article.source == "文字"
    assert article.authors == ("王小明", "李红")


def test_an_xpath_that_finds_nothing_leaves_the_field_to_the_general_reader() -> None:
    rules = ArticleRules(title="//h6", body="//article", date="//time", source="//nav", author="//nav")
    assert extract_article(page(), NOW, rules) == extract_article(page(), NOW)


@each(
    "xpath", ["//p[foo(.)]", "//p[position(1)]", "//p[$x]", "//p[x:y]", "count(//p)", "//p = 1", "//namespace::*", "//p["]
)
def test_an_xpath_that_fails_or_gives_no_text_leaves_the_field_to_the_general_reader(xpath: str) -> None:
    rules = ArticleRules(title=xpath, body=xpath, date=xpath, source=xpath, author=xpath)
    assert extract_article(page(), NOW, rules) == extract_article(page(), NOW)


def test_the_text_of_title_may_be_asked_for() -> None:
    assert extract_article(page(), NOW, ArticleRules(title="//title")).title == "新学期的作业怎么写_某某网"


@each(
    ("text", "language"),
    [
        ("これは日本語のニュースです。" * 9, "ja"),
        ("한국 뉴스입니다. " * 9, "ko"),
        ("This is some news, in English. " * 9, "en"),
    ],
)
def test_the_script_decides_the_language(text: str, language: str) -> None:
    assert extract_article(parse(f"<p>{text}</p>".encode(), "http://a.cn/"), NOW).language == language


@each(
    "markup",
    ["x", "<frameset><frame></frameset>", "<title></title>", "<table><td>", "<h1></h1>" * 9, "<a href=x>" * 99],
)
def test_a_page_of_nothing_is_read_as_nothing(markup: str) -> None:
    article = extract_article(parse(markup.encode(), "http://a.cn/"), NOW)
    assert article.published_at is None
    assert article.authors == ()


def test_the_title_that_stands_again_below_a_picture_at_the_end_is_no_line_of_the_text() -> None:
    markup = f"<title>新学期作业新规_某网</title><h1>新学期作业新规</h1><div>{TEXT}<p>新学期作业新规</p></div>"
    article = extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW)
    assert (article.title, "新学期作业新规" in article.text) == ("新学期作业新规", False)


@each(
    ("declared", "stored"),
    [
        (None, URL),
        ("/2026/c1.html#top", URL),
        ("http://www.example.cn/c1.html", "http://www.example.cn/c1.html"),
        ("http://other.cn/c1.html", URL),
    ],
)
def test_a_canonical_url_is_believed_on_the_same_site_only(declared: str | None, stored: str) -> None:
    assert record_of(PAGE, Article(canonical_url=declared), PageType.ARTICLE, (), MOMENT, url=URL).canonical_url == stored


def test_attachments_are_links_of_that_kind_by_their_canonical_urls_and_all_links_count() -> None:
    links = (Link("HTTP://a.cn/1.pdf#p2", kind=LinkKind.ATTACHMENT), Link("mailto:a@a.cn", kind=LinkKind.ATTACHMENT), Link("http://a.cn/2"))
    record = record_of(PAGE, Article(), PageType.ARTICLE, links, MOMENT, url=URL)
    assert (record.attachments, record.link_count) == (("http://a.cn/1.pdf",), 3)


def test_the_record_keeps_the_site_and_the_origin_of_the_page() -> None:
    known: dict[str, Any] = {"url": URL, "site": "某某网", "channel": "要闻", "media_class": "portal", "anchor": "链接", "priority": 7}
    record = record_of(PAGE, Article(title="标题"), PageType.BLOG, (), MOMENT, **known)
    assert {name: getattr(record, name) for name in known} == known
    assert (record.title, record.kind, record.crawled_at, record.charset, record.keywords) == ("标题", PageType.BLOG, MOMENT, "utf-8", ())


def test_a_summary_is_the_first_sentences_without_dateline() -> None:
    lines = [
        "图为上课的学生。王小明摄",
        "新华社北京3月5日电（记者王小明）教育部今天发布通知。通知要求各地落实方案！方案自九月起施行。第四句不要。",
    ]
    assert summary_of(lines) == "教育部今天发布通知。通知要求各地落实方案！方案自九月起施行。"


def test_a_third_sentence_is_taken_only_if_two_are_short() -> None:
    first, second, third = "第一句说了一件事，", "第二句说了别的，也很重要。", "第三句接着说下去。"
    short = "学校今天开学。"
    assert summary_of([short + second + third]) == short + second + third
    long = first + "很长" * (ENOUGH_LETTERS // 2) + "。"
    assert summary_of([long + second + third]) == long + second


def test_japan_and_electricity_are_no_datelines() -> None:
    line = "日本電子產品製造商索尼已經向政府申請繼續供貨，結果還不知道。"
    assert summary_of([line]) == line


def test_the_pages_own_description_serves_where_there_is_no_text() -> None:
    assert summary_of([], "页面自己的描述") == "页面自己的描述"
    assert summary_of([]) == ""


def test_subtitles_notices_and_lines_in_another_script_are_the_last_resort_of_a_summary() -> None:
    sentences = "教育部今天发布通知，要求各地落实方案。方案自九月起施行，家长可以提出意见。"
    poor_lines = (
        "本文原标题：《新方案九月施行，家长可以提出意见》",
        "新方案来了！哪些学校先行一步",
        "下载客户端看更多新闻，还有专享福利等着你哦！",
        "Your browser does not support this page. Would you like to go to our English site?",
    )
    for line in poor_lines:
        assert summary_of([line, sentences], title="新方案九月施行") == sentences, line
        assert summary_of([line, "太短。"], "页面自己的描述", "新方案九月施行") == "页面自己的描述", line
        assert line.startswith(summary_of([line, "太短。"], title="新方案九月施行")), line
    assert summary_of([poor_lines[3]], title="An English title") == poor_lines[3]
