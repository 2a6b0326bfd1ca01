"""Collections: the hits of a query, screened, annotated and exported."""

import csv
import io
import json
from contextlib import ExitStack
from datetime import timedelta
from types import SimpleNamespace
from urllib.parse import urlsplit

import openpyxl
import pyarrow.parquet
import pytest
from lxml import html
from sqlalchemy import Engine, text

from newsspider.core.query.query_dates import ZONE
from newsspider.features.console import accounts, collections
from newsspider.features.console.pages import collections as page
from newsspider.store import audit_trail
from newsspider.store.engine.database import reading, writing
from tests.features.console.conftest import HOST, TODAY
from tests.features.console.consoles import client, send
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

__all__ = ["client"]

FORMULA = '=HYPERLINK("http://evil.cn","x")<script>alert(1)</script>'


@pytest.fixture
def collection(client, filled: Engine) -> int:
    """A collection of all five articles."""
    assert "存为文集" in client.get("/search?q=火灾").text
    answer = send(client, "/collections", name=f"全部{FORMULA}", query="", note=FORMULA)
    assert answer.status_code == 303
    return int(answer.headers["location"].rpartition("/")[2])


def test_the_hits_of_a_query_are_kept(client, filled) -> None:
    answer = send(client, "/collections", name="火灾", query="title:火灾", note="")
    page = client.get(answer.headers["location"]).text
    assert page.count("河东县") >= 2
    assert "高考改革" not in page.replace("<wbr>", "")
    assert "火灾" in client.get("/collections").text
    assert send(client, "/collections", name=" ", query="x").status_code == 400
    assert send(client, "/collections", name="x", query="(").status_code == 400
    assert client.get("/collections/99").status_code == 404
    assert client.get("/collections/x").status_code == 404


def test_articles_are_screened_with_notes(client, filled, collection) -> None:
    path = f"/collections/{collection}"
    assert send(client, f"{path}/screen", article="1", verdict="in", note=FORMULA).status_code == 303
    assert send(client, f"{path}/screen", article="2", verdict="out", note="旧闻").status_code == 303
    assert send(client, f"{path}/screen", article="99", verdict="in").status_code == 404
    assert send(client, f"{path}/screen", article="1", verdict="maybe").status_code == 400
    accepted = client.get(f"{path}?verdict=in").text.replace("<wbr>", "")
    assert "幼儿园延时服务" in accepted
    assert "高考改革" not in accepted
    assert "<script>" not in accepted
    assert "收 1，弃 1，待定 3" in client.get("/collections").text
    assert client.get(f"{path}?verdict=").text.count('name="article"') == 3
    with reading(filled) as conn:
        assert [row.action for row in audit_trail.trail(conn, 3)] == ["collection.screen"] * 2 + ["collection.add"]


@pytest.mark.parametrize(
    "path",
    ["/api/v1/collections/{}", "/api/v1/collections/{}/export", "/api/v1/collections/{}/clusters"],
)
def test_an_invalid_verdict_is_refused_instead_of_matching_nothing(client, collection, path) -> None:
    for verdict in ("all", "in", "out", ""):
        assert client.get(path.format(collection), params={"verdict": verdict}).status_code == 200
    assert client.get(path.format(collection), params={"verdict": "In"}).status_code == 422


@pytest.mark.parametrize("form", ["jsonl", "csv", "md", "xlsx", "parquet"])
def test_a_collection_is_exported_in_every_format(client, collection, form) -> None:
    send(client, f"/collections/{collection}/screen", article="1", verdict="in", note="")
    answer = client.get(f"/api/v1/collections/{collection}/export", params={"form": form, "verdict": "in"})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="collection-{collection}.{form}"'
    if form == "jsonl":
        assert [json.loads(line)["id"] for line in answer.text.splitlines()] == [1]
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
        assert [row["title"] for row in rows] == ["幼儿园延时服务"]
    if form == "md":
        assert answer.text.startswith("## 幼儿园延时服务")
    if form == "parquet":
        assert pyarrow.parquet.read_table(io.BytesIO(answer.content))["title"].to_pylist() == ["幼儿园延时服务"]
    if form == "xlsx":
        rows = list(openpyxl.load_workbook(io.BytesIO(answer.content)).active.iter_rows(values_only=True))
        assert (rows[0][1], rows[0][8:]) == ("标题", ("取舍", "批注", "归拢"))
        assert (rows[1][1], rows[1][8]) == ("幼儿园延时服务", "收")
    assert client.get(f"/api/v1/collections/{collection}/export?form=odd").status_code == 400


