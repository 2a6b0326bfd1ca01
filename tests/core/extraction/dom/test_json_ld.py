"""Which records in the data of a page are those of other articles."""

import json
from datetime import UTC, datetime

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.model import Article
from tests.core.extraction.bodies import PARAGRAPHS
from tests.support.tables import each

NOW = datetime(2026, 11, 20, tzinfo=UTC)
TITLE = "临江市实验小学的秋季运动会"
URL = "http://www.example.cn/news/2026/88123.html"
OTHER_TITLE = "市图书馆的夜场开放以后"
TEXT = "".join(f"<p>{text}</p>" for text in (f"{TITLE}今天开幕了。", *PARAGRAPHS))  # any record with it covers the title
WHOLE = "\n".join((f"{TITLE}今天开幕了。", *PARAGRAPHS))


def article(state: object, head: str = "", visible: str = "<div id=app></div>", url: str = URL) -> Article:
    script = f"<script>window.__INITIAL_STATE__={json.dumps(state, ensure_ascii=False)}</script>"
    markup = f"<html><head><title>{TITLE}_临江教育网</title>{head}</head><body>{visible}{script}</body></html>"
    return extract_article(parse(markup.encode(), url, "text/html; charset=utf-8"), NOW)


CANONICAL = f"<link rel=canonical href={URL}>"
OG_URL = f"<meta property=og:url content={URL}>"
ELSEWHERE = "http://m.example.cn/detail?from=share"


@each(
    ("record", "head", "url"),
    [
        ({"title": TITLE, "content": TEXT}, "", URL),
        ({"title": TITLE, "content": TEXT, "id": 7, "url": "/b.html"}, "", URL),
        ({"title": OTHER_TITLE, "content": TEXT, "url": "/news/2026/88123.html"}, "", URL),
        ({"title": OTHER_TITLE, "content": TEXT, "shareUrl": URL.replace("http:", "https:")}, "", URL),
        ({"title": OTHER_TITLE, "content": TEXT, "docId": "88123"}, "", URL),
        ({"content": TEXT, "id": 88123}, "", URL),
        ({"content": TEXT, "url": URL}, "", URL),
        ({"content": TEXT, "url": URL}, CANONICAL, ELSEWHERE),
        ({"content": TEXT, "url": URL}, OG_URL, ELSEWHERE),
        ({"content": TEXT, "newsId": 88123}, CANONICAL, ELSEWHERE),
        ({"content": TEXT, "newsId": 88123}, "", "http://www.example.cn/show.php?id=88123"),
        ({"content": TEXT, "mainEntityOfPage": {"@id": URL}}, "", URL),
        ({"content": TEXT}, "", URL),  # nothing in it is another article's
        ({"title": TITLE, "detail": {"id": 5, "html": TEXT}}, "", URL),
        ({"title": TITLE, "author": {"id": 5, "name": "王小明"}, "content": TEXT}, "", URL),
    ],
)
def test_a_record_with_the_title_the_url_or_the_number_of_the_page_is_its_article(record: object, head: str, url: str) -> None:
    for state in (record, {"article": record}, {"data": {"list": [record]}}):
        assert article(state, head, url=url).text == WHOLE


@each(
    "record",
    [
        {"title": OTHER_TITLE, "content": TEXT},
        {"title": OTHER_TITLE, "content": TEXT, "url": "/news/2026/88124.html"},
        {"title": OTHER_TITLE, "content": TEXT, "id": 88124},
        {"title": OTHER_TITLE, "content": TEXT, "id": 2026},  # a year in every URL
        {"content": TEXT, "id": 88124},
        {"content": TEXT, "url": "/news/2026/88124.html"},
        {"content": TEXT, "url": "/news/2026/88124.html", "id": 88124},
        {"content": TEXT, "link": "http://www.example.cn/news/2026/88124.html"},
    ],
)
def test_a_record_that_agrees_in_nothing_is_another_article(record: object) -> None:
    for state in (record, {"next": record}, {"data": {"hot": [record]}}):
        assert article(state).text == ""


MINE, OTHERS = "2026-11-18 10:05:00", "2026-11-12 08:30:00"


