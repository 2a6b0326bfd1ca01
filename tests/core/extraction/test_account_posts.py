"""Posts of accounts: their pages say in scripts when and by whom they were posted, and some also what."""

from datetime import UTC, datetime

import pytest

from newsspider.core.extraction.article import read
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article
from tests.core.extraction.bodies import PARAGRAPHS

NOW = datetime(2026, 11, 20, tzinfo=UTC)
TITLE = "临江市实验小学的秋季运动会"
DATED = "2026年6月10日上午，秋季运动会的筹备会在学校的会议室召开，各年级组长参加了会议。"
TEXT = "".join(f"<section><span>{text}</span></section>" for text in [DATED, *PARAGRAPHS])
SECONDS = 1794967533  # 18 November 2026, 10:05 in Shanghai


def article(scripts: str, body: str = "", head: str = "") -> Article:
    shown = f"<div id=img-content><h1 class=rich_media_title>{TITLE}</h1>{body}</div>" if body else "<div>微信扫一扫 关注该公众号</div>"
    markup = f"<html><head>{head}<title></title></head><body>{shown}<script>{scripts}</script></body></html>"
    return read(parse(markup.encode(), "https://mp.weixin.qq.com/s/abc"), NOW)


@pytest.mark.parametrize(
    "script",
    [
        f'var ct = "{SECONDS}";',
        f"var ct='{SECONDS}';",
        f"var ct = {SECONDS};",
        f"window.ct = '{SECONDS}' || '';",
        f'var oriCreateTime = "{SECONDS}";',
        "var createTime = '2026-11-18 10:05';",
        "window.cgiData = {create_time: JsDecode('2026-11-18 10:05'), link: ''}",
        f"window.cgiDataNew = {{ori_create_time: '{SECONDS}' * 1}}",
        f"var d = {{ct:'{SECONDS}',nick_name:'临江教育'}}",
    ],
)
@pytest.mark.parametrize("dated", [DATED, "时间：6月10日上午9:00", "发布时间：2026年6月10日 09:00", "2026-11-17 08:00"])
def test_the_moment_in_the_script_wins_over_a_day_of_the_text(script: str, dated: str) -> None:
    body = f"<div id=js_content style='visibility: hidden'><p>{dated}</p>{TEXT}</div>"
    assert f"{article(script, body).published_at:%Y-%m-%d %H:%M}" == "2026-11-18 10:05"


@pytest.mark.parametrize("script", ["var ct = getContainer();", "var object = 1794967533;", "ct: '18'", "var ct = '';"])
def test_another_value_is_no_moment(script: str) -> None:
    body = f"<p>2026-11-17 08:00</p><div id=js_content>{TEXT}</div>"
    assert f"{article(script, body).published_at:%Y-%m-%d %H:%M}" == "2026-11-17 08:00"


@pytest.mark.parametrize(
    "script",
    [
        'var nickname = "临江教育发布";',
        'var nickname = htmlDecode("临江教育发布");',
        "d = {nick_name: JsDecode('临江教育发布'), x: 1}",
        "d = {user_name:'gh_1',nick_name:'临江教育发布'}",
        "window.nickname = '临江教育发布';",
        "d = {nick_name: '', a: {nick_name: '临江教育发布'}}",
    ],
)
@pytest.mark.parametrize("name", ["", "<a id=js_name></a>"])
def test_the_account_in_the_script_is_the_source(script: str, name: str) -> None:
    assert article(script, f"{name}<div id=js_content>{TEXT}</div>").source == "临江教育发布"


def test_a_user_of_another_page_is_no_source() -> None:
    page = parse(f"<h1>{TITLE}</h1><div>{TEXT}</div><script>var nickname = '小明同学';</script>".encode(), "http://www.example.cn/1.html")
    assert read(page, NOW).source is None


POST = "今天的比赛太好看了，孩子们都很开心。\\x0a\\x0a谢谢各位老师&amp;家长！\\x0a明年再见。"
LINES = "今天的比赛太好看了，孩子们都很开心。\n谢谢各位老师&家长！\n明年再见。"


@pytest.mark.parametrize("kind", ["window.item_show_type = '10' || '';", 'var item_show_type = "8";', "x = {item_show_type: '5' * 1};"])
@pytest.mark.parametrize(
    "text",
    [
        "text_page_info: {content: JsDecode('{}'), is_user_title: '1'}",
        "content_noencode: JsDecode('{}'),",
        "text_page_info:{content:'{}'}",
        'content_noencode: "{}",',
    ],
)
def test_a_post_of_text_or_pictures_has_its_text_in_the_script(kind: str, text: str) -> None:
    fields = text.replace("{}", POST)
    script = f"{kind} var msg_title = '{TITLE}'; var ct = '{SECONDS}'; d = {{nick_name: '临江教育', {fields}}}"
    extracted = article(script, head=f"<meta property='og:title' content='{TITLE}'>")
    assert (extracted.title, extracted.text, extracted.source) == (TITLE, LINES, "临江教育")
    assert f"{extracted.published_at:%Y-%m-%d %H:%M}" == "2026-11-18 10:05"


def test_the_description_of_a_post_of_pictures_is_its_text() -> None:
    head = f"<meta property='og:title' content='{TITLE}'><meta name=description content='{POST}'>"
    assert article("window.item_show_type = '8';", head=head).text == LINES


def test_a_post_of_text_without_a_title_is_called_by_its_first_line() -> None:
    head = "<meta property='og:title' content='今天的比赛太好看了，孩子们都很开心。\\n\\n谢谢各位老师'>"
    extracted = article(f"window.item_show_type='10'; d={{text_page_info: {{content: '{POST}'}}}}", head=head)
    assert (extracted.title or "").startswith("今天的比赛太好看了，孩子们都很开心")
    assert "谢谢" not in (extracted.title or "")
    assert "明年再见。" in extracted.text


def test_an_article_with_markup_is_read_from_its_markup() -> None:
    script = f"var item_show_type = '0'; d = {{content_noencode: JsDecode('{POST}')}}"
    assert article(script, f"<div id=js_content>{TEXT}</div>").text == "\n".join([DATED, *PARAGRAPHS])
