"""Titles that a page sets in several lines."""

from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from tests.support.tables import each

NOW = datetime(2026, 11, 20, 4, tzinfo=UTC)
BODY = "".join(
    f"<p>{sentence}</p>"
    for sentence in (
        "本学期起，全县各中小学把体育课增加到每天一节，课间延长到十五分钟，操场上的笑声多了起来。",
        "县教育局体卫艺科负责人表示，学校要把时间还给学生，教师要和孩子们一起走出教室、走向操场。",
        "不少家长说，孩子回家以后饭吃得香了，晚上睡得早了，近视度数的增长也比去年慢了一些。",
    )
)
FIRST, SECOND = "永平县教育局", "关于开展春季体育节活动的通知"
WHOLE = FIRST + SECOND
DATED = "<p>2026-11-18 10:05 来源：永平教育</p>"


def title_of(full_title: str, above: str, head: str = "") -> str | None:
    page = f"<title>{full_title}</title>{head}<div class=main>{above}{DATED}<div class=content>{BODY}</div></div>"
    return extract_article(parse(page.encode(), "http://www.example.cn/a.html"), NOW).title


SHAPES = {
    "line break": "<h1>{}<br>{}</h1>",
    "paragraphs in a heading": "<h1><p>{}</p><p>{}</p></h1>",
    "two headings": "<h1>{}</h1><h2>{}</h2>",
    "two headings of one kind": "<h2>{}</h2><h2>{}</h2>",
    "a cell": "<table><tr><td class=bt>{}<br>{}</td></tr></table>",
    "a named box": "<div class=article-title>{}<br/>{}</div>",
    "centred paragraphs": "<p align=center>{}</p><p align=center>{}</p>",
    "bold lines": "<p><strong>{}</strong></p><p><b>{}</b></p>",
    "spans and a break": "<div><span>{}</span><br><span>{}</span></div>",
}


@each("shape", SHAPES.values(), ids=SHAPES)
@each("full_title", [f"{WHOLE}-永平教育信息网", f"{WHOLE}_通知公告_永平县教育局", f"{FIRST} {SECOND}", WHOLE])
def test_lines_that_make_up_the_title_of_the_window_are_one_title(shape: str, full_title: str) -> None:
    assert title_of(full_title, shape.format(FIRST, SECOND)) == WHOLE


@each("shape", SHAPES.values(), ids=SHAPES)
@each("name", ["ArticleTitle", "og:title", "title"])
def test_lines_that_make_up_a_declared_title_are_one_title(shape: str, name: str) -> None:
    head = f'<meta name="{name}" property="{name}" content="{WHOLE}">'
    assert title_of("永平教育信息网", shape.format(FIRST, SECOND), head) == WHOLE


@each("shape", ["line break", "a cell", "a named box"])
def test_a_heading_element_is_one_text_where_the_window_names_only_the_site(shape: str) -> None:
    assert title_of("永平教育信息网", SHAPES[shape].format(FIRST, SECOND)) == WHOLE


def test_three_lines_are_one_title() -> None:
    whole = "永平县教育局关于印发《春季体育节实施方案》的通知"
    above = "<h1>永平县教育局<br>关于印发《春季体育节实施方案》<br>的通知</h1>"
    assert title_of(f"{whole}-永平教育网", above) == whole


@each(
    ("full_title", "above", "expected"),
    [
        ("春天里的运动会-永平教育网", "<h1>春天里的运动会</h1><h2>操场上的笑声多了起来</h2>", "春天里的运动会"),
        ("春天里的运动会-永平教育网", "<h1>春天里的运动会<br>——永平县体育节侧记</h1>", "春天里的运动会"),
        ("春天里的运动会-永平教育网", "<p>体育周刊</p><h1>春天里的运动会</h1>", "春天里的运动会"),
        ("春天里的运动会-永平教育网", "<h1>通知公告</h1><h2>春天里的运动会</h2>", "春天里的运动会"),
        ("Spring Sports Day at Yongping - Yongping Daily", "<h1>Spring Sports Day<br>at Yongping</h1>", "Spring Sports Day at Yongping"),
    ],
)
def test_a_subtitle_a_column_and_a_section_are_no_part_of_the_title(full_title: str, above: str, expected: str) -> None:
    assert title_of(full_title, above) == expected


def test_the_lines_of_the_title_are_no_part_of_the_text() -> None:
    page = f"<title>{WHOLE}</title><div class=content><p>{FIRST}</p><p>{SECOND}</p>{BODY}</div>"
    article = extract_article(parse(page.encode(), "http://www.example.cn/a.html"), NOW)
    assert (article.title, article.text.startswith("本学期起")) == (WHOLE, True)
