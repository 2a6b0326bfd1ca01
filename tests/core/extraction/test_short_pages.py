"""Short pages: which are articles, and what their text is."""

from datetime import UTC, datetime

from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import PageType
from newsspider.pages.read_page import PageReading, read_page
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
LINKS = "".join(f"<li><a href=/a/{n}.html>课后服务第{n}次有了新办法</a>" for n in range(1, 9))
VERSES = ["雨落在没有人的跑道", "一圈，又一圈", "像刚学会跑步的孩子", "不肯停下", "看门的老人收起铃铛", "睡着了"]


def reading(markup: str, title: str = "图书馆闭馆的通知") -> PageReading:
    foot = "<div class=footer>地址：江口市文昌路1号 邮编：430000</div>"
    page = parse(f"<title>{title}_某某网</title><h1>{title}</h1>{markup}{foot}".encode(), "http://www.example.cn/12.html")
    return read_page(page, NOW)


@each(
    ("markup", "kind"),
    [
        ("<p>发布时间：2024-03-05</p><p>本周五下午闭馆，周六开放。</p>", PageType.ARTICLE),
        ("<p>本周五下午闭馆，周六开放。</p>", PageType.OTHER),
        ("<div>因消防检查，本馆本周五下午闭馆，周六照常开放，请读者提前借还。</div>", PageType.ARTICLE),
        ("<div>地址：文昌路十二号，电话八一二三四五六七，邮编四三零零零零</div>", PageType.OTHER),
        (f"<video></video><p>因消防检查，本馆本周五下午闭馆，周六照常开放。</p><ul>{LINKS}</ul>", PageType.ARTICLE),
    ],
)
def test_a_short_page_is_an_article_by_its_date_or_by_a_sentence_below_its_heading(markup: str, kind: PageType) -> None:
    assert reading(markup).kind is kind


@each("markup", ["<br>".join(VERSES), "".join(f"<p>{verse}</p>" for verse in VERSES)])
def test_a_poem_is_its_verses(markup: str) -> None:
    result = reading(f"<p>作者：王小明 2024-03-05</p><div class=a>{markup}</div>", "操场上的雨水")
    assert result.article.text == "\n".join(VERSES)
    assert result.kind is PageType.ARTICLE


def test_a_menu_of_short_lines_is_no_poem() -> None:
    menu = "".join(f"<p><a href=/{n}>{verse}</a></p>" for n, verse in enumerate(VERSES))
    assert VERSES[0] not in reading(menu).article.text


def test_an_article_in_a_script_is_read_where_the_script_names_its_title() -> None:
    text = "<p>上午八点四十分，江口县的孩子们围着一盆水坐成半圈。</p><p>谁也没有说话，直到第一枚硬币沉下去。</p>" * 2
    script = f'<script>var a = {{"title": "看不见的老师们在忙什么", "content": "{text}"}}</script>'
    markup = f"<title>看不见的老师们在忙什么</title><div id=app></div>{script}"
    assert "硬币" in read_page(parse(markup.encode(), "http://www.example.cn/12.html"), NOW).article.text
