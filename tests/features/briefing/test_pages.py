"""Briefings in the console: made, edited, and given out."""

import json
import re
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from lxml import html
from sqlalchemy import Engine, text

from newsspider.features.briefing import stored_briefings
from newsspider.store.engine.database import writing
from tests.features.console.conftest import backend, filled
from tests.features.console.consoles import client, send

__all__ = ["backend", "client", "filled"]


@pytest.fixture
def briefing(client: TestClient) -> str:
    """The path of a briefing of the last day."""
    assert client.get("/briefings").status_code == 200
    answer = send(client, "/briefings", kind="daily", title="早报", region="", query="")
    assert answer.status_code == 303
    return str(answer.headers["location"])


def titles(client: TestClient, path: str) -> list[str]:
    return [link.text for link in html.fromstring(client.get(path).text).cssselect("ol.rows h3 a")]


def test_a_briefing_is_made_read_and_listed(client: TestClient, briefing: str) -> None:
    page = client.get(briefing).text
    assert "早报" in page
    assert "河东县育才小学食堂火灾" in titles(client, briefing)
    (row,) = html.fromstring(client.get("/briefings").text).cssselect("ol.rows li")
    assert re.search(r"早报.* \d{4}(-\d\d){2} \d\d:\d\d – \d{4}(-\d\d){2} \d\d:\d\d", " ".join(row.text_content().split()))
    assert send(client, "/briefings", kind="daily").headers["location"] != briefing
    assert len(html.fromstring(client.get("/briefings").text).cssselect("ol.rows li")) == 1  # the same, made again


def test_what_an_editor_picked_ordered_titled_and_noted_is_what_others_get(client: TestClient, briefing: str) -> None:
    record = client.get(f"/api/v1{briefing}").json()
    first, second, *_ = record["headlines"]
    edit = {f"place-{first['event']}": "2", f"place-{second['event']}": "1", "edits": "0"}
    edit |= {f"title-{second['event']}": "改过的题目", f"note-{second['event']}": "请关注<script>"}
    assert send(client, briefing, title="晚报", **edit).status_code == 303
    assert titles(client, briefing) == ["改过的题目", first["title"]]
    new = client.get(f"/api/v1{briefing}").json()
    assert (new["title"], new["headlines"][0]["note"], len(new["headlines"])) == ("晚报", "请关注<script>", 2)
    assert new["headlines"][0]["quotes"] == second["quotes"]
    for form in ("html", "md", "txt"):
        written = client.get(f"{briefing}/file?form={form}").text
        assert "改过的题目" in written
        assert "<script>" not in written or form == "txt"
    document = client.get(f"{briefing}/file?form=docx")
    assert document.content[:2] == b"PK"
    assert document.headers["content-disposition"].endswith('.docx"')


def test_nothing_that_an_editor_did_is_lost(client: TestClient, briefing: str) -> None:
    headlines = client.get(f"/api/v1{briefing}").json()["headlines"]
    event = headlines[0]["event"]
    assert send(client, briefing, edits="0", **{f"place-{event}": "1", f"note-{event}": "一"}).status_code == 303
    assert send(client, briefing, edits="0", **{f"place-{event}": "1", f"note-{event}": "二"}).status_code == 409
    again = send(client, "/briefings", kind="daily").headers["location"]  # stands beside the edited one
    assert again != briefing
    assert client.get(f"/api/v1{briefing}").json()["headlines"][0]["note"] == "一"
    counts = [one["events"] for one in client.get("/api/v1/briefings").json()["briefings"]]
    assert counts == [len(headlines), 1]  # as an editor left it
    form = html.fromstring(client.get(f"{briefing}?edit=1").text)  # what was left out can come back
    assert len(form.cssselect("input.short")) == len(headlines) > 1
    everything = {field.get("name"): str(place) for place, field in enumerate(form.cssselect("input.short"), 1)}
    assert send(client, briefing, edits="1", **everything).status_code == 303
    assert len(titles(client, briefing)) == len(headlines)


def test_odd_numbers_and_texts_are_no_errors_of_the_server(client: TestClient, briefing: str, filled: Engine) -> None:
    number = briefing.rpartition("/")[2]
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    assert client.get(f"/briefings/{number.translate(wide)}/file?form=md").status_code == 200
    event = client.get(f"/api/v1{briefing}").json()["headlines"][0]["event"]
    send(client, briefing, edits="0", **{f"place-{event}": "1", f"title-{event}": "一\x08\ufffe二"})
    assert client.get(f"{briefing}/file?form=docx").status_code == 200
    with writing(filled) as conn:
        conn.execute(text("UPDATE briefings SET content = '{}'"))
    assert client.get("/briefings").status_code == 200
    assert client.get(briefing).status_code == 404