@pytest.mark.parametrize("form", ["jsonl", "csv", "md", "xlsx", "parquet"])
def test_articles_of_one_event_stand_together_in_pages_api_and_every_format(client, filled, collection, form) -> None:
    send(client, f"/collections/{collection}/screen", article="4", verdict="in", note=FORMULA)
    page = client.get(f"/collections/{collection}?by=event").text
    assert page.index("同一事件 2 篇") < page.index('id="a5"') < page.index('id="a4"') < page.index("其余") < page.index('id="a1"')
    assert "同一事件 2 篇" not in client.get(f"/collections/{collection}").text
    answer = client.get(f"/api/v1/collections/{collection}/clusters").json()
    (cluster,) = answer["clusters"]
    assert (cluster["title"], cluster["articles"]) == ("河东县育才小学食堂火灾", [5, 4])
    assert sorted(answer["alone"]) == [1, 2, 3]
    exported = client.get(f"/api/v1/collections/{collection}/export", params={"form": form, "by": "event"})
    assert exported.status_code == 200
    if form == "jsonl":
        rows = [json.loads(line) for line in exported.text.splitlines()]
        assert [row["id"] for row in rows][:2] == [5, 4]
        assert [row["cluster"] for row in rows] == [cluster["cluster"]] * 2 + [""] * 3
        assert (rows[1]["verdict"], rows[1]["note"]) == ("in", FORMULA)
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(exported.text.removeprefix("\ufeff"))))
        assert [row["cluster"] for row in rows][1:3] == [cluster["cluster"], ""]
        assert rows[1]["note"] == f"'{FORMULA}"
    if form == "md":
        assert exported.text.count(f"cluster: {cluster['cluster']}") == 2
    if form == "parquet":
        table = pyarrow.parquet.read_table(io.BytesIO(exported.content))
        assert table["cluster"].to_pylist() == [cluster["cluster"]] * 2 + [""] * 3


def test_reprints_without_an_event_are_a_cluster(client, filled, collection) -> None:
    with writing(filled) as conn:
        for number in (1, 2):
            conn.execute(text("DELETE FROM event_articles WHERE article_id = :id"), {"id": number})
            conn.execute(text("DELETE FROM reprints WHERE article_id = :id"), {"id": number})
            conn.execute(text("INSERT INTO reprints (article_id, group_id, is_first) VALUES (:id, 77, false)"), {"id": number})
    answer = client.get(f"/api/v1/collections/{collection}/clusters").json()
    assert [len(cluster["articles"]) for cluster in answer["clusters"]] == [2, 2]
    assert "reprints 77" in {cluster["cluster"] for cluster in answer["clusters"]}
    assert "互为转载 2 篇" in client.get(f"/collections/{collection}?by=event").text


def test_a_query_is_asked_again_and_a_collection_removed(client, filled) -> None:
    number = send(client, "/collections", name="火灾", query="火灾").headers["location"].rpartition("/")[2]
    with writing(filled) as conn:
        conn.exec_driver_sql("DELETE FROM collection_articles WHERE article_id = 4")
        conn.exec_driver_sql("UPDATE collections SET made_at = 5")
    send(client, f"/collections/{number}/screen", article="5", verdict="in", note="留")
    assert send(client, f"/collections/{number}/extend").status_code == 303
    with reading(filled) as conn:
        assert collections.collection(conn, int(number)).made_at > 5
        rows = {row.article_id: (row.verdict, row.note) for row in collections.articles(conn, int(number))}
    assert rows == {4: ("", ""), 5: ("in", "留")}
    assert send(client, f"/collections/{number}/remove").status_code == 303
    assert client.get(f"/collections/{number}").status_code == 404
    assert client.get("/articles/5").status_code == 200


def test_a_collection_without_a_query_gets_what_is_saved_in_it_alone(client, filled) -> None:
    with writing(filled) as conn:
        number = collections.add(conn, "", "收藏", "", "", 5.0)
    answer = send(client, "/labels", verdict="s", page="/", collection=str(number), a1="on")
    assert answer.status_code == 303
    assert "再查一次" not in client.get(f"/collections/{number}").text
    refused = send(client, f"/collections/{number}/extend")
    assert (refused.status_code, "没有检索式的文集不能再查" in refused.text) == (400, True)
    with reading(filled) as conn:
        row = collections.collection(conn, number)
    assert (row.articles, row.made_at) == (1, 5.0)


