"""Lists that a page holds in its scripts."""

import json
from datetime import datetime

from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of
from newsspider.core.links.script_lists import script_links
from newsspider.core.model import Link, LinkKind, Region
from tests.support.tables import each

TITLES = ["实验小学开展防溺水主题班会", "全市启动暑期校舍安全排查", "职教中心与企业共建实训基地", "招生办公布新学年招生范围"]
ITEMS = [{"title": title, "url": f"/news/2024/{at}4001.html"} for at, title in enumerate(TITLES)]


def links(value: object, body: str = "") -> tuple[Link, ...]:
    markup = f"<body>{body}<script>window.__DATA__ = {json.dumps(value)};</script></body>"
    return script_links(parse(markup.encode(), "http://www.example.edu.cn/news/"))


def listed(markup: str) -> list[str]:
    page = parse(markup.encode(), "http://www.example.edu.cn/news/")
    return [link.text for link in links_of(page) if link.kind is LinkKind.ARTICLE]


def test_items_with_title_and_url_are_articles() -> None:
    assert [(link.text, link.url[-22:]) for link in links({"a": {"list": ITEMS}})] == [
        (item["title"], f"cn{item['url']}"[-22:]) for item in ITEMS
    ]


@each("field", [{"pubTime": "2024-05-17 08:30"}, {"publish_time": 1715905800}, {"date": "1715905800000"}])
def test_a_date_of_an_item_is_its_date(field: dict[str, object]) -> None:
    (link, *_) = links([item | field for item in ITEMS])
    assert link.published_at == datetime.fromisoformat("2024-05-17T08:30:00+08:00")


def test_items_may_stand_in_objects_of_their_own() -> None:
    assert len(links([{"node": item, "cursor": "x"} for item in ITEMS])) == 4


def test_markup_in_titles_is_dropped() -> None:
    (link, *_) = links([item | {"title": f"<em>{item['title']}</em>"} for item in ITEMS])
    assert link.text == TITLES[0]


@each(
    "items",
    [
        [{"title": name, "url": f"/{at}/"} for at, name in enumerate(["首页", "要闻", "教育", "专题"])],
        [{"title": title, "url": f"http://www.other.com/2024/{at}4001.html"} for at, title in enumerate(TITLES)],
        [{"title": title, "url": f"/files/{at}4001.pdf"} for at, title in enumerate(TITLES)],
        [{"title": title, "imgUrl": f"/2024/{at}4001.html"} for at, title in enumerate(TITLES)],
        ITEMS[:2],
    ],
    ids=["menu", "another site", "files", "pictures", "two"],
)
def test_menus_files_and_links_to_other_sites_are_not_article_lists(items: list[dict[str, str]]) -> None:
    assert links({"list": items}) == ()


def test_a_box_beside_a_list_in_scripts_is_no_list() -> None:
    rows = "".join(f'<li><a href="/hot/2024/{at}5001.html">{title}</a></li>' for at, title in enumerate([*TITLES, *TITLES]))
    side_box = f"<div><h3>点击排行</h3><ul>{rows}</ul></div>"
    items = [{"title": f"第{at}所学校公布新学年招生范围", "url": f"/n/2024/{at}4001.html"} for at in range(12)]
    script = f"<script>var list = {json.dumps(items)}</script>"
    page = parse(f"<body>{side_box}{script}</body>".encode(), "http://www.example.edu.cn/news/")
    assert {link.region for link in links_of(page) if "/hot/" in link.url} == {Region.SIDE}


def test_markup_in_a_data_store_is_read_and_that_of_a_template_with_gaps_is_not() -> None:
    rows = "".join(f'<record><![CDATA[<li><a href="{item["url"]}">{item["title"]}</a></li>]]></record>' for item in ITEMS)
    assert listed(f'<script type="text/xml"><datastore>{rows}</datastore></script>') == TITLES
    gaps = "".join(f'<li><a href="{{{{url}}}}">{title}</a></li>' for title in TITLES)
    assert listed(f'<script type="text/template">{gaps}</script>') == []


def test_hidden_lists_of_a_page_that_shows_its_own_are_left_alone() -> None:
    rows = "".join(f'<li><a href="/n/2024/{at}7001.html">第{at}所学校公布新学年招生范围</a></li>' for at in range(12))
    assert len(listed(f"<ul>{rows}</ul><script>var more = {json.dumps(ITEMS)}</script>")) == 12
