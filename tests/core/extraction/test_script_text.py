"""Pages that are assembled in the browser carry their text in scripts."""

import json
from datetime import UTC, datetime
from html import escape
from urllib.parse import quote

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import page_links
from newsspider.core.model import Article, PageType
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)
TITLE = "新学期的作业怎么写"
PARAGRAPHS = [
    "教育部今天发布通知，要求各地中小学在新学期开学后认真落实课程方案，作业不得过多。",
    "通知说，学校不得随意增加作业，也不得提前讲授下一学期的内容，家长可以向学校反映情况。",
    "“作业在学校就写完了。”一位母亲说，“回家以后我们一起读书。”（记者 王小明）",
]
OTHER = "市里的图书馆星期一闭馆，读者可以在网上预约下一周的座位，学生凭证件免费入场。" * 4
MARKUP = "".join(f"<p class=\"p\">{text}</p>" for text in PARAGRAPHS)


def article(script: str, visible: str = "<div id=app></div>", title: str = TITLE) -> Article:
    markup = f"<html><head><title>{title}_某某网</title></head><body>{visible}<script>{script}</script></body></html>"
    return extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW)


@each(
    "script",
    [
        "window.__INITIAL_STATE__=" + json.dumps({"article": {"title": TITLE, "content": MARKUP}}),
        "window.__NUXT__=" + json.dumps({"data": [{"detail": MARKUP}]}, ensure_ascii=False),
        "var info = {content: '" + MARKUP.replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;") + "'};",
        "var body = " + json.dumps("\n".join(PARAGRAPHS)) + ";",
        "d.content = '" + MARKUP.replace("<", "\\x3c").replace('"', "\\x22") + "';",
        "var body = '" + MARKUP.replace("<", "\\u003c").replace('"', '\\"') + "', other = '" + OTHER[:38] + "';",
    ],
)
def test_the_text_in_a_script_is_read_where_the_page_shows_none(script: str) -> None:
    extracted = article(script)
    assert extracted.text == "\n".join(PARAGRAPHS)
    assert (extracted.title, extracted.authors) == (TITLE, ("王小明",))


STATE = json.dumps({"article": {"title": TITLE, "content": MARKUP, "publishTime": "2024-03-05 14:08:00"}})


@each(
    "packed",
    [
        f"<script>window.__INITIAL_STATE__=JSON.parse({json.dumps(STATE)});</script>",
        f'<script id="RENDER_DATA" type="application/json">{quote(STATE)}</script>',
        f"<script>var d = JSON.parse(decodeURIComponent('{quote(STATE)}'))</script>",
        f'<textarea id="data" style="display:none">{escape(STATE)}</textarea>',
    ],
)
def test_packed_data_is_read_with_its_date(packed: str) -> None:
    page = parse(f"<title>{TITLE}_某某网</title><div id=app></div>{packed}".encode(), "http://www.example.cn/a.html")
    extracted = extract_article(page, NOW)
    assert (extracted.title, extracted.text) == (TITLE, "\n".join(PARAGRAPHS))
    assert f"{extracted.published_at:%Y-%m-%d %H:%M}" == "2024-03-05 14:08"


def test_the_text_of_json_ld_is_read_where_the_page_shows_none() -> None:
    linked = json.dumps({"@type": "NewsArticle", "articleBody": "\n".join(PARAGRAPHS)})
    markup = f"<title>{TITLE}</title><script type='application/ld+json'>{linked}</script><div id=app>加载中</div>"
    page = parse(markup.encode(), "http://www.example.cn/a.html")
    assert extract_article(page, NOW).text == "\n".join(PARAGRAPHS)


def test_a_page_with_its_text_in_a_script_is_an_article() -> None:
    state = json.dumps({"content": MARKUP, "publishTime": "2024-03-05 14:08:00"})
    markup = f"<title>{TITLE}_某某网</title><div id=app></div><script>window.state={state}</script>"
    page = parse(markup.encode(), "http://www.example.cn/a.html")
    extracted = extract_article(page, NOW)
    assert page_type_of(page, extracted, page_links(page)) is PageType.ARTICLE
    assert f"{extracted.published_at:%Y-%m-%d %H:%M}" == "2024-03-05 14:08"


