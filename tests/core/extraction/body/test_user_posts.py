"""Posts of accounts: their pages say in scripts when and by whom they were posted, and some also what."""

from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article, PageType
from newsspider.pages.read_page import read_page
from tests.core.extraction.bodies import PARAGRAPHS
from tests.support.tables import each

NOW = datetime(2026, 11, 20, tzinfo=UTC)
TITLE = "临江市实验小学的秋季运动会"
DATED = "2026年6月10日上午，秋季运动会的筹备会在学校的会议室召开，各年级组长参加了会议。"
TEXT = "".join(f"<section><span>{text}</span></section>" for text in [DATED, *PARAGRAPHS])
SECONDS = 1794967533  # 18 November 2026, 10:05 in Shanghai


def article(scripts: str, body: str = "", head: str = "") -> Article:
    shown = f"<div id=img-content><h1 class=rich_media_title>{TITLE}</h1>{body}</div>" if body else "<div>微信扫一扫 关注该公众号</div>"
    markup = f"<html><head>{head}<title></title></head><body>{shown}<script>{scripts}</script></body></html>"
    return extract_article(parse(markup.encode(), "https://mp.weixin.qq.com/s/abc"), NOW)


@each(
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
@each("dated", [DATED, "时间：6月10日上午9:00", "发布时间：2026年6月10日 09:00", "2026-11-17 08:00"])
def test_the_moment_in_the_script_wins_over_a_day_of_the_text(script: str, dated: str) -> None:
    body = f"<div id=js_content style='visibility: hidden'><p>{dated}</p>{TEXT}</div>"
    assert f"{article(script, body).published_at:%Y-%m-%d %H:%M}" == "2026-11-18 10:05"


@each("script", ["var ct = getContainer();", "var object = 1794967533;", "ct: '18'", "var ct = '';"])
def test_another_value_is_no_moment(script: str) -> None:
    body = f"<p>2026-11-17 08:00</p><div id=js_content>{TEXT}</div>"
    assert f"{article(script, body).published_at:%Y-%m-%d %H:%M}" == "2026-11-17 08:00"


@each(
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
@each("name", ["", "<a id=js_name></a>"])
def test_the_account_in_the_script_is_the_source(script: str, name: str) -> None:
    assert article(script, f"{name}<div id=js_content>{TEXT}</div>").source == "临江教育发布"


def test_a_user_of_another_page_is_no_source() -> None:
    page = parse(f"<h1>{TITLE}</h1><div>{TEXT}</div><script>var nickname = '小明同学';</script>".encode(), "http://www.example.cn/1.html")
    assert extract_article(page, NOW).source is None


POST = "今天的比赛太好看了，孩子们都很开心。\\x0a\\x0a谢谢各位老师&amp;家长！\\x0a明年再见。"
LINES = "今天的比赛太好看了，孩子们都很开心。\n谢谢各位老师&家长！\n明年再见。"


@each("kind", ["window.item_show_type = '10' || '';", 'var item_show_type = "8";', "x = {item_show_type: '5' * 1};"])
@each(
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


NAME = "临江教育发布"
INTRODUCTION = (
    "临江市教育局官方账号，发布教育政策、招生考试信息和校园新闻，回应家长关心的问题。每天早上七点推送，"
    "欢迎学生、家长和老师投稿，投稿邮箱见菜单栏。本号由临江市教育局宣传科维护，工作日提供人工答复服务。"
)
SCRIPT = f"<script>var nickname = '{NAME}'; var ct = '{SECONDS}'; var item_show_type = '0';</script>"
BOX = (
    f"<div class=profile_inner><strong class=profile_nickname>{NAME}</strong><img class=profile_avatar src=/q.png>"
    f"<p class=profile_meta><label>微信号</label> <span class=profile_meta_value>ljjyfb</span></p>"
    f"<p class=profile_meta><label>功能介绍</label> <span class=profile_meta_value>{INTRODUCTION}</span></p></div>"
)
FOLLOW = "<p><img data-src=https://mmbiz.example/q.png></p><p>长按二维码，关注我们</p>"


def kind_of(title: str, body: str, script: str = SCRIPT, url: str = "https://mp.weixin.qq.com/s/abc") -> PageType:
    markup = f"<html><head><title>{title}</title></head><body>{body}{script}</body></html>"
    return read_page(parse(markup.encode(), url, "text/html; charset=utf-8"), NOW).kind


def post(title: str, body: str, after: str = "") -> str:
    return (
        f"<div class=rich_media><h1 class=rich_media_title id=activity-name>{title}</h1><em id=publish_time>2026-11-18 10:05</em>"
        f"<div class=rich_media_content id=js_content>{body}</div>{after}</div>"
    )


@each(
    ("title", "body", "script"),
    [
        (NAME, BOX, ""),
        (NAME, BOX, SCRIPT),
        (NAME, post(NAME, BOX), SCRIPT),
        (NAME, post(NAME, f"<p>{INTRODUCTION}</p><p>126篇原创内容</p>{FOLLOW}"), SCRIPT),
        (NAME, post(NAME, f"<section><p>{INTRODUCTION}</p></section>"), SCRIPT),
        (NAME, post(NAME, f"<p>传递临江教育好声音，服务每一个有孩子的家庭。</p>{FOLLOW}"), SCRIPT),
        (NAME, post(NAME, f"<p>公众号：{NAME}</p><p>微信号：ljjyfb</p><p>简介：{INTRODUCTION}</p>{FOLLOW}"), SCRIPT),
        (NAME, post(NAME, f"<mp-common-profile data-nickname={NAME} data-signature='{INTRODUCTION}'></mp-common-profile>"), SCRIPT),
        ("", post(NAME, f"<p>{INTRODUCTION}</p>{FOLLOW}"), SCRIPT),
        (f"{NAME}的微信公众号", post(f"{NAME}的微信公众号", f"<p>{INTRODUCTION}</p>{FOLLOW}"), SCRIPT),
        (f"{NAME}公众号名片", post(f"{NAME}公众号名片", f"<p>{INTRODUCTION}</p>{FOLLOW}"), SCRIPT),
        (NAME, f"<div class=rich_media_area><b>{NAME}</b><p>{INTRODUCTION}</p><a>关注公众号</a><img src=q.png></div>", SCRIPT),
        (NAME, f"<h2>{NAME}</h2><p>微信号: ljjyfb</p><p>功能介绍: {INTRODUCTION}</p><img src=q.png><p>微信扫一扫，关注该公众号</p>", ""),
        (NAME, f"<b>{NAME}</b><p>帐号主体</p><p>临江市教育局</p><p>功能介绍</p><p>{INTRODUCTION}</p><p>微信认证</p>", ""),
        (f"{NAME}的微信公众号", f"<p>{NAME}</p><p>微信号：ljjyfb</p><dl><dt>功能介绍：</dt><dd>{INTRODUCTION}</dd></dl>", ""),
    ],
)
def test_the_card_of_an_account_is_no_article(title: str, body: str, script: str) -> None:
    assert not kind_of(title, body, script).stored


@each(
    ("title", "body", "script"),
    [
        (TITLE, post(TITLE, TEXT, BOX), SCRIPT),
        (TITLE, post(TITLE, f"<p>{PARAGRAPHS[0]}</p>"), SCRIPT),
        (TITLE, post(TITLE, f"<p>{PARAGRAPHS[0]}</p><p>公众号：{NAME}</p><p>微信号：ljjyfb</p>{FOLLOW}"), SCRIPT),
        (f"{NAME}三周岁了", post(f"{NAME}三周岁了", f"<p>{INTRODUCTION}</p>{FOLLOW}"), SCRIPT),
        (f"关注{NAME}，不错过招生信息", post(f"关注{NAME}，不错过招生信息", f"<p>{INTRODUCTION}</p>{FOLLOW}"), SCRIPT),
        (NAME, post(NAME, TEXT * 3), SCRIPT),
        (NAME, post(NAME, "<p>今天上午，全市中小学正常上课，住校生由学校安排早餐。</p>"), SCRIPT),
        (NAME, post(NAME, "<p>受台风影响，全市幼儿园停课一天，请家长接孩子时注意安全。</p>"), SCRIPT),
        (NAME, post(NAME, f"<p>临江二中的排球队拿到了省里的冠军，为孩子们点赞！</p>{FOLLOW}"), SCRIPT),
        (NAME, post(NAME, "<p>各位考生：6月7日早上请带好准考证，提前半小时到考点。</p>"), SCRIPT),
        ("官方微信上线", f"<h1>官方微信上线</h1><p>2026-11-18 10:05</p><p>{INTRODUCTION}</p><p>微信号：lj</p><p>功能介绍：招生</p>", ""),
        (NAME, "", SCRIPT.replace("'0'", "'10'") + f"<script>text_page_info: {{content: '{INTRODUCTION}'}}</script>"),
    ],
)  # fmt: skip
def test_a_post_that_tells_something_is_an_article_whatever_stands_below_it(title: str, body: str, script: str) -> None:
    assert kind_of(title, body, script) is PageType.ARTICLE


def test_what_a_card_says_below_an_article_of_another_site_makes_no_card_of_it() -> None:
    body = f"<h1>{TITLE}</h1><div>2026-11-18 来源：{NAME}</div><div>{TEXT}</div>{BOX}"
    assert kind_of(TITLE, body, "", "http://www.a.cn/1.html") is PageType.ARTICLE
