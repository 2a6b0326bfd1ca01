"""No number in a page, a URL or a header makes reading fail: huge numbers, digits of other scripts, impossible dates."""

from contextlib import suppress
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from newsspider.core.dates.date_reader import full_date, machine_stamp, stamp_in, url_date
from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.extraction.script_text import embedded_lines
from newsspider.core.fetching.address_guard import refused_host
from newsspider.core.fetching.politeness import last_modified_of, retry_after
from newsspider.core.fetching.traps import trap_of
from newsspider.core.links.article_parts import next_part, part_of
from newsspider.core.links.link_targets import moved_to
from newsspider.core.links.next_page import scripted_url
from newsspider.core.links.page_links import links_of, listing_of, page_links
from newsspider.core.model import Article, ArticleRules
from newsspider.core.url import canonical, host_of
from newsspider.features.explore.rules.channel_urls import is_choice, is_further_page, is_search
from tests.support.tables import each

NOW = datetime(2026, 3, 1, tzinfo=UTC)
URL = "http://www.example.cn/2026/0301/c12_1.html"
HUGE = "9" * 5000
NUMBERS = (
    HUGE, "1" + "0" * 4400, "-" + HUGE, "0", "00", "99", "99999", "4294967296", "9999999999", "9999999999999", "9223372036854775808",
    "²", "²" * 10, "①", "½", "Ⅳ", "１２", "１" * 10, "٣٣", "٣" * 10,
    "߁" * 10, "𝟗" * 13, "十", "百", "零", "〇〇", "九百百", "1e999", "0x" + "f" * 5000,
    "1.5.5", "1_0", "NaN", "inf", "",
)  # fmt: skip
MOMENTS = (
    "0000-00-00 00:00", "9999-12-31T23:59:59-14:00", "2026-02-30 25:61", "1900-01-01T00:00:00+23:59",
    "2099年13月32日", "民国999年12月31日",

    "民國一百百年一月一日", "999年前", "999 years ago", "二〇二六年十十月三日",
    "Thu, 32 Foo 99999 99:99:99 +99999999", "2026-03-01T00:00:00+9999",
    "Thu, 01 Jan 2026 00:00:00 +" + HUGE, "Thu, 01 Jan 2026 00:00:00 +999999999", "Thu, 01 Jan 0001 00:00:00 +2359",
    f"{HUGE}-01-01", "昨天 ２５:９９", "1/1/1900 12:00 PM",
    "Thu, 01 Jan " + HUGE + " 00:00:00 GMT",
    "0 Jan 0 0:0:0 0", "今天 99:99", "2026-03-01 00:00 GMT-99:99", "²²-²²-²²²²", "31 Dec 9999 23:59:59 -2359",
)  # fmt: skip
PAGE = """<html lang="zh"><head><title>高考报名人数公布_某某网</title><base href="/{n}/">
<meta http-equiv="refresh" content="{n};url=/{n}.html">
<meta name="pubdate" content="{n}">
<meta name="publishdate" content="{m}">
<meta property="article:modified_time" content="{m}"><meta charset="{n}">
<script type="application/ld+json">{{"@type":"NewsArticle",
"headline":"高考报名人数公布","datePublished":"{m}","dateModified":"{n}","wordCount":{n}}}</script>
<script>createPageHTML({n}, {n}, "index", "html"); createPageHTML("page", {n}, {n}, "index", "html");
Pager({{size: {n}, current: {n}, prefix: "index", suffix: "html"}}); var currentPage = {n}; var countPage = {n};
document.write("index"+"_" + nextPage + "."+"html");
 var time = "{m}"; var content = "高考报名人数公布&#{n};，&lt;p&gt;&#x{n};全省高考报名人数公布，考点增加。";</script>
</head><body><h1>高考报名人数公布</h1><div>{m} 来源：某某网 {n}阅读 作者：{n}</div>
<div class="content">
<p>　　全省今年高考报名人数公布，考点比去年增加{n}个，考生可在{m}之前查询，各地做好准备。&#{n};</p>
<img src="a.jpg" width="{n}" height="{n}">
<p>　　教育部门说，今年的考试将在六月举行，共设考场{n}个，请考生留意通知。</p>
<time datetime="{m}">{n}</time></div>
<ul><li><a href="/a/{n}.html">全省高考报名人数公布考点增加</a>{m}</li>
<li><a href="/b_{n}.html?page={n}">乡村教师培训计划启动了</a><span>{n}天前</span>
</li>
</ul>
<div class="page">
<span class="cur">{n}</span>
<a href="c12_{n}.html">{n}</a><a href="/list?page={n}">第{n}页</a> 1/{n} {n}/3 <a href="c12_2.html">下一页</a></div>
<select onchange="location='index_'+this.value+'.html'">
<option value="{n}">{n}</option><option value="{n}">第{n}页</option></select>
</body></html>"""
RULES = ArticleRules(date="//div[1]", title="string(//h1)", source="count(//p)")


