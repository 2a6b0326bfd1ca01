"""What the pages of the console show, and what no page ever does."""

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from itertools import pairwise
from time import process_time
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

import pytest
from fastapi.testclient import TestClient
from lxml import html
from sqlalchemy import Engine, insert, text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Image, Link, LinkKind, PageType, Reason, Region, State
from newsspider.core.query.query_language import parse_query
from newsspider.features.console.access import COOKIE, form_token
from newsspider.features.console.app import create_app
from newsspider.features.console.display import Changes, bars, mark_places, moment, sparkline
from newsspider.features.console.pages import crawl
from newsspider.features.console.pages.search import every_day
from newsspider.features.console.translation import name_of
from newsspider.features.console.view import TEMPLATES
from newsspider.features.events.detection_run import analyse_new
from newsspider.features.health.rules.channel_day import ChannelDay, day_of
from newsspider.search.facets import count_facets
from newsspider.sites.model import ChannelKind, MediaClass, from_home
from newsspider.store import ledger, pages, runs, workers
from newsspider.store.articles.article_records import article_at
from newsspider.store.engine.database import writing
from newsspider.store.sites import put
from newsspider.store.tables import reprints
from newsspider.store.tables.search import start_again
from newsspider.topics.loader import load_topic
from tests.features.console.conftest import HOST, TODAY, Morning
from tests.features.console.page_parts import OUR_SCRIPTS, _Page
from tests.support.docs import ROOT
from tests.support.explored import Crawl
from tests.support.samples import NOW, POLLED, blocked_for_ten_hours, lease_on, offer, save_article
from tests.support.stores import on_postgresql
from tests.support.tables import each

