import re

import pytest

from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of
from newsspider.core.model import LinkKind
from tests.support.tables import each

URL = "http://www.example.cn/"
NAV = '<div class="nav"><a href="/">首页</a> <a href="/jyxw/">教育新闻</a> <a href="/about.html">关于我们</a></div>'
SUMMARY = "记者昨天从这次会议上获悉，今年秋季学期起，全市各校将统一调整作息安排，同时延长课后服务的时间，家长可以自愿选择，办法另行公布。"
SCHOOLS = ("第一中学", "实验小学", "师范学院", "职业学校", "外语学校")
EVENTS = (
    "举行新学期的开学典礼",
    "公布今年的招生计划",
    "启动课程改革试点",
    "迎来首批留学生",
    "建成新的图书馆",
    "开放操场给居民",
)
TITLES = tuple(f"{school}{event}" for event in EVENTS for school in SCHOOLS)


def entries(count: int, start: int = 0, date: str = "", summary: str = "", form: str = "li") -> str:
    return "".join(
        f'<{form}><a href="/202405/t{4101 + start + n}.html">{TITLES[(start + n) % 30]}{(start + n) // 30 or ""}</a>'
        f"{summary and f'<p>{summary}</p>'}{date and f'<span>{date}</span>'}</{form}>"
        for n in range(count)
    )  # fmt: skip


def listed(body: str, url: str = URL) -> set[int]:
    """The numbers of the articles of a page, from 0."""
    links = links_of(parse(f"<html><head><title>x</title></head><body>{NAV}{body}</body></html>".encode(), url))
    found = (re.search(r"/t(\d+)\.html", link.url) for link in links if link.kind is LinkKind.ARTICLE)
    return {int(number[1]) - 4101 for number in found if number}


HEADLINES = f'<div class="focus"><ul>{entries(8, 90)}</ul></div><div class="local"><ul>{entries(9, 70)}</ul></div>'
COLUMNS = "".join(f'<div class="col-{name}"><ul>{entries(6, 40 + 6 * n)}</ul></div>' for n, name in enumerate("abcde"))


@each("name", [
    "recommend", "recommend-list", "news-recommend", "recommendation-list mobile", "tuijian", "index_tuijian", "tuijianList",
    "guess-list", "hot-news", "hotNews", "feed recommend", "main-recommend-hot",
])  # fmt: skip
@each("feed", [
    f"<ul>{entries(18, date='08-06 14:20')}</ul>",
    f"<ul>{entries(18, date='2026年8月6日')}</ul>",
    f"<div>{entries(16, date='3小时前', form='div')}</div>",
    f"<div>{entries(15, date='2026-08-06', summary=SUMMARY, form='div')}</div>",
    f"<div class='recommend-inner'><div class='recommend-items'>{entries(18, date='昨天', form='p')}</div></div>",
    f"<ul>{entries(20)}</ul>",
    f"<ul>{entries(16, date=f'新华社 5分钟前</span><p>{SUMMARY}</p><span>')}</ul>",
    f"<h2>最新</h2><ul>{entries(20, summary=SUMMARY)}</ul>",
])  # fmt: skip
@each("around", [HEADLINES, COLUMNS], ids=["headlines", "columns"])
def test_the_longest_list_of_a_front_page_is_main_though_its_box_is_named_as_a_recommendation(
    name: str, feed: str, around: str
) -> None:
    count = feed.count("<a ")
    for tag in ("div", "section"):
        body = f'<div class="top">{around}</div><{tag} class="{name}">{feed}</{tag}>'
        assert listed(body) >= set(range(count)), (name, tag)
    assert listed(f'<div id="{name.partition(" ")[0]}">{feed}</div>{around}') >= set(range(count))


@each("name", ["hotnews", "recommend", "index-tuijian"])
@each("head", [
    "<h2>要闻</h2>", "<h3>今日头条</h3>", '<div class="tit"><a href="/yw/">教育要闻</a></div>', "<div>最新资讯</div>",
    '<div class="hd"><h2>新闻动态</h2><a href="/yw/">更多</a></div>',
])  # fmt: skip
@each("count", [8, 14])
def test_a_short_list_headed_as_news_is_main_if_no_other_is_longer(name: str, head: str, count: int) -> None:
    news = f'{head}<div class="{name}"><ul>{entries(count)}</ul></div>', f'<div class="{name}">{head}<ul>{entries(count)}</ul></div>'
    for box in news:
        assert listed(f"{COLUMNS}<div>{box}</div>") >= set(range(count))


@each("date", ["08-06", "2026-08-06 14:20", "3小时前"])
@each("count", [8, 14])
def test_a_short_list_that_alone_has_dates_is_main_if_no_other_is_longer(date: str, count: int) -> None:
    assert listed(f'{COLUMNS}<div class="hotnews"><ul>{entries(count, date=date)}</ul></div>') >= set(range(count))