def read_all(number: str, moment: str, url: str = URL) -> None:
    """Does everything that the crawl does with a page with these numbers."""
    body = PAGE.format(n=number, m=moment).encode("utf-8", "replace")
    page = parse(body, url, f"text/html; charset={number[:20]}")
    article = Article(title="高考报名人数公布")
    for rules in (ArticleRules(), RULES):
        with suppress(UnreadablePageError):  # a text of little more than figures is not a text
            article = extract_article(page, NOW, rules)
    page_type_of(page, article, page_links(page))
    embedded_lines(page, article.title, ())
    next_part(page, page_links(page), further=True)
    moved_to(page)
    listing_of(page)
    scripted_url(page)
    for link in links_of(page):
        read_url(link.url)


def read_url(url: str) -> None:
    """Runs every check that the crawl makes on a URL."""
    canonical_url = canonical(url)
    if canonical_url is not None:
        is_further_page(canonical_url)
        is_search(canonical_url)
        is_choice(canonical_url)
        part_of(canonical_url)
        url_date(canonical_url, NOW)
        trap_of(canonical_url, NOW.date())
        refused_host(host_of(canonical_url), ())


@each("number", NUMBERS, ids=lambda text: ascii(text[:12]))
def test_a_page_is_read_whatever_its_numbers(number: str) -> None:
    read_all(number, number)
    read_all(number, MOMENTS[0])


@each("moment", MOMENTS, ids=lambda text: ascii(text[:24]))
def test_a_page_is_read_whatever_its_moments(moment: str) -> None:
    read_all("3", moment)
    machine_stamp(moment, NOW)
    stamp_in(moment, NOW, roc=True, yearless=True)
    full_date(moment)
    retry_after(moment, 0.0)
    last_modified_of(moment)


@each("number", NUMBERS, ids=lambda text: ascii(text[:12]))
def test_urls_and_headers_are_read_whatever_their_numbers(number: str) -> None:
    for url in (
        f"http://a.cn/page/{number}/", f"http://a.cn/index_{number}.html", f"http://a.cn/list.asp?page={number}&start={number}",
        f"http://a.cn/c_{number}.html", f"http://a.cn/{number}/", f"http://{number}/", f"http://a.cn:{number}/",
        f"http://{number}.{number}.1/",
        f"http://a.cn/{number[:4]}-{number[:2]}-{number[:2]}/", f"http://[{number[:9]}]/",
    ):  # fmt: skip
        read_url(url)
    retry_after(number, 0.0)
    last_modified_of(number)
    machine_stamp(number, NOW)
    is_further_page("http://a.cn/", number)


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(categories=("Nd", "No", "Nl", "Po", "Pd", "Zs")), max_size=30), st.sampled_from(MOMENTS))
def test_a_page_is_read_with_any_digits(number: str, moment: str) -> None:
    with suppress(UnreadablePageError):
        read_all(number.replace("{", "").replace("<", ""), moment)


def test_a_text_in_a_script_is_read_whatever_the_number_of_a_character_in_it() -> None:
    escaped = f"&lt;p&gt;全省高考报名人数公布，考点增加。&#{HUGE};&lt;/p&gt;" * 3
    page = parse(f'<title>高考报名人数公布</title><script>var content = "{escaped}";</script>'.encode(), URL)
    assert embedded_lines(page, "高考报名人数公布", ({"articleBody": escaped},)) == []


def test_a_pager_with_an_absurd_page_count_has_no_next_page() -> None:
    page = parse(
        f'<title>x</title><script>createPageHTML({HUGE}, 0, "index", "html");</script><a href="/a">要闻</a>'.encode(),
        URL,
    )
    assert scripted_url(page) is None