def test_what_the_page_shows_wins() -> None:
    visible = f"<h1>{TITLE}</h1><div>{''.join(f'<p>{text}</p>' for text in PARAGRAPHS[:2])}</div>"
    assert article("var more = " + json.dumps({"content": MARKUP + MARKUP}), visible).text == "\n".join(PARAGRAPHS[:2])


@each(
    "script",
    [
        "var list = " + json.dumps([{"content": MARKUP}, {"content": f"<p>{OTHER}</p>"}]),  # several articles
        "var about = " + json.dumps({"content": f"<p>{OTHER}</p>"}),  # is about something else
        "var page = " + json.dumps({"description": MARKUP, "comments": MARKUP, "privacy": MARKUP}),
        "var code = '" + "function(a){return a.b(c,'d')}" * 20 + "';",
        "var broken = \"\\x" + "字" * 200 + "\";",
        "var text = \"" + "没有结束的字符串" * 200,
    ],
)
def test_other_strings_are_no_text(script: str) -> None:
    assert article(script).text == ""


def test_a_page_without_a_title_has_no_text_in_its_scripts() -> None:
    assert article("var body = " + json.dumps(MARKUP), title="").text == ""


def test_of_a_page_with_very_many_strings_the_longest_are_looked_at() -> None:
    many = ";".join(f"s{number}='{'QUJD' * 20}{number}'" for number in range(10_000))
    assert article(f"{many};var body = {json.dumps(MARKUP, ensure_ascii=False)}").text == "\n".join(PARAGRAPHS)


def test_a_page_that_says_that_there_is_nothing_has_no_text_in_its_scripts() -> None:
    script = "var hot = " + json.dumps({"content": MARKUP}, ensure_ascii=False)
    assert article(script, "<p>抱歉，您访问的页面不存在</p>").text == "抱歉，您访问的页面不存在"


def test_a_news_flash_stays_what_it_is() -> None:
    flash = "新学期的作业怎么写，教育部今天发了通知。"
    assert article("var rel = " + json.dumps({"content": MARKUP}), f"<h1>{TITLE}</h1><div><p>{flash}</p></div>").text == flash


STYLE = ".box{color:#333;margin:0 4px} .box p{font:14px/1.5 Some, serif} "


def test_styles_and_pictures_in_scripts_are_no_texts_however_long() -> None:
    styles = ";".join(f'add("{STYLE * 300}");add(".a{{font-family:宋体}} {STYLE * 300}")' for _ in range(30))
    pictures = ";".join(f"p{number}='data:image/png;base64,{'QUJD' * 2000}'" for number in range(30))
    assert article(f"{styles};{pictures};var body = {json.dumps(MARKUP, ensure_ascii=False)}").text == "\n".join(PARAGRAPHS)


def test_of_several_texts_the_one_that_covers_a_long_title_is_taken() -> None:
    script = "var posts = " + json.dumps([MARKUP, OTHER], ensure_ascii=False)
    assert article(script, title="新学期作业怎么写：课程方案认真落实").text == "\n".join(PARAGRAPHS)
    assert article(script, title="新学期作业").text == ""  # one of the texts of a list may cover its title


