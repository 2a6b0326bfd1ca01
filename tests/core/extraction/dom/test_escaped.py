"""Entities and markup that were escaped once too often."""

from datetime import UTC, datetime
from html import escape

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.charset import markup_in, unescape_entities
from newsspider.core.extraction.dom.outline import outline_of
from newsspider.core.extraction.dom.page import parse
from tests.core.extraction.bodies import FOOTER, NAV, PARAGRAPHS
from tests.support.tables import each

NOW = datetime(2024, 6, 15, tzinfo=UTC)


@each(
    ("text", "meant"),
    [
        ("&ldquo;双减&rdquo;落地", "“双减”落地"),
        ("&amp;ldquo;双减&amp;rdquo;落地", "“双减”落地"),
        ("开学啦&nbsp;新学期", "开学啦\xa0新学期"),
        ("R&amp;D", "R&D"),
        ("R&amp;amp;D", "R&D"),
        ("&#20020;&#27743;", "临江"),
        ("&#x4E34;&#x6C5F;", "临江"),
        ("课间&mdash;&mdash;延长&hellip;", "课间——延长…"),
        ("汤姆&middot;索亚&#39;s", "汤姆·索亚's"),
        ("3 &lt; 5", "3 < 5"),
    ],
)
def test_an_entity_is_the_character_that_it_names(text: str, meant: str) -> None:
    assert unescape_entities(text) == meant


@each(
    "text",
    [
        "R&D与教育",
        "AT&T;",
        "a&b=1&copy=2",
        "Q&A",
        "空格的实体是&nbsp;，引号是&ldquo;",
        "&amp;在网页里要转义",
        "甲&乙；丙",
        "&nosuch;",
        "&#99999999;",
    ],
)
def test_what_names_no_entity_or_is_about_them_stays(text: str) -> None:
    assert unescape_entities(text) == text


def test_title_and_text_have_no_entities() -> None:
    title, paragraphs = "“双减”之后——作业怎么写", [*PARAGRAPHS, "孩子们说：“作业少了，书读得多了。”"]
    twice = {"“": "&amp;ldquo;", "”": "&amp;rdquo;", "—": "&amp;mdash;", "，": "&amp;#65292;"}
    spelt = str.maketrans(twice)
    text = "".join(f"<p>{line.translate(spelt)}</p>" for line in paragraphs)
    head = f"<title>{title.translate(spelt)}_某某网</title><meta property=og:title content='{title.translate(spelt)}'>"
    article = extract_article(
        parse(
            f"{head}{NAV}<h1>{title.translate(spelt)}</h1><div>2024-03-05</div><div>{text}</div>{FOOTER}".encode(),
            "http://www.example.cn/1.html",
        ),
        NOW,
    )
    assert (article.title, article.text) == (title, "\n".join(paragraphs))


@each(
    "markup", ["<pre>a &amp;nbsp; b</pre>", "<p><code>&amp;nbsp;</code> a</p>", "<p>空格<code>&amp;nbsp;</code>不换行</p>"]
)
def test_an_entity_in_code_is_meant(markup: str) -> None:
    lines = outline_of(parse(f"<body>{markup}</body>".encode(), "http://www.example.cn/1.html")).lines
    assert "&nbsp;" in lines[0].text


@each(
    "text",
    [
        "使用<p>标签可以分段，</p>是它的结尾。",
        "<p>hello</p>",
        "<p> 和 </p> 成对",
        "<img src=a.jpg>",
        "<作者>说：“好。”",
        "<br>",
        "5<6，7>3。",
    ],
)
def test_a_text_that_names_a_tag_is_no_markup(text: str) -> None:
    assert markup_in(text) is None


@each("element", ["p", "div", "section", "h3", "li"])
def test_markup_as_text_gives_its_lines_and_pictures(element: str) -> None:
    inner = "".join(f"<{element}>{text}</{element}>" for text in PARAGRAPHS) + "<p><img src=/a.jpg></p>"
    inner = f"<div>{inner}</div>" if element in ("li", "h3") else inner
    outline = outline_of(parse(f"<div>{escape(inner)}</div><p>完</p>".encode(), "http://www.example.cn/1.html"))
    assert [line.text for line in outline.lines] == [*PARAGRAPHS, "完"]
    assert [picture.line for picture in outline.pictures] == [len(PARAGRAPHS)]