@each(
    "state",
    [
        [{"title": OTHER_TITLE, "publishTime": OTHERS}, {"title": TITLE, "content": TEXT, "publishTime": MINE}],
        {"hot": [{"title": OTHER_TITLE, "publishTime": OTHERS}], "article": {"title": TITLE, "content": TEXT, "publishTime": MINE}},
        {"hot": [{"id": 88124, "publishTime": OTHERS}], "article": {"id": 88123, "content": TEXT, "publishTime": MINE}},
        {"next": {"url": "/1.html", "publishTime": OTHERS}, "article": {"url": URL, "content": TEXT, "publishTime": MINE}},
        {"article": {"related": [{"title": OTHER_TITLE, "publishTime": OTHERS}], "title": TITLE, "content": TEXT, "publishTime": MINE}},
    ],
)
@each("shown", [False, True])
def test_the_date_is_that_of_the_record_of_the_page(state: object, shown: bool) -> None:
    visible = f"<h1>{TITLE}</h1><div class=content>{TEXT}</div>" if shown else "<div id=app></div>"
    extracted = article(state, visible=visible)
    assert (extracted.text, f"{extracted.published_at:%Y-%m-%d %H:%M:%S}") == (WHOLE, MINE)


def test_a_page_whose_record_has_no_date_does_not_get_that_of_another() -> None:
    state = {"hot": [{"title": OTHER_TITLE, "publishTime": OTHERS}], "article": {"title": TITLE, "content": TEXT}}
    assert article(state).published_at is None


def linked(*items: dict[str, object]) -> str:
    return f"<script type='application/ld+json'>{json.dumps(list(items), ensure_ascii=False)}</script>"


THIS = {"@type": "NewsArticle", "headline": TITLE, "datePublished": "2026-11-18T10:05:00+08:00", "author": {"name": "王小明"}}
THAT = {"@type": "NewsArticle", "headline": OTHER_TITLE, "datePublished": "2026-11-12T08:30:00+08:00", "author": {"name": "李大海"}}


@each(
    ("items", "day", "authors"),
    [
        ([THAT, THIS], 18, ("王小明",)),
        ([THIS, THAT], 18, ("王小明",)),
        ([THAT, {**THIS, "author": None}], 18, ()),
        ([{**THAT, "url": "/news/2026/88124.html"}], None, ()),
        ([{**THAT, "url": URL}], 12, ("李大海",)),
        ([{**THAT, "mainEntityOfPage": {"@id": "http://www.example.cn/"}}], 12, ("李大海",)),  # a template
        ([THAT], 12, ("李大海",)),  # the only one, perhaps under another title
        ([{"@type": "WebPage", "datePublished": "2026-11-18"}, THAT], 12, ("李大海",)),
    ],
)
def test_the_json_ld_of_another_article_gives_no_field(items: list[dict[str, object]], day: int | None, authors: tuple[str, ...]) -> None:
    extracted = article({}, linked(*items), f"<h1>{TITLE}</h1><div class=content>{TEXT}</div>")
    assert extracted.title == TITLE
    assert (extracted.published_at.day if extracted.published_at else None, extracted.authors) == (day, authors)


BY_US = {"title": TITLE, "source": "临江教育发布", "author": {"name": "王小明"}}
BY_THEM = {"title": OTHER_TITLE, "source": "临江晚报", "author": {"name": "李大海"}}


@each(
    ("state", "source", "authors"),
    [
        ({"hot": [BY_THEM], "article": {**BY_US, "content": TEXT}}, "临江教育发布", ("王小明",)),
        ({"hot": [BY_THEM], "article": {"title": TITLE, "content": TEXT}}, None, ()),
        ({"article": {"title": TITLE, "content": TEXT}, "next": BY_THEM}, None, ()),
        ({"hot": [{**BY_US, "title": OTHER_TITLE}], "article": {**BY_US, "content": TEXT}}, "临江教育发布", ("王小明",)),  # of one house
    ],
)
def test_source_and_author_are_those_of_the_record_of_the_page(state: object, source: str | None, authors: tuple[str, ...]) -> None:
    extracted = article(state)
    assert (extracted.text, extracted.source, extracted.authors) == (WHOLE, source, authors)