def test_two_copies_of_a_feed_for_two_widths_are_both_main() -> None:
    feeds = "".join(
        f'<section class="recommend full{name}">{entries(count, date="14:20", form="div")}</section>'
        for name, count in (("", 20), ("-mobile", 25))
    )
    assert listed(f"{COLUMNS}{feeds}") >= set(range(25))


DATED = entries(18, date="08-06 14:20")
PICTURES = "".join(f'<li><a href="/202405/t{4101 + n}.html"><img alt="{TITLES[n]}"></a></li>' for n in range(10))
ARTICLE = f'<h1>{TITLES[-1]}</h1><div class="content"><p>{SUMMARY}</p><p>{SUMMARY[::-1]}</p></div>'


@pytest.mark.parametrize(("body", "count"), [
    pytest.param(f'<ul>{entries(20, 40)}</ul><div class="recommend"><ul>{entries(10)}</ul></div>', 10, id="shorter"),
    pytest.param(f'<ul>{entries(20, 40)}</ul><div class="tuijian"><ul>{entries(10, date="08-06")}</ul></div>', 10, id="shorter, dated"),
    pytest.param(f'<ul>{entries(25, 40)}</ul><div class="recommend"><ul>{DATED}</ul></div>', 18, id="beside a longer list"),
    pytest.param(f'<ul>{entries(18, 40)}</ul><div class="recommend"><ul>{DATED}</ul></div>', 18, id="as long as the list"),
    pytest.param(f'<ul>{entries(15, 40)}</ul><div class="recommend"><ul>{entries(18)}</ul></div>', 18, id="hardly longer, no dates"),
    pytest.param(f'{COLUMNS}<div class="recommend"><ul>{entries(14)}</ul></div>', 14, id="fewer than fifteen"),
    pytest.param(f'{COLUMNS}<div class="recommend"><ul>{entries(7, date="08-06")}</ul></div>', 7, id="fewer than eight"),
    pytest.param(f'{COLUMNS}<div class="recommend"><h3>热点新闻</h3><ul>{entries(14)}</ul></div>', 14, id="headed hot news"),
    pytest.param(f'{COLUMNS}<div class="recommend"><h3>要闻</h3><ul>{entries(6)}</ul></div>', 6, id="news, not the longest"),
    pytest.param(
        f'<ul>{entries(9, 40, date="08-06")}</ul><div class="recommend"><ul>{entries(12, date="08-06")}</ul></div>', 12,
        id="beside a list with dates",
    ),
    pytest.param(f'{COLUMNS}<aside class="recommend"><ul>{DATED}</ul></aside>', 18, id="aside"),
    pytest.param(f'{COLUMNS}<aside><div class="recommend"><ul>{DATED}</ul></div></aside>', 18, id="in an aside"),
    pytest.param(f'{COLUMNS}<div class="sidebar"><div class="recommend"><ul>{DATED}</ul></div></div>', 18, id="in a side bar"),
    pytest.param(f'{COLUMNS}<div class="recommend sidebar"><ul>{DATED}</ul></div>', 18, id="recommend and side bar"),
    pytest.param(f'{COLUMNS}<div class="hot-rank"><ul>{DATED}</ul></div>', 18, id="a ranking"),
    pytest.param(f'{COLUMNS}<div class="related-recommend"><ul>{DATED}</ul></div>', 18, id="related"),
    pytest.param(f'{COLUMNS}<div class="recommend"><h3>热门</h3><ul>{DATED}</ul></div>', 18, id="headed hot"),
    pytest.param(f'{COLUMNS}<div class="recommend"><h3>相关阅读</h3><ul>{DATED}</ul></div>', 18, id="headed related"),
    pytest.param(f'{COLUMNS}<h3>猜你喜欢</h3><div class="recommend"><ul>{DATED}</ul></div>', 18, id="headed before"),
    pytest.param(f'{COLUMNS}<div class="recommend"><div><h3>点击排行</h3><ul>{DATED}</ul></div></div>', 18, id="headed inside"),
    pytest.param(f'{COLUMNS}<div class="hot"><ul>{PICTURES}{entries(10)}</ul></div>', 10, id="ten with pictures"),
    pytest.param(f'{ARTICLE}{COLUMNS}<div class="recommend"><ul>{DATED}</ul></div>', 18, id="article"),
    pytest.param(
        f'{ARTICLE}{COLUMNS}<div class="recommend"><ul>{entries(18, date="08-06", summary=SUMMARY)}</ul></div>', 18,
        id="article, feed with summaries",
    ),
])  # fmt: skip
def test_a_recommendation_beside_a_list_or_an_article_stays_a_side_box(body: str, count: int) -> None:
    assert not listed(body) & set(range(count))