@each(
    "parked",
    [
        "<template>{markup}</template>",
        "<template id=t><div class=c>{markup}</div></template>",
        "<noscript>{markup}</noscript>",
        "<noscript><div>{markup}</div></noscript>",
        "<script type='text/html'>{markup}</script>",
        "<script type='text/template' id=tpl><div>{markup}</div></script>",
        "<script type='text/x-handlebars-template'>{markup}</script>",
        "<script type='text/plain'>{markup}</script>",
        "<input type=hidden id=c value='{escaped}'>",
        "<input type='HIDDEN' name=content value='{twice}'>",
        "<textarea style='display:none'>{escaped}</textarea>",
        "<iframe srcdoc='{escaped}'></iframe>",
        "<div class=c>{escaped}</div>",
        "<div id=content>{twice}</div>",
        "<div><p>{escaped}</p></div>",
    ],
)
def test_markup_that_waits_for_a_script_is_the_text(parked: str) -> None:
    html = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    body = parked.format(markup=html, escaped=escape(html), twice=escape(escape(html)))
    foot = "<div class=foot><p>版权所有：某某市教育局 地址：学府路12号</p></div>"
    page = parse(
        f"<title>{TITLE}_某某网</title><h1>{TITLE}</h1><div>2024-03-05</div><div id=x></div>{body}{foot}".encode(),
        "http://www.example.cn/a.html",
    )
    assert extract_article(page, NOW).text == "\n".join(PARAGRAPHS)


@each(
    "parked",
    [
        "<noscript><p>{other}</p></noscript>",
        "<template><p>{other}</p></template>",
        "<script type='text/html'><p>{other}</p></script>",
        "<input type=hidden value='{other}'>",
        "<input type=text value='{other}'>",
    ],
)
def test_markup_that_waits_for_a_script_and_is_of_something_else_is_not_the_text(parked: str) -> None:
    page = f"<title>{TITLE}_某某网</title><h1>{TITLE}</h1><div>2024-03-05</div>{parked.format(other=OTHER)}"
    assert extract_article(parse(page.encode(), "http://www.example.cn/a.html"), NOW).text == ""


OF_ANOTHER = {"title": "市图书馆的夜场开放以后", "url": "/b.html"}
RECOMMENDED = f"<p>新学期的作业怎么写，图书馆也有答案。</p>{MARKUP}"  # it names the page's title too


@each(
    "record",
    [
        {**OF_ANOTHER, "content": RECOMMENDED},
        {"recommend": [{**OF_ANOTHER, "content": RECOMMENDED}]},
        {"article": {"title": TITLE, "content": ""}, "next": {**OF_ANOTHER, "content": RECOMMENDED}},
        {"props": {"pageProps": {"hot": [{**OF_ANOTHER, "body": RECOMMENDED}]}}},
        {"list": [{**OF_ANOTHER, "detail": {"html": RECOMMENDED}}]},
        {"headline": OF_ANOTHER["title"], "text": RECOMMENDED},
        {"newsTitle": OF_ANOTHER["title"], "newsContent": RECOMMENDED},
    ],
)
@each(
    "script", ["window.__INITIAL_STATE__={}", "var data = {};", "window.__NUXT__={}", "x.y=JSON.parse('{}')"]
)
def test_the_text_of_a_record_with_another_title_is_not_that_of_the_page(record: dict[str, object], script: str) -> None:
    data = json.dumps(record, ensure_ascii=False)
    data = data.replace("\\", "\\\\") if "parse" in script else data
    assert article(script.replace("{}", data), f"<h1>{TITLE}</h1><p>图：校园一角</p>").text in ("", "图：校园一角")


@each("title", [TITLE, f"{TITLE}_某某网", TITLE[:6] + "...", f"关注|{TITLE}"])
def test_the_text_of_a_record_with_the_title_of_the_page_is_its_text(title: str) -> None:
    record = {"article": {"title": title, "content": MARKUP}, "hot": [{**OF_ANOTHER, "content": f"<p>{OTHER}</p>"}]}
    assert article(f"window.__INITIAL_STATE__={json.dumps(record)}").text == "\n".join(PARAGRAPHS)


def test_the_json_ld_of_another_article_is_not_the_text() -> None:
    linked = json.dumps({"@type": "NewsArticle", "headline": OF_ANOTHER["title"], "articleBody": RECOMMENDED})
    markup = f"<title>{TITLE}</title><script type='application/ld+json'>{linked}</script><div id=app></div>"
    assert extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), NOW).text == ""
