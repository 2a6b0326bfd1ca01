"""A line at either end of a text that only gives its source or its authors is not of the text."""

from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.byline.source import without_end_credits
from newsspider.core.extraction.dom.page import parse
from tests.core.extraction.bodies import FOOTER, NAV, PARAGRAPHS
from tests.support.tables import each

# The line; source and authors of the article.
CREDITS: list[tuple[str, str | None, list[str]]] = [
    ("“某某教育”微信公众号", "某某教育", []),
    ("（“某某教育”微信公众号）", "某某教育", []),
    ("本文转载自“某某教育”微信公众号", "某某教育", []),
    ("来自“某某教育”官方微信公众号。", "某某教育", []),
    ("选自“某某教育”订阅号", "某某教育", []),
    ("From：某某日报", "某某日报", []),
    ("From: 某某日报", "某某日报", []),
    ("（Source：某某日报）", "某某日报", []),
    ("source | 某某日报", "某某日报", []),
    ("[宣传部 李红玉]", None, ["李红玉"]),
    ("（图书馆 李红玉 王小明）", None, ["李红玉", "王小明"]),
    ("(学生工作处 李红玉、王小明)", None, ["李红玉", "王小明"]),
    ("〔教务处 李红玉〕", "某某大学", ["李红玉"]),
]
SIGNATURES: list[tuple[str, str | None, list[str]]] = [
    ("通讯员：李红玉", "某某学院", ["李红玉"]),
    ("李红玉/文图", None, ["李红玉"]),
    ("供稿：某某学院 李红玉", "某某学院", ["李红玉"]),
    ("（撰稿｜李红玉、李红）", None, ["李红", "李红玉"]),
    ("李红玉/文  王小明/图", None, ["李红玉"]),
    ("文字：李红玉 图片：学生工作处", None, ["李红玉"]),
]
SENTENCES: list[tuple[str, str | None, list[str]]] = [
    ("“某某教育”微信公众号", "某某日报", []),
    ("关注“某某教育”微信公众号，可以查询录取结果。", "某某教育", []),
    ("From：某某日报", "某某教育", []),
    ("From Beijing to Shanghai", "某某日报", []),
    ("[宣传部 李红玉]", None, ["王小明"]),
    ("（一等奖 李红玉 王小明）", None, ["李红玉"]),
    ("【李红玉】", None, ["李红玉"]),
    ("宣传部 李红玉", None, ["李红玉"]),
    ("李红玉：文", None, ["王小明"]),
    ("记者 李红玉", None, ["李红玉"]),
    ("主持人：李红玉", None, ["李红玉"]),
    ("李红玉" + "文/" * 27 + "好", None, ["李红玉"]),  # and in no time
]


@each(("line", "source", "authors"), CREDITS)
def test_a_credit_at_either_end_goes(line: str, source: str | None, authors: list[str]) -> None:
    assert without_end_credits([*PARAGRAPHS, line], source, authors) == PARAGRAPHS
    assert without_end_credits([line, *PARAGRAPHS], source, authors) == PARAGRAPHS


@each(("line", "source", "authors"), SIGNATURES)
def test_a_signature_below_the_text_goes_and_above_it_stays(line: str, source: str | None, authors: list[str]) -> None:
    assert without_end_credits([line, *PARAGRAPHS, line], source, authors) == [line, *PARAGRAPHS]


@each(("line", "source", "authors"), CREDITS)
def test_between_paragraphs_or_alone_it_stays(line: str, source: str | None, authors: list[str]) -> None:
    lines = [*PARAGRAPHS[:2], line, *PARAGRAPHS[2:]]
    assert without_end_credits(lines, source, authors) == lines
    assert without_end_credits([line], source, authors) == [line]


@each(("line", "source", "authors"), SENTENCES)
def test_what_did_not_give_the_field_stays(line: str, source: str | None, authors: list[str]) -> None:
    for lines in ([*PARAGRAPHS, line], [line, *PARAGRAPHS]):
        assert without_end_credits(lines, source, authors) == lines


@each(
    ("line", "source", "authors"),
    [
        ("（“某某教育”微信公众号）", "某某教育", ()),
        ("本文转载自“某某教育”微信公众号", "某某教育", ()),
        ("From：某某日报", "某某日报", ()),
        ("[宣传部 李红玉]", None, ("李红玉",)),
        ("（图书馆 李红玉）", None, ("李红玉",)),
        ("通讯员：李红玉", None, ("李红玉",)),
        ("李红玉/文 王小明/图", None, ("李红玉",)),
        ("李红玉 文/图", None, ("李红玉",)),
        ("供稿：学生工作处", "学生工作处", ()),
    ],
)
def test_the_line_gives_its_field_and_goes_from_the_text(line: str, source: str | None, authors: tuple[str]) -> None:
    text = "".join(f"<p>{text}</p>" for text in (*PARAGRAPHS, line))
    markup = f"{NAV}<h1>新学期的作业怎么写</h1><div>2024-03-05 14:08</div><div class=c>{text}</div>{FOOTER}"
    article = extract_article(parse(markup.encode(), "http://www.example.cn/a.html"), datetime(2024, 3, 6, tzinfo=UTC))
    assert (article.text, article.source, article.authors) == ("\n".join(PARAGRAPHS), source, authors)