def test_a_briefing_of_a_region_topic_or_query_has_only_its_articles(client: TestClient) -> None:
    path = send(client, "/briefings", kind="special", days="7", query="火灾").headers["location"]
    assert titles(client, path) == ["河东县育才小学食堂火灾"]
    (link,) = html.fromstring(client.get(path).text).cssselect("a[href^='/attention/pictures']")
    assert "火灾" in html.fromstring(client.get(link.get("href")).text).cssselect("input[name=q]")[0].get("value")
    path = send(client, "/briefings", kind="special", region="江苏").headers["location"]
    assert titles(client, path) == []
    path = send(client, "/briefings", kind="special", topic="education").headers["location"]
    assert client.get(f"/api/v1{path}").json()["topic"] == "education"
    assert send(client, "/briefings", topic="月球").status_code == 400
    assert send(client, "/briefings", region="月球").status_code == 400
    assert "“--abc”不是日期" in send(client, "/briefings", query="since:--abc").text


def test_a_deleted_or_unknown_briefing_is_not_found(client: TestClient, briefing: str) -> None:
    assert send(client, briefing, change="remove").headers["location"].endswith("/briefings")
    for path in (briefing, f"/api/v1{briefing}", "/briefings/999", "/briefings/x", "/api/v1/briefings/9999"):
        assert client.get(path).status_code == 404
    assert client.get("/api/v1/briefings").json() == {"briefings": []}


@pytest.fixture
def subscription(client: TestClient) -> str:
    """The number of a subscription by hand, to the console."""
    form = {"name": "领导", "when": "by hand", "at": "07:30", "zone": "Asia/Shanghai", "channel": "console"}
    assert send(client, "/briefings/subscriptions", **form).status_code == 303
    return str(client.get("/api/v1/alerts").json()["alerts"][0]["id"])


def test_an_editor_subscribes_makes_one_changes_it_and_sends_it_once(client: TestClient, subscription: str) -> None:
    path = send(client, "/briefings", subscription=subscription).headers["location"]
    first = client.get(f"/api/v1{path}").json()["headlines"][0]
    send(client, path, edits="0", **{f"place-{first['event']}": "1", f"title-{first['event']}": "改过的题目"})
    assert send(client, f"{path}/send", subscription=subscription).status_code == 303
    assert send(client, f"{path}/send", subscription=subscription).status_code == 409  # pressed twice
    (sent,) = client.get("/api/v1/briefings").json()["briefings"][0]["sent"]
    assert (sent["name"], sent["channel"], sent["state"]) == ("领导", "console", "waiting")
    assert "领导" in client.get("/briefings").text
    assert "领导" in client.get(path).text
    copy = send(client, path, edits="1", **{f"place-{first['event']}": "1", f"title-{first['event']}": "又改"}).headers["location"]
    assert copy != path  # what was sent stays as it is
    assert (titles(client, path), titles(client, copy)) == (["改过的题目"], ["又改"])
    assert send(client, path, change="remove").status_code == 409
    assert send(client, copy, change="remove").status_code == 303
    answer = client.post(f"/api/v1{path}/send", json={"subscription": 99})
    assert answer.status_code == 404


def test_a_subscription_that_is_wrong_is_refused_with_its_fault(client: TestClient) -> None:
    form = {"name": "周报", "when": "weekly mon", "at": "08:00", "zone": "Asia/Shanghai", "channel": "console"}
    for wrong in ({"zone": "Mars/Base"}, {"at": "25:00"}, {"name": ""}, {"query": "("}, {"region": "月球"}, {"to": "nope://x"}):
        answer = send(client, "/briefings/subscriptions", **form | wrong)
        assert (answer.status_code, 'role="alert"' in answer.text) == (400, True), wrong
    assert "检索式：第 2 个字起" in send(client, "/briefings/subscriptions", **form | {"query": "("}).text
    assert send(client, "/briefings/subscriptions", **form).status_code == 303
    assert "周一 08:00" in client.get("/briefings").text
    assert "周一 08:00" in client.get("/alerts").text
    number = client.get("/api/v1/alerts").json()["alerts"][0]["id"]
    assert "周报" in client.get(f"/alerts/{number}").text


def test_a_briefing_of_many_items_can_be_edited(client: TestClient, briefing: str, filled: Engine) -> None:
    number = int(briefing.rpartition("/")[2])
    with writing(filled) as conn:
        content = stored_briefings.kept(conn, number).original
        items = tuple(replace(content.headlines[0], event=event, title=f"第{event}件") for event in range(1, 1001))
        many = json.dumps(replace(content, headlines=items).record())
        conn.execute(text("UPDATE briefings SET original = :many, content = :many"), {"many": many})
    form = html.fromstring(client.get(f"{briefing}?edit=1").text)
    fields = {field.get("name"): field.value or "" for field in form.cssselect("form input, form textarea") if field.get("name")}
    fields |= {"place-1000": "1", "place-1": "1000", "note-1000": "按语" * 250}
    del fields["change"]
    assert send(client, briefing, **fields).status_code == 303
    shown = titles(client, briefing)
    assert (len(shown), shown[0], shown[-1]) == (1000, "第1000件", "第1件")
