"""What a reader marks: read, starred, noted on, unwanted; saved searches and the board of them."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Thread

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine, text

from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.duplicates.reprints import fingerprints_of
from newsspider.core.text.text_comparison import normalise_text
from newsspider.features.console import accounts, reading_marks, saved_searches
from newsspider.features.console.reading_marks import Mark, Opened
from newsspider.hooks import plugins
from newsspider.search import entry_rows, hits
from newsspider.search.similar import similar_articles
from newsspider.store.articles.article_records import article_of
from newsspider.store.engine.database import reading, writing
from tests.features.console.conftest import HOST, TODAY
from tests.features.console.people import app, clock, log_in, peopled, secret_for, send
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

__all__ = ["app", "clock", "peopled"]

FIRE = "河东县育才小学食堂火灾"  # articles 4 and 5, of one event


@pytest.fixture
def reader(app) -> TestClient:
    return logged_in(app, "王芳")


def logged_in(app, name: str) -> TestClient:
    client = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
    log_in(client, name)
    return client


def titles(client: TestClient, path: str) -> list[str]:
    page = client.get(path)
    assert page.status_code == 200, page.text
    return re.findall(r'<h3><a href="/articles/(\d+)"', page.text)


@on_postgresql
def test_each_reader_has_marks_of_their_own(app, reader, filled: Engine) -> None:
    for way in ("star", "read"):
        assert send(reader, "/marks", page="/search", query="q=", mark=way, a1="", a2="").status_code == 303
    assert send(reader, "/articles/1/marks", mark="note", note="问问物价局").status_code == 303
    assert titles(reader, "/search?mine=star&q=") == ["1", "2"]
    assert titles(reader, "/search?mine=star&q=高考") == ["2"]
    assert titles(reader, "/search?mine=star&q=高考 since:today") == []
    assert titles(reader, "/search?mine=note") == ["1"]
    assert set(titles(reader, "/search?mine=unread")) == {"3", "4", "5"}
    assert "3 篇" in reader.get("/search?mine=unread").text
    assert "问问物价局" in reader.get("/articles/1").text

    boss = logged_in(app, "赵敏")  # an admin
    assert titles(boss, "/search?mine=star") == titles(boss, "/search?mine=note") == []
    assert len(titles(boss, "/search?mine=unread")) == 5
    assert "★ 星标" not in boss.get("/search").text
    assert "问问物价局" not in boss.get("/articles/1").text
    assert "问问物价局" not in boss.get("/settings").text
    assert boss.get("/board/export").text == ""

    send(reader, "/articles/1/marks", mark="note", note="已经核实", shared="1")
    page = boss.get("/articles/1").text
    assert "已经核实" in page
    assert "<b>王芳</b>" in page
    send(reader, "/articles/1/marks", mark="note", note=" ")
    assert "已经核实" not in boss.get("/articles/1").text


def test_an_opened_article_is_read_at_once_and_stored_later(app, reader, filled: Engine, monkeypatch) -> None:
    assert "4" in titles(reader, "/search?mine=unread")
    reader.get("/articles/4", headers={"Sec-Purpose": "prefetch"})
    assert "4" in titles(reader, "/search?mine=unread")
    reader.get("/articles/4")
    assert "4" not in titles(reader, "/search?mine=unread")
    with reading(filled) as conn:
        assert reading_marks.rows_of_mark(conn, "王芳", Mark.READ, 0, 9) == []
    app.state.opened.store(filled)
    with reading(filled) as conn:
        assert [row.article_id for row in reading_marks.rows_of_mark(conn, "王芳", Mark.READ, 0, 9)] == [4]
    assert app.state.opened.among("王芳", [4]) == set()
    reader.get("/articles/5")
    writer = reading_marks.writing

    def while_it_waits(engine: Engine):
        app.state.opened.discard("王芳", [5])
        return writer(engine)

    monkeypatch.setattr(reading_marks, "writing", while_it_waits)
    app.state.opened.store(filled)
    assert "5" in titles(reader, "/search?mine=unread&reprints=1")
    answer = send(reader, "/articles/4/marks", mark="read")
    reader.get(answer.headers["location"])
    assert "4" in titles(reader, "/search?mine=unread")


@on_postgresql
def test_what_is_said_to_be_unread_just_before_it_is_stored_as_read_is_unread(filled: Engine, monkeypatch) -> None:
    opened = Opened()
    opened.add("", 1, 1.0)

    def say() -> None:
        with writing(filled) as conn:
            opened.discard("", [1])
            reading_marks.unset_mark(conn, "", Mark.READ, [1])

    reader = Thread(target=say)

    @contextmanager
    def held(engine: Engine) -> Iterator[Connection]:
        with writing(engine) as conn:
            yield conn
            reader.start()
            reader.join(0.5)  # it waits for the end of this transaction
            assert reader.is_alive()

    monkeypatch.setattr(reading_marks, "writing", held)
    opened.store(filled)
    reader.join(60)
    with reading(filled) as conn:
        assert reading_marks.marks_of(conn, "", [1], opened) == {1: set()}


@on_postgresql
def test_what_is_left_out_is_made_up_for_by_older_articles(reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hits, "MOST_COUNTED", 1)
    monkeypatch.setattr(hits, "READ_FOR_EACH", 1)
    everything = titles(reader, "/search?reprints=1")
    newest, oldest = everything[:-1], everything[-1]
    send(reader, "/marks", page="/search", query="", mark="read", **{f"a{number}": "" for number in newest})
    for sort in ("time", "relevance", "priority"):
        assert titles(reader, f"/search?mine=unread&n=1&sort={sort}") == [oldest]
    with monkeypatch.context() as patch:
        patch.setattr(entry_rows, "MOST_READ", 2)
        assert "要查的太多，只查了 2026-11-25 以来的" in reader.get("/search?mine=unread&n=1").text
    send(reader, "/marks", page="/search", query="", mark="less", **{f"a{number}": "" for number in newest})
    assert titles(reader, "/search?n=1") == [oldest]


@on_postgresql
def test_a_marked_reprint_is_found_itself_and_not_its_first_source(filled: Engine, reader) -> None:
    body = "".join(f"区教育局第{n}次会议表示，小学九月开学，人数增加百分之{n}，校车改线。" for n in range(30))
    with writing(filled) as conn:
        for number, end in ((1, "甲报"), (2, "转自甲报，编辑王五")):
            whole = body + end
            at = TODAY - timedelta(hours=9 - number)
            same = {"body_md5": body_md5("", whole), "fingerprints": fingerprints_of(normalise_text(whole))}
            save_article(conn, f"http://r{number}.cn/1", whole, title="小学开学", published_at=at, crawled_at=at, **same)
        last = int(conn.execute(text("SELECT max(id) FROM articles")).scalar_one())
        assert [hit.record["id"] for hit in similar_articles(conn, article_of(conn, last), 9)] == []
    assert titles(reader, "/search?q=校车改线") == [str(last - 1)]
    send(reader, "/marks", page="/search", query="", mark="star", **{f"a{last}": ""})
    send(reader, "/marks", page="/search", query="", mark="read", **{f"a{last - 1}": ""})
    for mine in ("star", "unread"):
        assert titles(reader, f"/search?q=校车改线&mine={mine}") == [str(last)]


@on_postgresql
def test_what_a_reader_wants_no_more_of_leaves_with_its_event_and_comes_back(app, reader) -> None:
    lists = ("/search?q=火灾&reprints=1", "/search?q=食堂", "/")
    assert all({"4", "5"} & set(titles(reader, path)) or FIRE in reader.get(path).text for path in lists)
    answer = send(reader, "/marks", page="/search", query="q=火灾", mark="less", a4="")
    page = reader.get(answer.headers["location"]).text
    assert "不再出现在你的列表里" in page
    for path in lists:
        assert not {"4", "5"} & set(titles(reader, path))
        assert re.search(r"隐去 [12] 篇", reader.get(path).text)
    assert {"4", "5"} & set(titles(reader, "/search?q=火灾&less=1"))
    page = reader.get("/search?q=火灾 since:1w&reprints=1&n=1&less=1").text
    for following in ('<p class="more">', '<p class="chips">', '<span class="orders">', '<th scope="row">'):
        assert re.search(rf'{following}[^<]*<a href="/search[^"]*less=1', page), following
    assert {"4", "5"} & set(titles(logged_in(app, "李伟"), "/search?q=火灾"))
    assert FIRE in reader.get("/board").text
    send(reader, "/marks", page="/board", mark="less", way="unset", a4="")
    assert {"4", "5"} & set(titles(reader, "/search?q=火灾"))


@on_postgresql
def test_saved_searches_are_tabs_and_a_board_with_unread_counts(app, reader) -> None:
    assert send(reader, "/board/searches", query="火灾", name="食品安全", back="search").status_code == 303
    assert send(reader, "/board/searches", query="(").status_code == 400
    assert send(reader, "/board/searches", query=" ").status_code == 400
    tab = re.compile(r"食品安全 <span class=\"count\"[^>]*>(\d+)<")
    count = int(tab.search(reader.get("/search").text)[1])
    assert count in {1, 2}  # two articles of an event, or reprints
    assert f"最新 {count} 篇中 {count} 篇未读" in reader.get("/board").text
    shown = titles(reader, "/board")
    assert len(shown) == count
    reader.get(f"/articles/{shown[0]}")
    assert f"最新 {count} 篇中 {count - 1} 篇未读" in reader.get("/board").text
    assert send(reader, "/board/read", query="高考").status_code == 404
    send(reader, "/board/read", query="火灾")
    assert f"最新 {count} 篇中 0 篇未读" in reader.get("/board").text
    assert not tab.search(reader.get("/search").text)
    assert "食品安全" in reader.get("/feeds/opml").text

    boss = logged_in(app, "赵敏")
    assert all("食品安全" not in boss.get(path).text for path in ("/search", "/board", "/feeds/opml", "/api/v1/searches"))
    send(boss, "/board/searches", query="火灾", way="remove")
    assert "食品安全" in reader.get("/board").text
    send(reader, "/board/searches", query="火灾", way="remove")
    assert "食品安全" not in reader.get("/board").text
    answers = [send(reader, "/board/searches", query=f"第{number}").status_code for number in range(21)]
    assert answers == [303] * 20 + [400]


def test_a_form_of_another_page_marks_nothing(reader) -> None:
    for path in ("/marks", "/articles/1/marks", "/board/searches", "/board/read"):
        assert reader.post(path, data={"mark": "star", "page": "/", "a1": "", "query": "x"}).status_code == 403
    assert send(reader, "/marks", page="https://evil.cn/", mark="star", a1="").status_code == 400
    assert send(reader, "/marks", page="/", mark="note", a1="").status_code == 400
    assert send(reader, "/articles/99/marks", mark="star").status_code == 404
    assert send(reader, "/articles/1/marks", mark="x").status_code == 400
    assert titles(reader, "/search?mine=star") == []


def test_programs_mark_and_save_with_a_token(app, peopled) -> None:
    client = TestClient(app, base_url=f"http://{HOST}", headers=secret_for(peopled, "王芳", "edit"))
    assert client.post("/api/v1/marks", json={"mark": "star", "articles": [1, 99]}).json() == {"articles": [1]}
    note = {"mark": "note", "articles": [2], "note": "待查", "is_shared": True}
    assert client.post("/api/v1/marks", json=note).status_code == 200
    assert client.post("/api/v1/marks", json=note | {"note": " "}).status_code == 400
    (row,) = client.get("/api/v1/marks?mark=note").json()["marks"]
    assert (row["article_id"], row["note"], row["is_shared"]) == (2, "待查", True)
    assert [one["id"] for one in client.get("/api/v1/articles?mine=star").json()["articles"]] == [1]
    first = client.get("/api/v1/articles?mine=unread&limit=2").json()
    rest = client.get(f"/api/v1/articles?mine=unread&cursor={first['next']}").json()
    assert len({one["id"] for one in first["articles"] + rest["articles"]}) >= 4
    assert client.get("/api/v1/articles?mine=star&stores=all").status_code == 400
    assert client.get("/api/v1/facets?mine=star").json()["site"] == {"站": 1}
    assert client.post("/api/v1/searches", json={"query": "高考"}).status_code == 201
    (search,) = client.get("/api/v1/searches").json()["searches"]
    assert (search["name"], search["unread"], search["newest"]) == ("高考", 1, [2])
    lines = [json.loads(line) for line in client.get("/board/export").text.splitlines()]
    assert [line.get("mark", "search") for line in lines] == ["search", "star", "note"]
    assert client.request("DELETE", "/api/v1/searches?query=高考").status_code == 204
    assert client.request("DELETE", "/api/v1/searches?query=高考").status_code == 404
    assert client.post("/api/v1/marks", json={"mark": "star", "articles": [1], "is_set": False}).status_code == 200
    assert client.get("/api/v1/marks?mark=star").json() == {"marks": [], "next": None}
    only = TestClient(app, base_url=f"http://{HOST}", headers=secret_for(peopled, "王芳", "read"))
    assert only.post("/api/v1/marks", json={"mark": "star", "articles": [1]}).status_code == 403


@on_postgresql
def test_marks_follow_merged_articles_and_go_with_articles_and_accounts(peopled: Engine) -> None:
    opened = Opened()
    with writing(peopled) as conn:
        reading_marks.set_mark(conn, "王芳", Mark.STAR, [1, 4], 1.0)
        reading_marks.set_mark(conn, "王芳", Mark.NOTE, [4], 1.0, note="旧的")
        reading_marks.set_mark(conn, "王芳", Mark.NOTE, [5], 2.0, note="新的", is_shared=True)
        reading_marks.set_mark(conn, "李伟", Mark.STAR, [4], 1.0)
        plugins().hook.articles_dropped(conn=conn, successors={4: 5, 1: None})
        conn.execute(text("DELETE FROM articles WHERE id IN (1, 4)"))
        marks = {name: reading_marks.marks_of(conn, name, [1, 4, 5], opened) for name in ("王芳", "李伟")}
        assert marks["王芳"] == {1: set(), 4: set(), 5: {Mark.STAR, Mark.NOTE}}
        assert marks["李伟"][5] == {Mark.STAR}
        assert [note.note for note in reading_marks.notes_on(conn, "王芳", 5)] == ["新的\n旧的"]
        assert reading_marks.notes_on(conn, "李伟", 5) == []  # one of the two was for nobody else
    opened.add("王芳", 5, TODAY.timestamp())
    with writing(peopled) as conn:
        accounts.remove(conn, "王芳")
    opened.store(peopled)  # what was opened before stays nowhere
    with reading(peopled) as conn:
        assert {row.account for row in conn.execute(text("SELECT account FROM reading_marks"))} == {"李伟"}


@on_postgresql
def test_the_first_account_takes_over_what_was_marked_before(filled: Engine) -> None:
    opened = Opened()
    with writing(filled) as conn:
        reading_marks.set_mark(conn, "", Mark.STAR, [1], 1.0)
        saved_searches.save(conn, "", "高考", "高考", 1.0)
        opened.add("", 2, 1.0)
        for name in ("赵敏", "王芳"):
            accounts.add(conn, name, accounts.Role.ADMIN, "", 2.0)
    opened.store(filled)  # nobody reads without an account any longer
    with reading(filled) as conn:
        assert reading_marks.newest_marked("赵敏", Mark.STAR, conn) == [1]
        assert [row.query for row in saved_searches.saved_searches(conn, "赵敏")] == ["高考"]
        assert {row.account for row in conn.execute(text("SELECT account FROM reading_marks"))} == {"赵敏"}


def test_more_like_this_has_what_shares_its_keywords(filled: Engine, reader) -> None:
    body = "河东县育才小学食堂火灾的原因查明：电线老化。县教育局要求各校检查食堂，消防员提醒注意用电。"
    with writing(filled) as conn:
        save_article(conn, "http://d.cn/9", body, title="育才小学食堂火灾原因查明", published_at=TODAY, crawled_at=TODAY)
        number = int(conn.execute(text("SELECT max(id) FROM articles")).scalar_one())
        similar = [hit.record["id"] for hit in similar_articles(conn, article_of(conn, number), 5)]
    assert similar
    assert set(similar) <= {4, 5}
    assert set(titles(reader, f"/articles/{number}/similar")) == set(map(str, similar))
    assert reader.get("/articles/99/similar").status_code == 404
