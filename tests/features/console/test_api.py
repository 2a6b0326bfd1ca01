"""The API and the feeds of the console."""

from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import quote_plus, urlencode
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text

from newsspider.core.url import url_key
from newsspider.features.console.app import create_app
from newsspider.store.engine.database import writing
from newsspider.store.index import postgresql
from tests.features.console.conftest import HOST, TODAY, Morning
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

ATOM = "{http://www.w3.org/2005/Atom}"


def test_a_search_gives_records(console: TestClient) -> None:
    answer = console.get("/api/v1/articles", params={"q": "高考", "sort": "relevance"}).json()
    assert (answer["total"], answer["more"], answer["searched_as"]) == (1, False, "高考")
    assert answer["articles"][0]["title"] == "高考改革"
    assert console.get("/api/v1/articles", params={"q": "改革高考"}).json()["searched_as"] == "改革 AND 高考"


def test_a_total_says_whether_it_counts_reprints(console: TestClient) -> None:
    counted = [console.get("/api/v1/articles", params={"limit": limit}).json() for limit in (1, 20)]
    assert [answer["counts_reprints"] for answer in counted] == [True, False]
    assert [" 篇，含转载" in console.get("/search", params={"n": n}).text for n in (1, 20)] == [True, False]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/v1/articles?q=(", 400), ("/api/v1/articles?limit=0", 422), ("/api/v1/articles?sort=odd", 422),
        ("/api/v1/articles/9", 404), ("/api/v1/articles/0", 422), ("/api/v1/articles/99999999999999999999", 422),
        ("/api/v1/facets?q=a:b", 400), ("/api/v1/urls?url=junk", 400), ("/api/v1/urls?url=http://never.cn/", 404), ("/api/v1/nothing", 404),
        ("/feeds/odd", 404), ("/feeds/rss?q=(", 400),
    ],
)  # fmt: skip
def test_a_wrong_question_is_refused(console: TestClient, path: str, code: int) -> None:
    answer = console.get(path)
    assert answer.status_code == code
    if path.startswith("/api/"):
        assert answer.json()["detail"]


def test_an_article_has_its_chain(console: TestClient) -> None:
    record = console.get("/api/v1/articles/1").json()
    assert record["title"] == "幼儿园延时服务"
    assert [step["url"] for step in record["chain"]] == ["http://a.cn/1"]


def test_facets_urls_and_status(console: TestClient) -> None:
    assert console.get("/api/v1/facets", params={"q": "高考"}).json()["site"] == {"乙": 1}
    assert console.get("/api/v1/urls", params={"url": "http://a.cn/1"}).json()["known"][0]["reason"] == "stored"
    assert console.get("/api/v1/status").json()["articles"] == 5


def test_facets_count_what_a_search_of_the_same_scope_has(console: TestClient, filled: Engine) -> None:
    with writing(filled) as conn:
        insert = "INSERT INTO missing_articles (key, absence, misses, return_count, vanished_at) VALUES (:key, 'gone', 3, 0, 1)"
        conn.execute(text(insert), {"key": url_key("http://a.cn/2")})
    for scope, total in (({}, 0), ({"vanished": True}, 1)):
        params = {"q": "高考", **scope}
        assert console.get("/api/v1/articles", params=params).json()["total"] == total
        assert sum(console.get("/api/v1/facets", params=params).json()["site"].values()) == total