PAGES = [
    "/", "/?day=2026-11-24", "/?day=2020-01-01", "/search", "/search?q=高考", "/search?q=script&revisions=1", "/search?q=(&sort=odd&n=x",
    "/articles/1", "/articles/3", "/articles/9", "/articles/x", "/url", "/url?u=http://a.cn/1", "/url?u=http://b.cn/3",
    "/events?span=4w", "/events/4", "/events/3", "/events/9",
    "/url?u=http://never.cn/", "/url?u=junk", "/sites", "/crawl", "/crawl/urls?state=done&reason=stored",
    "/crawl/urls?state=error&reason=trap", "/crawl/urls?state=x", "/events", "/nothing", "/alerts", "/alerts?query=高考", "/alerts/1",
    "/briefings", "/attention", "/attention?q=高考&q=script&compare=1", "/attention?q=(",
    "/catalogue", "/catalogue?region=浙江&level=x",
]  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "/news"])
def test_the_console_has_an_icon_and_a_manifest(filled, prefix) -> None:
    client = TestClient(create_app(filled, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}", root_path=prefix)
    assert client.get(f"{prefix}/favicon.ico").headers["content-type"] == "image/svg+xml"
    (link,) = html.fromstring(client.get(f"{prefix}/").text).cssselect("link[rel=manifest]")
    answer = client.get(link.get("href"))
    assert answer.headers["content-type"].startswith("application/manifest+json")
    manifest, base = answer.json(), f"http://{HOST}{link.get('href')}"
    assert urljoin(base, manifest["start_url"]) == f"http://{HOST}{prefix}/"
    assert client.get(urljoin(base, manifest["icons"][0]["src"])).status_code == 200


def test_the_front_page_has_the_articles_of_today(console: TestClient) -> None:
    page = console.get("/")
    assert page.status_code == 200
    assert "幼儿园<wbr>延时<wbr>服务" in page.text
    assert ">08:42</time>" in page.text
    assert "2026-11-25" in page.text
    assert "高考<wbr>改革" not in page.text
    lead = page.text.partition('<section class="lead">')[2].partition("</section>")[0].replace("<wbr>", "")
    assert "河东县育才小学食堂火灾" in lead
    assert "2 站 2 页在说这件事，最早见于 <b>新华网</b>" in lead
    assert 'href="/events/4"' in lead


def test_a_search_finds_the_same_whatever_was_opened_before(filled: Engine, console: TestClient) -> None:
    spellings = [word for word in load_topic("education", trained=False).spellings() if len(word) > 1]
    with writing(filled) as conn:
        save_article(conn, "http://d.cn/6", "、".join(spellings), topic="education", published_at=TODAY, crawled_at=TODAY)
    for _ in analyse_new(filled):
        pass
    queries = [first + second for first, second in pairwise(spellings)][:80]
    before = _found(filled, queries)
    for page in [*PAGES, "/articles/6", "/topics", "/topics/education"]:
        console.get(page)
    after = _found(filled, queries)
    assert {query: after[query] for query in queries if after[query] != before[query]} == {}
    assert any(before.values())


def _found(store: Engine, queries: list[str]) -> dict[str, list[str]]:
    """The articles that each query finds, in a console of its own: nobody may ask more than a hundred at once."""
    console = TestClient(create_app(store, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}")
    pages = {query: console.get("/search", params={"q": query}) for query in queries}
    assert {page.status_code for page in pages.values()} == {200}
    return {query: re.findall(r'href="(/articles/[0-9]+)', page.text) for query, page in pages.items()}


def test_the_page_of_the_crawl_shows_runs_with_and_without_a_job(filled: Engine, console: TestClient) -> None:
    with writing(filled) as conn:
        runs.start_run(conn, "education", "w", {}, TODAY.timestamp())
        runs.start_run(conn, "education", "v", {"job": "每日"}, TODAY.timestamp())
    page = console.get("/crawl")
    assert page.status_code == 200
    assert page.text.count("<code>每日</code>") == 1


def test_another_day_has_its_own_articles_and_leads_to_the_nearest_that_have_some(console: TestClient) -> None:
    page = console.get("/?day=2026-11-24").text
    assert "高考<wbr>改革" in page
    assert 'rel="prev"' not in page, "there is no earlier one"
    assert "?day=2026-11-25" in page
    assert "?day=2026-11-24" in console.get("/").text
    empty = console.get("/?day=2020-01-01").text
    assert "这一天还没有文章" in empty
    assert 'href="/?day=2026-11-24" rel="next"' in empty
    for day in ("tomorrow", "0001-01-01", "9999-12-31"):
        assert console.get(f"/?day={day}").status_code == 404


def test_an_index_that_is_not_filled_is_named_where_its_articles_would_be(filled: Engine, console: TestClient) -> None:
    with writing(filled) as conn:
        start_again(conn, TODAY.timestamp())
    page = console.get("/").text
    assert "<h1>索引还没有建完</h1>" in page
    assert "scrapy reindex" in page
    for untrue in ("这一天还没有文章", "0 篇</span>", "scrapy crawl education"):
        assert untrue not in page


def test_pages_say_whether_a_crawl_runs(filled: Engine, console: TestClient) -> None:
    paths = ("/", "/sites", "/url?u=http://a.cn/1", "/url?u=http://never.cn/1")
    assert ["没有采集在运行" in console.get(path).text for path in paths] == [True] * 4
    assert "上次采集时各站正常" in console.get("/").text
    with writing(filled) as conn:
        workers.beat(conn, "one", "", TODAY.timestamp())
    assert ["没有采集在运行" in console.get(path).text for path in paths] == [False] * 4
    assert "上次采集时" not in console.get("/").text


def test_the_last_day_with_articles_stands_for_an_empty_today(store) -> None:
    client = TestClient(create_app(store, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}")
    assert "这一天还没有文章" in client.get("/").text


def test_a_moment_after_midnight_the_page_is_that_of_the_new_day(console: TestClient) -> None:
    clock, midnight = Morning(), TODAY.timestamp() + 15 * 3600
    console.app.state.clock = clock  # type: ignore[attr-defined]
    clock.now = lambda: midnight - 2  # type: ignore[method-assign]
    assert "非今日" not in console.get("/").text
    clock.now = lambda: midnight + 2  # type: ignore[method-assign]
    page = console.get("/").text
    assert "非今日" in page
    assert "河东县育才小学食堂火灾" in page.replace("<wbr>", "")


def test_what_was_forgotten_a_moment_ago_is_not_on_the_front_page(console: TestClient, filled: Engine) -> None:
    assert "幼儿园<wbr>延时<wbr>服务" in console.get("/").text
    console.get("/alerts")  # whose form makes the browser known
    fields = {"url": "http://a.cn/1", "form_token": form_token(console.cookies[COOKIE])}
    assert console.post("/url/forget", data=fields, follow_redirects=False).status_code == 303
    page = console.get("/")
    assert page.status_code == 200
    assert "幼儿园<wbr>延时<wbr>服务" not in page.text


def test_a_url_in_the_field_of_the_search_leads_to_what_is_known_of_it(console: TestClient) -> None:
    answer = console.get("/search", params={"q": " http://a.cn/1?x=1&y=2 "}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/url?u=http%3A%2F%2Fa.cn%2F1%3Fx%3D1%26y%3D2")
    assert console.get("/search", params={"q": "高考 http"}).status_code == 200


def test_a_search_marks_what_it_found(console: TestClient) -> None:
    page = console.get("/search", params={"q": "高考改革"}).text
    assert "<mark>高考改革</mark>" in page
    assert "全国<mark>高考改革</mark>方案公布" in page
    assert "1 篇" in page


QUOTED_SITES = ('"', '甲"乙', "甲“乙”")


def test_a_link_beside_the_hits_narrows_the_whole_question(console: TestClient, filled: Engine) -> None:
    with writing(filled) as conn:
        for number, site in enumerate(QUOTED_SITES):
            url = f"http://quoted.cn/{number}"
            put(conn, replace(from_home("http://quoted.cn/"), name=site), TODAY.timestamp())
            save_article(conn, url, f"第{number}篇说阅兵", title=f"引号{number}", site=site, published_at=TODAY, crawled_at=TODAY)
    page = console.get("/search", params={"q": "高考改革 OR 食堂火灾 OR 阅兵"}).text
    links = [dict(tag[1]).get("href") or "" for tag in _Page(page.partition("<aside>")[2].partition("</aside>")[0]).tags]
    counts = [int(count) for count in re.findall(r"<td>(\d+)</td>", page.partition("<aside>")[2])]
    answers = [console.get(link) for link in links if link.startswith("/search")]
    assert [answer.status_code for answer in answers] == [200] * len(counts)
    assert [int(re.search(r"(\d+) 篇", answer.text.partition('role="status"')[2])[1]) for answer in answers] == counts
    for site in QUOTED_SITES:
        assert console.get(f"/site-rules/{quote(site)}").status_code == 200


def test_a_link_beside_the_hits_keeps_what_is_searched_and_its_order(console: TestClient) -> None:
    options = {"sort": "priority", "reprints": "1", "revisions": "1"}
    page = console.get("/search", params={"q": "火灾", **options}).text.partition("<aside>")[2].partition("</aside>")[0]
    links = [link for _, attributes in _Page(page).tags if (link := attributes.get("href") or "").startswith("/search")]
    counts = [int(count) for count in re.findall(r"<td>(\d+)</td>", page)]
    assert 2 in counts
    assert [options.items() <= dict(parse_qsl(urlsplit(link).query)).items() for link in links] == [True] * len(counts)
    texts = [console.get(link).text.partition('role="status"')[2] for link in links]
    assert [int(re.search(r"(\d+) 篇", text)[1]) for text in texts] == counts


def links_of(page: str, beginning: str) -> list[str]:
    """The addresses of a page that begin so."""
    return [link for _, attributes in _Page(page).tags if (link := attributes.get("href") or "").startswith(beginning)]


def test_a_filter_is_a_link_that_takes_it_away(console: TestClient) -> None:
    page = console.get("/search", params={"q": "高考 site:乙 since:2026-11-20 -media:blog", "sort": "priority"}).text
    chips = page.partition('<p class="chips">')[2].partition("</p>")[0]
    queries = [dict(parse_qsl(urlsplit(link).query)) for link in links_of(chips, "/search")]
    rests = ["高考 since:2026-11-20 -media:blog", "高考 site:乙 -media:blog", "高考 site:乙 since:2026-11-20"]
    assert [query["q"] for query in queries] == rests
    assert {query["sort"] for query in queries} == {"priority"}
    assert 'aria-label="去掉：不要 媒体 博客"' in chips
    assert 'class="chips"' not in console.get("/search?q=高考").text
    codes = "kind:forum lang:zh -lang:en has:attachment topic:education topic:nope"
    chips = console.get("/search", params={"q": codes}).text.partition('<p class="chips">')[2].partition("</p>")[0]
    names = ["种类 论坛", "语言 中文", "不要 语言 英文", "带有 附件", "主题 教育", "主题 nope"]
    assert re.findall('aria-label="去掉：([^"]+)"', chips) == names


@pytest.mark.parametrize(
    ("asked", "dates", "answered"),
    [
        ("高考", ("2026-11-20", "2026-11-25"), "高考 since:2026-11-20 until:2026-11-25"),
        ("高考", ("2026-11-25", "2026-11-20"), "高考 since:2026-11-20 until:2026-11-25"),
        ("高考 since:3d", ("2026-11-20", ""), "高考 since:2026-11-20"),
        ("高考 OR 火灾", ("", "2026-11-25"), "(高考 OR 火灾) until:2026-11-25"),
        ("", ("2026-11-25", ""), "since:2026-11-25"),
        ("高考", ("1x", ""), "高考 since:1x"),
        ('"', ("2026-11-25", ""), '"'),
    ],
)
def test_two_dates_bound_a_search(console: TestClient, asked: str, dates: tuple[str, str], answered: str) -> None:
    params = {"q": asked, "sort": "priority", "since": dates[0], "until": dates[1], "vanished": "1"}
    answer = console.get("/search", params=params, follow_redirects=False)
    assert answer.status_code == 303
    assert dict(parse_qsl(urlsplit(answer.headers["location"]).query)) == {"q": answered, "sort": "priority", "vanished": "1"}


def test_the_fields_for_dates_have_what_the_query_says(console: TestClient) -> None:
    tags = _Page(console.get("/search?q=高考 since:3d until:2026-11-24").text).tags
    fields = {tag.get("name"): tag.get("value") for name, tag in tags if name == "input"}
    assert (fields["since"], fields["until"]) == ("2026-11-22", "2026-11-24")
    form = console.get("/search?q=高考 since:3d until:2026-11-24").text.partition('class="dates"')[2]
    assert dict(_Page(form).tags[0][1])["value"] == "高考"
    answer = console.get("/search?q=高考&since=&until=")
    assert answer.history == []
    assert 'aria-current="true">三天' in console.get("/search?q=高考 since:3d").text


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("高考", ["2026-11-24 1"]),
        ("高考 OR 延时服务", ["2026-11-24 1", "2026-11-25 1"]),
        ("高考 since:2026-11-22", ["2026-11-22 0", "2026-11-23 0", "2026-11-24 1", "2026-11-25 0"]),
        ("高考 since:2026-11-23 until:2026-11-24", ["2026-11-23 0", "2026-11-24 1"]),
        ("高考 until:2026-12-24", ["2026-11-24 1", "2026-11-25 0"]),
        ("没有这个词", []),
    ],
)
def test_each_day_of_the_range_has_a_bar(console: TestClient, query: str, days: list[str]) -> None:
    read = parse_query(query, TODAY)
    with console.app.state.engine.connect() as conn:  # type: ignore[attr-defined]
        counted = count_facets(conn, read)
    bars = every_day(counted.counts["day"], read, TODAY, counted.newest)
    assert [f"{day} {count}" for day, count in bars] == days


def test_of_a_long_range_the_latest_days_have_bars() -> None:
    days = every_day([("2020-01-01", 3), ("2026-11-20", 2)], parse_query("高考", TODAY), TODAY, None)
    assert (len(days), days[-1], sum(count for _, count in days)) == (60, ("2026-11-20", 2), 2)


@each(
    ("query", "newest", "first", "last", "bars"),
    [
        ("高考 since:2026-01-01", None, "2026-04-12", "2026-06-10", 60),
        ("高考 since:2026-06-01", None, "2026-06-01", "2026-06-10", 10),
        ("高考 since:2026-06-01 until:2026-06-12", None, "2026-06-01", "2026-06-12", 12),
        ("高考 since:2026-06-01 until:2026-06-12", 5000, "2026-06-09", "2026-06-12", 4),
        ("高考 since:2026-01-01", 5000, "2026-06-09", "2026-06-10", 2),
        ("高考 until:2026-06-12", 5000, "2026-06-09", "2026-06-12", 4),
    ],
)
def test_no_bar_is_zero_for_what_was_not_counted(query: str, newest: int | None, first: str, last: str, bars: int) -> None:
    days = every_day([("2026-06-10", 3), ("2026-06-09", 2)], parse_query(query, TODAY), TODAY, newest)
    assert (days[0][0], days[-1][0], len(days)) == (first, last, bars)
    assert sum(count for _, count in days) == 5


def test_a_list_says_its_order_and_shows_the_figure(console: TestClient) -> None:
    figures = {"time": ("按时间，最新在前", ""), "priority": ("按频道权重", "频道权重 0.9"), "rank": ("按链接权重", "链接权重 0.00")}
    for sort, (order, figure) in figures.items():
        page = console.get("/search", params={"q": "高考", "sort": sort}).text
        assert order in page.partition('role="status"')[2].partition("</p>")[0]
        assert figure in page.partition('class="entries"')[2].partition("</ol>")[0]
    assert "匹配分 0." in console.get("/search?q=高考&sort=relevance").text
    assert "按匹配程度" in console.get("/search?q=高考食堂改革方案火灾").text


def test_the_newest_first_is_by_the_time_that_is_shown(console: TestClient, filled: Engine) -> None:
    with writing(filled) as conn:
        for number, is_first in ((2, True), (1, False)):
            conn.execute(insert(reprints).values(article_id=number, group_id=2, is_first=is_first))
        moment = TODAY - timedelta(days=2)
        for date, text in ((TODAY - timedelta(hours=3), "旧版本收费"), (moment, "新版本收费")):
            save_article(conn, "http://e.cn/1", text, NOW, title="收费", published_at=date, crawled_at=TODAY)
    for options in ({}, {"revisions": "1"}, {"reprints": "1"}, {"q": "高考 OR 延时服务"}):
        entries = console.get("/search", params=options).text.partition('class="entries"')[2].partition("</ol>")[0]
        times = [re.search(r'datetime="([^"]+)"', entry)[1] for entry in entries.split("<li>")[1:]]
        assert len(times) > 1 or "q" in options
        assert times == sorted(times, reverse=True)


@pytest.mark.parametrize("day", [0, 5])
def test_no_site_fills_the_front_page(console: TestClient, filled: Engine, day: int) -> None:
    """Neither where an event leads the page nor where an article of the large site does."""
    last = TODAY - timedelta(days=day)
    with writing(filled) as conn:
        for number in range(60):
            site, priority = ("大站", 90) if number < 45 else (f"小站{number % 5}", 20)
            save_article(
                conn, f"http://many.cn/{number}", f"第{number}篇，" + "各说各的，互不相同。"[number % 9 :] * (number + 1),
                title=f"第{number}篇", site=site, priority=priority, published_at=last - timedelta(seconds=number), crawled_at=TODAY,
            )  # fmt: skip
    page = console.get("/", params={"day": str(last.date())}).text
    entries = page.partition('class="entries"')[2].partition("</ol>")[0].split("<li>")[1:]
    sites = [site for entry in entries for site in re.findall("<span>(大站|小站[0-9])</span>", entry)]
    weights = [float(re.search(r"频道权重 ([0-9.]+)<", entry)[1]) for entry in entries[:10]]
    assert [sites[first : first + 10].count("大站") for first in (0, 10)] == [3, 3]
    assert weights == [9, 9, 9, *[2] * 7]
    assert "按频道权重；每屏每站至多" in page
    rest = page.partition("没列出的：")[2].partition("</p>")[0]
    (address,) = [link for link in links_of(rest, "/search") if quote("大站") in link]
    assert int(re.search(r"(\d+) 篇", console.get(address).text.partition('role="status"')[2])[1]) == 45


def test_a_hit_that_stands_where_its_latest_copy_does_says_when_that_was(console: TestClient, filled: Engine) -> None:
    assert "，最近" not in console.get("/search").text
    with writing(filled) as conn:
        for number, is_first in ((2, True), (1, False)):
            conn.execute(insert(reprints).values(article_id=number, group_id=2, is_first=is_first))
    hit = console.get("/search").text.partition("/articles/2")[2].partition("</li>")[0]
    assert re.search(r"转载 1 篇，最近 <time [^>]*>08:42</time>", hit)
    assert "，最近" not in console.get("/search?sort=priority").text


def test_a_query_that_cannot_be_read_gets_its_place(console: TestClient) -> None:
    page = console.get("/search", params={"q": "高考 OR"})
    assert page.status_code == 400
    assert "最后少一个词" in page.text


def test_an_article_says_why_it_is_here(console: TestClient) -> None:
    page = console.get("/articles/1").text
    assert "相关度 0.80" in page
    assert "<mark>幼儿园</mark>" in page
    assert 'href="http://a.cn/1"' in page
    assert console.get("/articles/9").status_code == 404


def test_an_article_of_an_explore_crawl_has_its_story_and_its_versions(console: TestClient, filled: Engine) -> None:
    url = "http://explored.cn/1"
    with writing(filled) as conn:
        crawl = Crawl(conn)
        crawl.keep(url, "第一段说了很多。\n第二段。")
        crawl.keep(url, "第一段说了很多。\n第二段改了。", now=NOW + 60)
        number = article_at(conn, url)
    page = console.get(f"/articles/{number}").text
    assert "完整经过" in page
    assert "账本里已没有" not in page
    assert 'class="revision"' in page


def test_a_word_with_quotation_marks_leads_to_the_articles_that_have_it(console: TestClient, filled: Engine) -> None:
    words = ('双"减', '“双”减', '"双减')
    with writing(filled) as conn:
        values = {"published_at": TODAY, "crawled_at": TODAY, "terms": words, "keywords": words}
        saved = save_article(conn, "http://a.cn/9", "双减，双减。双，减", title=words[0], **values)
    links = {attributes.get("href") or "" for _, attributes in _Page(console.get(f"/articles/{saved.article_id}").text).tags}
    searches = [link for link in links if link.startswith("/search?q=") and "%E5%8F%8C" in link]
    assert len(searches) == len(words)
    answers = [console.get(link) for link in searches]
    assert [answer.status_code for answer in answers] == [200] * len(words)
    assert all("双" in answer.text.partition('role="status"')[2] for answer in answers)


def test_a_url_has_its_story(console: TestClient) -> None:
    page = console.get("/url", params={"u": "http://a.cn/1"}).text
    assert "文章已入库" in page
    assert "文章已入库" in console.get("/url", params={"u": " a.cn/1"}).text, "without http://"
    assert console.get("/url", params={"u": "http://never.cn/"}).status_code == 404
    assert f"/search?{urlencode({'q': '高考 改革'})}" in console.get("/url", params={"u": "高考 改革"}).text


def test_the_story_of_a_url_says_why_it_was_refused_with_the_threshold(console: TestClient, filled: Engine) -> None:
    link = "the link says '奶茶店转让': 0.5923 for education"
    reasons = {
        "blend 0.41 of 0.48, borderline: 指导; rules: title:*台风*":
            "全文的相关度 0.41，阈值 0.48，相差不多；起作用的词：指导；规则：title:*台风*",
        f"{link}, below 0.9000": "链接文字“奶茶店转让”的相关度 0.5923，低于 0.9000",
        f"{link}, below 0.9000, in a list of which 23% is about it": "低于 0.9000；它所在的列表有 23% 与主题有关",
        f"{link}, in a list of which 23% is about it": "太低；它所在的列表有 23% 与主题有关",
        f"{link}, and '奶茶店转让，9万' was not about it": "够了；但与它相似的“奶茶店转让，9万”读过，与主题无关",
        "judged again: blend 0.30": "重新判断：相关度 0.30",
        "labelled as irrelevant: blend 0.77": "标注为无关（相关度 0.77）",
    }
    for detail, chinese in reasons.items():
        with writing(filled) as conn:
            changed = text("UPDATE urls SET reason = 'off_topic', detail = :detail WHERE url = 'http://a.cn/1'")
            conn.execute(changed, {"detail": detail})
        assert chinese in unescape(console.get("/url?u=http://a.cn/1").text)


@pytest.mark.usefixtures("new_child_processes")
def test_a_url_that_pages_only_link_to_has_their_links_and_why_none_is_followed(console: TestClient, filled: Engine) -> None:
    params = {"u": "http://a.cn/about"}
    page = console.get("/url", params=params)
    assert page.status_code == 404
    assert "没有抓取过" in page.text
    assert f'href="/url?{urlencode(params)}&amp;links=1"' in page.text
    with writing(filled) as conn:
        lease = lease_on(conn, "http://a.cn/list", kind=PageType.LIST, site="站", channel="要闻")
        pages.save(conn, PageResult(lease, POLLED, links=(Link("http://a.cn/about", "关于我们", LinkKind.OTHER),)), NOW)
    page = console.get("/url", params=params | {"links": "1"})
    assert ">关于我们</a>" in page.text
    assert "从位置和文字看，不是文章的链接" in page.text
    assert "没有一个链向它" in console.get("/url", params={"u": "http://never.cn/", "links": "1"}).text
    assert 'href="/sites/%E6%95%99%E8%82%B2%E9%83%A8"' in console.get("/url", params={"u": "http://www.moe.gov.cn/x"}).text


def test_each_count_of_urls_leads_to_urls_and_their_stories(console: TestClient) -> None:
    counted = console.get("/api/v1/status").json()["reasons"]
    assert counted
    for row in counted:
        address = f"/crawl/urls?state={row['state']}&reason={row['reason']}"
        assert f'href="{address}"' in console.get("/crawl").text.replace("&amp;", "&")
        urls = console.get("/api/v1/status/urls", params={"state": row["state"], "reason": row["reason"]}).json()["urls"]
        assert len(urls) == row["urls"]
        page = console.get(address).text
        assert all(f'href="/url?{urlencode({"u": url["url"]})}"' in page for url in urls)
    assert len(console.get("/api/v1/status/urls", params={"state": row["state"], "reason": row["reason"], "limit": 1}).json()["urls"]) == 1
    assert "现在没有这样的网址" in console.get("/crawl/urls?state=error&reason=trap").text
    assert console.get("/crawl/urls?state=done&reason=nobody").status_code == 404
    assert console.get("/api/v1/status/urls?state=done&reason=nobody").status_code == 422


def test_of_many_urls_those_found_last_are_shown(console: TestClient, filled: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawl, "SHOWN_URLS", 3)
    addresses = [f"http://many.cn/{number}" for number in range(20)]
    with writing(filled) as conn:
        ledger.offer(conn, [offer(address) for address in addresses], NOW)
        for age, address in enumerate(addresses):
            change = "UPDATE urls SET state = 'done', reason = 'gone', found_at = :found_at WHERE url = :url"
            conn.execute(text(change), {"url": address, "found_at": NOW - age})
    answer = console.get("/api/v1/status/urls?state=done&reason=gone&limit=5").json()
    assert [row["url"] for row in answer["urls"]] == addresses[:5]
    page = console.get("/crawl/urls?state=done&reason=gone").text
    assert "这里是最近发现的 3 个" in page
    assert [address for address in addresses if f">{address}<" in page.replace("<wbr>", "")] == addresses[:3]


def test_urls_name_the_one_that_they_are_equal_to_and_the_status_that_failed(console: TestClient, filled: Engine) -> None:
    other, change = "http://a.cn/2", "UPDATE urls SET state = 'done', reason = :reason, detail = :detail WHERE url = 'http://a.cn/1'"
    for reason, chinese in (("duplicate", "相同的文章："), ("joined", "它是后续页，文章在："), ("redirect", "转到：")):
        with writing(filled) as conn:
            conn.execute(text(change), {"reason": reason, "detail": other})
        expected = f'{chinese}<a href="/url?{urlencode({"u": other})}">{other}</a>'
        assert expected in console.get(f"/crawl/urls?state=done&reason={reason}").text
        assert expected in console.get("/url?u=http://a.cn/1").text
    with writing(filled) as conn:
        conn.execute(text("UPDATE urls SET state = 'error', reason = 'http_status', last_status = 403 WHERE url = 'http://a.cn/1'"))
    assert "<span>HTTP 403</span>" in console.get("/crawl/urls?state=error&reason=http_status").text


def test_an_event_has_its_pages_and_why_they_belong_to_it(console: TestClient) -> None:
    assert 'href="/events/4">河东县育才小学食堂火灾</a>' in console.get("/").text.replace("<wbr>", "")
    assert 'href="/events/4"' in console.get("/events").text
    page = console.get("/events/4").text
    assert page.count('<p class="quiet">河东县育才小学食堂发') == 1, "the lead; both pages have the same"
    assert "站5" in page
    assert "同一事件" in console.get("/articles/5").text
    assert "同一事件" not in console.get("/articles/1").text
    assert console.get("/events/5", follow_redirects=False).headers["location"] == "/events/4"
    assert console.get("/events/99").status_code == 404


def test_an_event_shows_who_criticises_what(console: TestClient, filled: Engine) -> None:
    assert "批评" not in console.get("/events/4").text
    comments = '["学校拒不道歉，实在令人失望。", "饭菜还行。"]'
    with writing(filled) as conn:
        conn.execute(text("UPDATE articles SET comments = :comments WHERE id = 4"), {"comments": comments})
    page = console.get("/events/4").text.replace("<wbr>", "")
    assert '<a href="/articles/4">学校拒不道歉，实在令人失望。</a>' in page
    assert "评论" in page
    assert "饭菜还行" not in page


def test_events_about_a_city_are_chosen_by_any_of_its_names(console: TestClient, filled: Engine) -> None:
    assert 'href="/events/4"' not in console.get("/events?span=4w&about=苏州").text
    with writing(filled) as conn:
        conn.execute(text("UPDATE articles SET places = '[\"苏州\"]' WHERE id IN (4, 5)"))
    for name in ("苏州", "苏州市", "320500", "蘇州", "江苏"):
        page = console.get(f"/events?span=4w&about={name}").text
        assert 'href="/events/4"' in page
        assert f"<option selected>{'江苏' if name == '江苏' else '苏州'}</option>" in page
    assert 'href="/events/4"' not in console.get("/events?span=4w&about=南京").text
    assert console.get("/events?about=月球").status_code == 422
    assert console.get("/api/v1/events?about=月球").status_code == 422


def test_a_span_without_events_leads_to_one_that_has_some(console: TestClient, store: Engine) -> None:
    later = TestClient(create_app(store, hosts=[HOST], clock=Later()), base_url=f"http://{HOST}")
    page = later.get("/events").text
    assert 'href="/events?span=1w">最近一周有</a>' in page
    assert 'href="/events/4"' in later.get("/events?span=1w").text
    with writing(store) as conn:
        conn.execute(text("DELETE FROM events"))
    assert 'href="/?day=2026-11-25"' in later.get("/events").text


class Later(Morning):
    """Five days later."""

    def now(self) -> float:
        return super().now() + 5 * 86_400


def test_the_links_of_an_article_are_those_of_its_text_and_the_rest_is_folded(console: TestClient, filled: Engine) -> None:
    with writing(filled) as conn:
        lease = lease_on(conn, "http://a.cn/1")
        body = Link("http://a.cn/more", "前一篇报道", region=Region.BODY)
        navigation = Link("http://a.cn/about", "关于我们", region=Region.NAVIGATION)
        pages.save(conn, PageResult(lease, POLLED, links=(body, navigation)), NOW)
    links = console.get("/articles/1").text.partition("正文里的链接")[2].partition("</section>")[0]
    unfolded, _, folded = links.partition("<details>")
    assert ">前一篇报道</a>" in unfolded
    assert "关于我们" not in unfolded
    assert ">关于我们</a>" in folded


def test_sites_are_listed_with_their_files(console: TestClient) -> None:
    assert "教育部" in console.get("/sites").text
    page = console.get("/sites/教育部").text
    assert "media_class" in page
    assert console.get("/sites/nobody").status_code == 404


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_page_runs_or_loads_what_is_not_ours(console: TestClient, path: str, language: str) -> None:
    answer = console.get(path, params={**dict(pair.split("=") for pair in path.partition("?")[2].split("&") if pair), "lang": language})
    assert answer.status_code < 500
    assert "{{ " not in answer.text
    for tag, attributes in _Page(answer.text).tags:
        assert tag not in {"script", "object", "embed", "style", "base"} or (tag, attributes) in OUR_SCRIPTS
        assert tag != "iframe" or attributes["sandbox"] == ""
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in ("src", "action", "srcset", "data"):
            assert (attributes.get(name) or "/").startswith("/")
        href = attributes.get("href") or "/"
        assert href.startswith(("/", "#", "?")) or "nofollow" in (attributes.get("rel") or ""), href
        assert not href.startswith(("javascript:", "//"))
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@on_postgresql
def test_every_page_reads_postgresql_too(console: TestClient) -> None:
    answers = {path: console.get(path) for path in ("/", "/search?q=高考", "/articles/1", "/events", "/events/4", "/sites", "/crawl")}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(answers, 200)
    assert "幼儿园" in answers["/"].text
    assert "河东县育才小学食堂发" in answers["/events/4"].text


def test_a_host_name_that_somebody_points_here_reads_nothing(console: TestClient) -> None:
    assert console.get("/", headers={"Host": "evil.example"}).status_code == 421
    assert console.get("/", headers={"Host": "LOCALHOST:8800"}).status_code == 200


def test_the_language_is_kept(console: TestClient) -> None:
    assert "今日" in console.get("/").text
    assert "Today" in console.get("/?lang=en").text
    assert "Today" in console.get("/sites").text
    assert "今日" in console.get("/?lang=zh").text


def test_the_answer_to_a_form_offers_no_language_in_which_it_cannot_be_read(console: TestClient) -> None:
    assert 'hreflang="en"' in console.get("/alerts").text
    fields = {"kind": "query", "query": "火灾", "form_token": form_token(console.cookies[COOKIE])}
    for path in ("/alerts/preview", "/sites/try", "/sites/import"):
        page = console.post(path, data=fields, follow_redirects=False).text
        assert "主导航" in page
        assert "hreflang" not in page


def test_a_proxy_may_put_a_path_before_every_address(filled) -> None:
    client = TestClient(create_app(filled, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}", root_path="/news")
    for page in (client.get("/news/").text, client.get("/news/search?q=高考").text):
        addresses = [address for _, attributes in _Page(page).tags if (address := attributes.get("href") or "").startswith("/")]
        assert addresses
        assert all(address.startswith("/news/") for address in addresses)


def test_every_text_has_its_english_and_every_code_its_chinese() -> None:
    assert TEMPLATES.loader is not None
    names = [name for name in TEMPLATES.loader.list_templates() if name.endswith(".html")]
    sources = [TEMPLATES.loader.get_source(TEMPLATES, name)[0] for name in names]
    texts = {text for source in sources for text in re.findall(r"""\bt\(["']([^"']+)["']\)""", source)}
    lines = (ROOT / "newsspider/features/console/texts/english.tsv").read_text("utf-8").splitlines()
    english = [line.split("\t")[0] for line in lines if not line.startswith("#")]
    assert len(texts) > 100
    assert texts - set(english) == set()
    assert len(english) == len(set(english))
    codes = [*State, *Reason, *PageType, *MediaClass, *ChannelKind]
    assert [str(code) for code in codes if name_of(str(code), "zh") == str(code)] == []


def test_times_are_short_and_whole() -> None:
    assert ">10:42</time>" in moment("2026-11-25T10:42:00+08:00", TODAY)
    assert ">周一 10:42</time>" in moment("2026-11-23T10:42:00+08:00", TODAY)
    assert ">Mon 10:42</time>" in moment("2026-11-23T10:42:00+08:00", TODAY, "en")
    assert ">2026-11-03</time>" in moment("2026-11-03T10:42:00+08:00", TODAY)
    assert 'datetime="2026-11-03T10:42:00+08:00" title="2026-11-03 10:42:00 UTC+8"' in moment("2026-11-03T02:42:00+00:00", TODAY)
    assert moment(None, TODAY) == "—"


def test_texts_and_pictures_are_escaped() -> None:
    assert mark_places("<高考>", [(1, 3), (2, 4)]) == "&lt;<mark>高考</mark>&gt;"
    changed = Changes().of
    assert changed("一二三四五六", "一二三四五<") == "一二三四五<del>六</del><ins>&lt;</ins>"
    assert changed("甲乙丙", "<b>") == "<del>甲乙丙</del><ins>&lt;b&gt;</ins>"
    assert "&lt;" in bars([0, 3, 1], "<")
    assert "&lt;" in sparkline([], "<")


def test_paragraphs_that_repeat_themselves_are_compared_in_short_time() -> None:
    changes, began = Changes(), process_time()
    assert changes.of("啊b" * 1000, "啊啊啊b" * 500) == f"<del>{'啊b' * 1000}</del><ins>{'啊啊啊b' * 500}</ins>"
    many = [changes.of("啊b" * 100, "啊啊啊b" * 50) for _ in range(500)]
    assert process_time() - began < 5  # of half a second: the first one alone would take 30
    assert "<del>b</del>" in many[0]
    assert many[-1] == f"<del>{'啊b' * 100}</del><ins>{'啊啊啊b' * 50}</ins>"
    text = "全省各地学校今天开学，教师和学生回到课堂，新的课程从这一天开始。" * 5
    assert Changes().of(f"{text}每月二百元", f"{text}每月三百元") == f"{text}每月<del>二</del><ins>三</ins>百元"


def test_what_readers_search_for_is_counted_without_saying_who_and_offered(console: TestClient, filled: Engine) -> None:
    searches = console.app.state.searches  # type: ignore[attr-defined]
    for _ in range(3):
        assert console.get("/search", params={"q": "  延时 服务"}).status_code == 200
    for query in ({"q": "延时 服务", "n": "60"}, {"q": "没有人写过这个"}, {"q": "延时 AND"}, {"q": "服务 OR " * 20 + "延时"}):
        console.get("/search", params=query)
    searches.store(filled, TODAY.timestamp())
    searches.store(filled, TODAY.timestamp())
    with filled.connect() as conn:
        assert conn.exec_driver_sql("SELECT * FROM search_counts").all() == [("2026-11-25", "延时 服务", 3)]
    page = console.get("/search").text
    assert "本周常搜" in page
    assert 'href="/search?q=%E5%BB%B6%E6%97%B6+%E6%9C%8D%E5%8A%A1"' in page
    assert "本周常搜" not in console.get("/search", params={"q": "高考"}).text


def test_the_api_names_a_change_of_quality(console: TestClient, filled: Engine) -> None:
    today = day_of(TODAY.timestamp())
    with writing(filled) as conn:
        blocked_for_ten_hours(conn, TODAY.timestamp())
        for day in range(8):
            row = ChannelDay(today - 10 + day, articles=20, lacks={"date": 20 * (day > 5)}).text()
            values = {"day": today - 10 + day, "figures": row}
            conn.execute(text("INSERT INTO channel_days VALUES ('病站', 'well', :day, :figures)"), values)
    (change,) = console.get("/api/v1/health").json()["quality"]
    assert (change["site"], change["lacks"], change["day"]) == ("病站", "date", today - 4)
    assert "没有日期" in console.get("/sites/病站").text


def test_an_ill_source_is_named_on_the_pages_of_sites_and_by_the_api(console: TestClient, filled: Engine) -> None:
    with writing(filled) as conn:
        blocked_for_ten_hours(conn, TODAY.timestamp())
    assert "拒绝访问" in console.get("/sites").text
    page = console.get("/sites/病站?lang=en").text
    assert "blocked" in page
    assert "list: 11 visits in a row (11 blocked); HTTP status 403" in page
    health = console.get("/api/v1/health").json()
    (problem,) = [row for row in health["problems"] if row["site"] == "病站"]
    assert (problem["health"], problem["channels"]) == ("blocked", ["blocked"])
    assert problem["advice"].startswith("ask its webmaster")
    assert health["lists"]["live"] == 1


def test_an_article_lists_its_pictures_and_attachments_by_what_the_page_calls_them(console: TestClient, filled: Engine) -> None:
    pictures = (Image("https://i.cn/a/%E5%BC%80%E5%AD%A6.JPG?w=1", "开学第一天"), Image("https://i.cn/b", ""), Image("data:x", "<b>"))
    with writing(filled) as conn:
        saved = save_article(
            conn, "http://d.cn/1", "附件见后。", TODAY.timestamp(), title="通知", images=pictures,
            attachments=("http://d.cn/%E9%99%84%E4%BB%B6.docx", "javascript:alert(1)"),
        )  # fmt: skip
    page = html.fromstring(console.get(f"/articles/{saved.article_id}").text)
    items = page.cssselect(".reading .plain li")
    files = {" ".join(item.text_content().split()): [link.get("href") for link in item.iter("a")] for item in items}
    assert files == {
        "附件.docx DOCX d.cn": ["http://d.cn/%E9%99%84%E4%BB%B6.docx"], "javascript:alert(1)": [],
        "开学第一天 JPG i.cn": [pictures[0].url], "b i.cn": [pictures[1].url], "<b>": [],
    }  # fmt: skip
    assert page.cssselect(".reading img") == []
