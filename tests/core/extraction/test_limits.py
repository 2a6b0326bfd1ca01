"""The limits on the fields of an article."""

from dataclasses import fields
from datetime import UTC, datetime

import pytest

from newsspider.core.extraction.article import (
    MOST_COMMENTS,
    MOST_HEADINGS,
    MOST_IMAGES,
    MOST_NAMES,
    extract_article,
    limited,
    record_of,
)
from newsspider.core.extraction.dom.outline import LONGEST_LINE
from newsspider.core.extraction.dom.page import Page, parse
from newsspider.core.links.article_parts import continued_article
from newsspider.core.links.page_links import links_of, page_links
from newsspider.core.model import LONGEST_TEXT, LONGEST_TITLE, Article, ArticleRules, Image, PageType
from tests.support.characters import BIDI

NOW = datetime(2026, 3, 2, tzinfo=UTC)
URL = "http://www.example.cn/2026/c12.html"
SENTENCE = "全省今年高考报名人数公布，考点比去年增加十二个。"
CONTROLS = [*range(9), *range(11, 32), *range(0x7F, 0xA0), *BIDI]
RULES = ArticleRules(title="//h1", body="//div[@class='content']//p", source="//i", author="//em")


def page_of(title: str, text: str = SENTENCE * 3, end: str = "") -> Page:
    head = f'<title>{title}</title><meta name="description" content="{title}"><meta name="keywords" content="{title}">'
    return parse(f"<html><head>{head}</head><body><h1>{title}</h1><div class=content><p>{text}</p></div>{end}".encode(), URL)


def strings(value: object) -> list[str]:
    """All strings in a value, however deep."""
    if isinstance(value, str):
        return [value]
    return [text for part in value for text in strings(part)] if isinstance(value, tuple) else []


@pytest.mark.parametrize("rules", [ArticleRules(), RULES], ids=["found", "told"])
@pytest.mark.parametrize("entities", [True, False])
def test_no_field_of_an_article_has_control_or_direction_characters(rules: ArticleRules, *, entities: bool) -> None:
    odd = "".join(f"&#{code};" if entities else chr(code) for code in CONTROLS if entities or code not in range(32))
    end = f"<img src=/a.jpg alt='高考现场{odd}'><i>来源：某{odd}网</i><em>作者：王{odd}小明</em><a href='/b.html'>教{odd}育</a>"
    page = page_of(f"高考{odd}报名人数公布", f"{SENTENCE * 60}{odd}记者 王{odd}小明", end)
    article = extract_article(page, NOW, rules)
    assert (article.title or "").startswith("高考")
    assert (article.title or "").endswith("报名人数公布")
    values = [text for field in fields(article) for text in strings(getattr(article, field.name))]
    values += [link.text for link in (*page_links(page), *links_of(page))]
    assert any(text.startswith("教") and text.endswith("育") for text in values)
    assert not [text for text in values if not set(map(ord, text)).isdisjoint(CONTROLS)]


def test_a_title_is_cut_and_the_article_says_so() -> None:
    article = extract_article(page_of("高考报名" * 1000), NOW)
    assert len(article.title or "") == LONGEST_TITLE
    assert article.truncated
    assert not extract_article(page_of("高考报名"), NOW).truncated


def test_a_text_is_cut_and_the_article_says_so() -> None:
    article = extract_article(page_of("高考报名人数公布", f"{SENTENCE}</p><p>" * (LONGEST_TEXT // len(SENTENCE) + 100)), NOW)
    assert len(article.text) == LONGEST_TEXT
    assert article.truncated


def test_an_article_of_many_pages_is_cut_and_says_so() -> None:
    page = page_of("高考报名人数公布")
    whole = record_of(page, extract_article(page, NOW), PageType.ARTICLE, (), NOW, url=URL)
    for number in range(12):
        part = Article(title="高考报名人数公布", text="\n".join(f"第{number}页第{line}段。{SENTENCE}" for line in range(4000)))
        whole = continued_article(whole, part) or whole
    assert len(whole.text) == LONGEST_TEXT
    assert whole.truncated


def test_a_line_without_end_is_read_as_several() -> None:
    article = extract_article(page_of("高考报名人数公布", SENTENCE * 10_000), NOW)
    assert max(map(len, article.text.split("\n"))) <= LONGEST_LINE
    assert article.text.replace("\n", "") == SENTENCE * 10_000


def test_names_headings_pictures_and_comments_are_bounded() -> None:
    many = tuple(f"王小明{number}" for number in range(3000))
    article = limited(
        Article(
            authors=many,
            editors=many,
            headings=many,
            comments=("评论" * 1000,) * 3000,
            source="网" * 1000,
            images=(*(Image(f"http://a.cn/{name}.jpg", "图" * 1000) for name in many), Image("data:" + "a" * 10_000)),
        )
    )
    assert len(article.authors) == len(article.editors) == MOST_NAMES
    assert len(article.headings) == MOST_HEADINGS
    assert len(article.images) == MOST_IMAGES
    assert len(article.comments) <= MOST_COMMENTS
    assert sum(map(len, article.comments)) <= LONGEST_TEXT
    assert len(article.source or "") == 100
    assert max(len(image.caption) for image in article.images) == 512


def test_the_text_of_a_link_is_bounded() -> None:
    page = page_of("要闻", end=f'<a href="/b.html">{"高考" * 1000}</a>')
    assert [len(link.text) for link in (*page_links(page), *links_of(page))] == [512, 512]