def test_the_description_of_the_api_is_whole(console: TestClient) -> None:
    described = console.get("/api/v1/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    routes = [route for path in described["paths"].values() for route in path.values()]
    assert len(routes) > 30
    assert all(route["summary"] and route["description"] for route in routes)


def test_a_query_is_a_feed_in_three_forms(console: TestClient) -> None:
    rss = ElementTree.fromstring(console.get("/feeds/rss?q=高考").content)
    assert [item.findtext("title") for item in rss.iter("item")] == ["高考改革"]
    assert rss.findtext("channel/item/link") == "http://a.cn/2"
    atom = ElementTree.fromstring(console.get("/feeds/atom?text=1").content)
    entries = atom.findall(f"{ATOM}entry")
    assert len(entries) == 5
    assert entries[1].find(f"{ATOM}content").get("type") == "html"
    assert entries[1].findtext(f"{ATOM}content", "") == "<p>多地上调幼儿园延时服务收费标准。</p><p>家长自愿选择，按月结算。</p>"
    hostile = "<p>正文&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;{{7*7}}</p>"  # no markup of a page gets into a reader
    whole = ElementTree.fromstring(console.get("/feeds/rss?text=1").content)
    assert whole.findtext("channel/item/{http://purl.org/rss/1.0/modules/content/}encoded") == hostile
    assert console.get("/feeds/json?text=1").json()["items"][0]["content_html"] == hostile
    assert rss.find("channel/item/{http://purl.org/rss/1.0/modules/content/}encoded") is None
    assert "text=1" in console.get("/feeds/opml?text=1").text
    page = console.get("/search?q=高考").text
    assert all(f'/feeds/{form}?q=%E9%AB%98%E8%80%83{whole}"' in page for form in ("atom", "rss", "json") for whole in ("", "&amp;text=1"))
    feed = console.get("/feeds/json?q=高考").json()
    assert (feed["version"], feed["items"][0]["title"]) == ("https://jsonfeed.org/version/1.1", "高考改革")
    assert feed["items"][0]["id"].endswith("/articles/2")


def test_a_feed_says_when_an_article_was_published_and_when_its_text_was_stored(console: TestClient, filled: Engine) -> None:
    with writing(filled) as conn:  # as a revisit does that finds a new text
        conn.execute(text("UPDATE articles SET crawled_at = '2026-11-24T05:00:00+00:00' WHERE id = 2"))
    atom = ElementTree.fromstring(console.get("/feeds/atom").content)
    moments = {}
    for entry in atom.findall(f"{ATOM}entry"):
        number = entry.findtext(f"{ATOM}id", "").rpartition("/")[2]
        record = console.get(f"/api/v1/articles/{number}").json()
        moments[number] = [datetime.fromisoformat(entry.findtext(f"{ATOM}{name}", "")) for name in ("published", "updated")]
        assert moments[number][1] == datetime.fromisoformat(record["crawled_at"]) >= moments[number][0]
    assert moments["2"][0] < moments["2"][1]
    latest = max(updated for _, updated in moments.values())
    assert datetime.fromisoformat(atom.findtext(f"{ATOM}updated", "")) == latest
    items = console.get("/feeds/json").json()["items"]
    assert max(datetime.fromisoformat(item["date_modified"]) for item in items) == latest


@pytest.mark.parametrize("prefix", ["", "/news"])
def test_feeds_lead_to_the_page_of_their_query(filled: Engine, prefix: str) -> None:
    client = TestClient(create_app(filled, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}", root_path=prefix)
    client.post("/api/v1/collections", json={"name": "高考", "query": "高考"})
    atom, rss, opml = (
        ElementTree.fromstring(client.get(f"{prefix}/feeds/{form}?q=高考").content) for form in ("atom", "rss", "opml")
    )
    feed = client.get(f"{prefix}/feeds/json?q=高考").json()
    homes = [
        atom.findall(f"{ATOM}link")[0].get("href"), rss.findtext("channel/link"), feed["home_page_url"],
        opml.findall("body/outline")[1].get("htmlUrl"),
    ]  # fmt: skip
    assert homes == [f"http://{HOST}{prefix}/search?{urlencode({'q': '高考'})}"] * 4
    page = client.get(homes[0].removeprefix(f"http://{HOST}"))
    assert "高考<wbr>改革" in page.text or "<mark>高考</mark>改革" in page.text


@pytest.mark.parametrize(
    ("method", "path", "sentence"),
    [
        ("GET", "/events?since=4w", "unknown query parameters: since; known are: hours, limit"),
        ("GET", "/articles?query=x&q=y&Limit=3", "unknown query parameters: query, Limit; known are: q, limit, sort, cursor, stores"),
        ("GET", "/status?x=", "unknown query parameters: x; known are: none"),
        ("GET", "/stream/articles?limit=3", "unknown query parameters: limit; known are: q, since"),
        ("GET", "/alerts?q=1", "unknown query parameters: q; known are: none"),
        ("GET", "/opml?q=1", "unknown query parameters: q; known are: none"),
        ("DELETE", "/urls?url=http://a.cn/1&all=1", "unknown query parameters: all; known are: url"),
        ("GET", f"/status?{'x' * 500}=1", f"unknown query parameters: {'x' * 40}; known are: none"),
    ],
)
def test_a_parameter_that_would_change_nothing_is_refused_and_named(console, method, path, sentence) -> None:
    answer = console.request(method, f"/api/v1{path}")
    assert (answer.status_code, answer.json()["detail"].startswith(sentence)) == (400, True), answer.text


@pytest.mark.parametrize("prefix", ["", "/news"])
def test_the_index_leads_to_the_description(filled: Engine, prefix: str) -> None:
    client = TestClient(create_app(filled, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}", root_path=prefix)
    path = client.get(f"{prefix}/api/v1").json()["openapi"]
    assert path == f"{prefix}/api/v1/openapi.json"
    assert "/api/v1/events" in client.get(path).json()["paths"]


@pytest.mark.parametrize("form", ["rss", "atom", "json", "opml"])
@pytest.mark.parametrize("query", ["", "高考", "nothing"])
def test_a_feed_that_has_not_changed_is_not_sent_again(console, filled, form, query) -> None:
    path = f"/feeds/{form}?q={query}"
    first = console.get(path)
    validators = {"If-None-Match": first.headers["etag"]}
    if form != "opml":
        assert parsedate_to_datetime(first.headers["last-modified"]) <= Morning().utc()
        validators["If-Modified-Since"] = first.headers["last-modified"]
    again = console.get(path, headers=validators)
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    if form == "opml":
        return
    with writing(filled) as conn:
        save_article(conn, "http://a.cn/new", "高考 nothing 的新正文。", TODAY.timestamp(), title="高考 nothing", crawled_at=TODAY)
    assert console.get(path, headers=validators).status_code == 200


def test_an_article_with_an_earlier_moment_is_news_to_a_feed(console: TestClient, filled: Engine) -> None:
    first = console.get("/feeds/rss")
    with writing(filled) as conn:
        moment = TODAY - timedelta(hours=3)
        save_article(conn, "http://a.cn/late", "读得慢的一篇。", TODAY.timestamp(), title="迟到", published_at=moment, crawled_at=moment)
    later = console.get("/feeds/rss", headers={"If-Modified-Since": first.headers["last-modified"]})
    assert (later.status_code, later.headers["last-modified"]) == (200, first.headers["last-modified"])
    assert "迟到" in later.text


@on_postgresql
def test_a_search_that_did_not_look_at_all_says_so_and_leads_on(console: TestClient, monkeypatch) -> None:
    monkeypatch.setattr(postgresql, "MOST_TESTED", 1)
    answer = console.get("/api/v1/articles", params={"q": "教育局正在"}).json()
    assert (len(answer["articles"]), answer["more"], answer["since"]) == (1, True, "2026-11-25")
    following = console.get("/api/v1/articles", params={"q": "教育局正在", "cursor": answer["next"]}).json()
    assert answer["articles"] + following["articles"]
    page = console.get("/search", params={"q": "教育局正在", "reprints": "1"}).text
    assert "只查了 2026-11-25 以来的" in page
    assert f"q={quote_plus('教育局正在 until:2026-11-25')}" in page