def test_an_article_that_leaves_the_store_leaves_its_collections(client, filled, collection) -> None:
    send(client, "/url/forget", url="http://a.cn/1")
    with reading(filled) as conn:
        assert 1 not in {row.article_id for row in collections.articles(conn, collection)}
    assert client.get(f"/collections/{collection}").status_code == 200


def test_the_api_does_the_same(client, filled) -> None:
    with writing(filled) as conn:
        for name, role in (("王芳", accounts.Role.READER), ("李伟", accounts.Role.EDITOR)):
            accounts.add(conn, name, role, "", TODAY.timestamp())
        tokens = {
            (name, scope): {"Authorization": f"Bearer {accounts.grant(conn, name, 't', TODAY.timestamp(), scope)}"}
            for name in ("王芳", "李伟")
            for scope in ("read", "edit")
        }
    fields = {"name": "火灾", "query": "火灾"}
    for who in (("王芳", "edit"), ("李伟", "read")):
        assert client.post("/api/v1/collections", json=fields, headers=tokens[who]).status_code == 403
    created = client.post("/api/v1/collections", json=fields, headers=tokens["李伟", "edit"])
    assert created.status_code == 201
    assert (created.json()["articles"], created.json()["owner"]) == (2, "李伟")
    number = created.json()["id"]
    answer = client.post(
        f"/api/v1/collections/{number}/articles/4", json={"verdict": "in", "note": "首发"}, headers=tokens["李伟", "edit"]
    )
    assert answer.status_code == 200
    whole = client.get(f"/api/v1/collections/{number}?verdict=in", headers=tokens["王芳", "read"]).json()
    assert [(row["verdict"], row["note"], row["article"]["id"]) for row in whole["screened"]] == [("in", "首发", 4)]
    assert client.get("/api/v1/collections", headers=tokens["王芳", "read"]).json()["collections"][0]["taken_in"] == 1
    wrong = [{"name": ""}, {"name": "x" * 201}, {"name": "x", "query": "("}, []]
    codes = [client.post("/api/v1/collections", json=body, headers=tokens["李伟", "edit"]).status_code for body in wrong]
    assert codes == [422, 422, 400, 422]
    long = {"Content-Type": "application/json", "Content-Length": "999999999999", "Host": HOST}
    assert client.post("/api/v1/collections", content=b"{}", headers=long).status_code == 413


@pytest.mark.parametrize("body", [b'{"name": "\\ud800"}', b'{"name": NaN}', b'{"name": "x", "query": Infinity}', b"{"])
def test_what_no_json_can_say_is_refused(client, body: bytes) -> None:
    answer = client.post("/api/v1/collections", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert set(answer.json()["detail"][0]) == {"type", "loc", "msg"}


@pytest.mark.parametrize("name", ["  ", "\0", "\0 \u3000"])
def test_a_collection_of_the_api_has_a_name(client, name: str) -> None:
    assert client.post("/api/v1/collections", json={"name": name}).status_code == 400
    assert client.get("/api/v1/collections").json() == {"collections": [], "next": None}


def test_the_api_reads_a_collection_in_pieces(client, collection) -> None:
    whole = client.get(f"/api/v1/collections/{collection}").json()["screened"]
    first = client.get(f"/api/v1/collections/{collection}?limit=3&verdict=").json()
    for entry in first["screened"]:  # which then are no longer among the undecided
        client.post(f"/api/v1/collections/{collection}/articles/{entry['article']['id']}", json={"verdict": "in"})
    second = client.get(f"/api/v1/collections/{collection}?limit=3&verdict=&after={first['next']}").json()
    assert [*first["screened"], *second["screened"]] == whole
    assert second["next"] is None
    assert client.get(f"/api/v1/collections/{collection}?limit=1001").status_code == 422


@pytest.mark.parametrize("number", ["9" * 23, "0", "-1"])
def test_an_impossible_article_number_is_refused(client, collection, number: str) -> None:
    assert client.post(f"/api/v1/collections/{collection}/articles/{number}", json={"verdict": "in"}).status_code == 422


def test_an_article_that_left_the_store_meanwhile_is_not_put(filled, collection) -> None:
    with writing(filled) as conn:
        assert collections.put(conn, collection, [10_000], TODAY.timestamp()) == 0


def test_no_writer_waits_for_the_search_of_a_collection(client, filled) -> None:
    with writing(filled):  # a crawl that is writing; the query is refused before the turn of the writers comes
        assert send(client, "/collections", name="x", query="(").status_code == 400


@on_postgresql
def test_collections_work_on_postgresql(client, collection) -> None:
    number = send(client, "/collections", name="火灾", query="火灾").headers["location"].rpartition("/")[2]
    assert send(client, f"/collections/{collection}/screen", article="1", verdict="in", note="\0x").status_code == 303
    assert send(client, f"/collections/{number}/extend").status_code == 303
    assert "收 1，弃 0，待定 4" in client.get("/collections").text
    assert client.get(f"/api/v1/collections/{collection}/export?form=csv").status_code == 200
    assert send(client, f"/collections/{collection}/remove").status_code == 303


def test_slow_readers_of_an_export_keep_no_connection(client, filled: Engine, collection) -> None:
    request = SimpleNamespace(app=client.app)
    with reading(filled) as conn:
        rows = collections.articles(conn, collection)
    exports = [page._records(request, rows, {}) for _ in range(20)]  # more than the store has connections
    assert len({next(records)["id"] for records in exports}) == 1
    assert client.get("/health").status_code == 200


def test_a_store_without_a_free_connection_is_busy_for_now(client, filled: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filled.pool, "_timeout", 0.01)
    with ExitStack() as stack:
        for _ in range(15):
            stack.enter_context(reading(filled))
        assert client.get("/health").status_code == 503
    assert client.get("/health").status_code == 200


def test_articles_are_sorted_by_the_moment_whatever_its_zone(client, filled, collection) -> None:
    morning = (TODAY - timedelta(hours=4)).astimezone(ZONE)  # as a page says it
    with writing(filled) as conn:
        for number, moment in ((30, {"published_at": None, "crawled_at": TODAY}), (31, {"published_at": morning})):
            saved = save_article(conn, f"http://z.cn/{number}", f"第 {number} 篇", **moment)
            collections.put(conn, collection, [saved.article_id], TODAY.timestamp())
    with reading(filled) as conn:
        rows = collections.articles(conn, collection)
        moments = conn.execute(text("SELECT id, COALESCE(published_ts, crawled_ts) AS moment FROM articles")).all()
    moment_of = {row.id: row.moment for row in moments}
    assert [moment_of[row.article_id] for row in rows] == sorted(moment_of.values(), reverse=True)


def test_a_verdict_from_an_older_page_leaves_a_newer_note(client, filled, collection) -> None:
    path = f"/collections/{collection}/screen"
    old = {"article": "1", "noted": ""}
    send(client, path, **old, verdict="in", note="首发，要跟进")
    send(client, path, **old, verdict="out", note="")
    send(client, path, article="1", verdict="in")
    with reading(filled) as conn:
        notes = {row.article_id: (row.verdict, row.note) for row in collections.articles(conn, collection)}
    assert notes[1] == ("in", "首发，要跟进")


def test_a_changed_note_is_kept_and_the_trail_has_the_one_before(client, filled, collection) -> None:
    path = f"/collections/{collection}/screen"
    send(client, path, article="1", noted="", verdict="in", note="首发")
    send(client, path, article="1", noted="首发", verdict="out", note="旧闻")
    send(client, path, article="1", noted="旧闻", verdict="", note="")
    with reading(filled) as conn:
        entries = [(json.loads(entry.before), json.loads(entry.after)) for entry in audit_trail.trail(conn, 2)]
    assert entries == [
        ({"verdict": "out", "note": "旧闻"}, {"article": 1, "verdict": "", "note": ""}),
        ({"verdict": "in", "note": "首发"}, {"article": 1, "verdict": "out", "note": "旧闻"}),
    ]


def test_a_verdict_of_the_api_without_a_note_leaves_the_note(client, collection) -> None:
    path = f"/api/v1/collections/{collection}/articles/1"
    client.post(path, json={"verdict": "in", "note": "首发"})
    assert client.post(path, json={"verdict": "out"}).json() == {"verdict": "out", "note": "首发"}
    assert client.post(path, json={"verdict": "out", "note": ""}).json() == {"verdict": "out", "note": ""}


def links_of(page: str, label: str) -> list[str]:
    """Where the links of a page lead whose text begins so."""
    return [at.get("href") for at in html.fromstring(page).iter("a") if at.text_content().strip().startswith(label)]


def shown_in(page: str) -> list[int]:
    """The articles of the page of a collection, in their order."""
    return [int(row.get("id")[1:]) for row in html.fromstring(page).iter("li") if row.get("id", "").startswith("a")]


@pytest.mark.parametrize("query", ["verdict=&by=event", "verdict=in", "verdict=&n=2", "by=event&n=3", "by=event&n=1&after=0.4"])
def test_a_verdict_leads_back_to_the_page_that_it_was_given_on(client, collection, query) -> None:
    for number in ("1", "2"):
        send(client, f"/collections/{collection}/screen", article=number, verdict="in")
    old_page = client.get(f"/collections/{collection}?{query}").text
    last = shown_in(old_page)[-1]
    (form,) = html.fromstring(old_page).xpath(f"//li[@id='a{last}']//form")
    answer = send(client, form.action, **dict(form.fields), verdict="in")
    location = urlsplit(answer.headers["location"])
    new_page = client.get(f"{location.path}?{location.query}").text
    expected = [number for number in shown_in(old_page) if number != last or "verdict=&" not in query]
    assert shown_in(new_page)[: len(expected)] == expected
    assert location.fragment == f"a{last}"


def test_the_links_of_the_undecided_lead_to_the_undecided(client, collection) -> None:
    send(client, f"/collections/{collection}/screen", article="1", verdict="in")
    page = client.get(f"/collections/{collection}?verdict=").text
    (by_event,) = links_of(page, "按事件归拢")
    page = client.get(by_event).text
    (by_time,) = links_of(page, "按时间排")
    assert sorted(shown_in(page)) == sorted(shown_in(client.get(by_time).text)) == [2, 3, 4, 5]
    (exported,) = links_of(page, "JSON")
    assert len(client.get(exported).text.splitlines()) == 4


@pytest.mark.parametrize("query", ["", "verdict=", "by=event"])
def test_every_article_of_a_large_collection_can_be_reached(client, collection, query, monkeypatch) -> None:
    monkeypatch.setattr(page, "PAGE_ARTICLES", 1)
    monkeypatch.setattr(page, "MOST_ARTICLES", 2)
    whole = [row["article"]["id"] for row in client.get(f"/api/v1/collections/{collection}").json()["screened"]]
    numbers: list[int] = []
    path = f"/collections/{collection}?{query}"
    for _ in range(20):
        text = client.get(path).text
        numbers += shown_in(text)
        if not (more := links_of(text, "更多") + links_of(text, "后面的")):
            break
        (path,) = more
    assert not more
    assert set(numbers) == set(whole)


def merge(store: Engine, article: int, other: int) -> None:
    """Let the first article become part of the other one."""
    with writing(store) as conn:
        collections.hand_over(conn, article, other)
        conn.execute(text("DELETE FROM collection_articles WHERE article_id = :id"), {"id": article})


@pytest.mark.parametrize("verdict", ["all", ""])
def test_a_page_of_the_api_goes_on_behind_an_article_that_was_removed(client, filled, collection, verdict) -> None:
    path = f"/api/v1/collections/{collection}?verdict={verdict}"
    ids = [row["article"]["id"] for row in client.get(path).json()["screened"]]
    cursor = client.get(f"{path}&limit=2").json()["next"]
    merge(filled, ids[1], ids[0])
    rest = client.get(f"{path}&after={cursor}").json()
    assert [row["article"]["id"] for row in rest["screened"]] == ids[2:]


@pytest.mark.parametrize("after", ["3", "x", "1.2.3", "1.²"])
def test_an_invalid_cursor_is_refused(client, collection, after) -> None:
    answer = client.get(f"/api/v1/collections/{collection}?after={after}")
    assert (answer.status_code, answer.json()["detail"]) == (400, "`after` is the `next` of an answer")


@pytest.mark.parametrize("query", ["n=2", "n=2&verdict="])
def test_articles_that_arrive_meanwhile_move_no_page_of_a_collection(client, filled, collection, query, monkeypatch) -> None:
    monkeypatch.setattr(page, "MOST_ARTICLES", 2)
    path = f"/collections/{collection}"
    ids = [row["article"]["id"] for row in client.get(f"/api/v1/collections/{collection}").json()["screened"]]
    first = client.get(f"{path}?{query}").text
    with writing(filled) as conn:
        saved = save_article(conn, "http://z.cn/50", "刚刚来的一篇", published_at=TODAY, crawled_at=TODAY)
        collections.put(conn, collection, [saved.article_id], TODAY.timestamp())
    (following,) = links_of(first, "后面的")
    assert shown_in(first) == ids[:2]
    assert shown_in(client.get(following).text) == ids[2:4]
