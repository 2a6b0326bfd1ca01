"""What people change over pages, programs change over the API, with a token."""

import csv
import gc
import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from fastapi import HTTPException
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text

from newsspider.features.alerts import pages as alert_pages
from newsspider.features.alerts import story_bundling
from newsspider.features.console import accounts, export_answers, site_edits
from newsspider.features.console.accounts import SCOPES, Role
from newsspider.features.console.app import PAGE_MODULES, create_app
from newsspider.features.console.new_site_trial import SiteReading
from newsspider.features.events import pages as event_pages
from newsspider.features.events.detection_run import analyse_new
from newsspider.features.workbench import drafts, topic_pages
from newsspider.library import export_formats
from newsspider.store import audit_trail
from newsspider.store.engine.database import reading, writing
from newsspider.store.sites import every_site as all_sites
from tests.features.console.conftest import TODAY
from tests.features.console.consoles import client, send, site_named
from tests.support.receiver import alert
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

__all__ = ["client"]

API = "/api/v1"
NAMES = {"王芳": Role.READER, "李伟": Role.EDITOR, "赵敏": Role.ADMIN}


@pytest.fixture
def tokens(filled: Engine) -> dict[tuple[str, str], dict[str, str]]:
    """Headers of a token by account and scope."""
    now = TODAY.timestamp()
    with writing(filled) as conn:
        for name, role in NAMES.items():
            accounts.add(conn, name, role, "", now)
        return {
            (name, scope): {"Authorization": f"Bearer {accounts.grant(conn, name, 't', now, scope)}"}
            for name in NAMES
            for scope in SCOPES
        }


def actions(engine: Engine) -> list[str]:
    with reading(engine) as conn:
        return [row.action for row in reversed(audit_trail.trail(conn, 100))]


def test_every_form_of_the_pages_is_a_route_of_the_api(filled: Engine) -> None:
    """What takes a page: passwords, tokens, accounts, and the secrets of channels, as the page on access says."""
    secrets = {"/alerts/try", "/alerts/{number:int}/channels/{place:int}", "/alerts/{number:int}/channels/{place:int}/try"}
    forms = {
        route.path for module in (*PAGE_MODULES, alert_pages, event_pages, topic_pages, drafts) for route in module.router.routes
        if isinstance(route, APIRoute) and "POST" in route.methods and not route.path.startswith("/settings/")
    }  # fmt: skip
    documented = create_app(filled, hosts=[]).openapi()["paths"]
    routes = {path for path, methods in documented.items() if {"post", "delete"} & set(methods)}
    over_api = {
        "/alerts/preview": "/alerts/preview",
        "/alerts": "/alerts",
        "/alerts/mute": "/alerts/{number}/mute",
        "/alerts/remove": "/alerts/{number}",
        "/alerts/resend": "/alerts/messages/resend",
        "/collections": "/collections",
        "/collections/{number}/screen": "/collections/{number}/articles/{article}",
        "/collections/{number}/extend": "/collections/{number}/extend",
        "/collections/{number}/remove": "/collections/{number}",
        "/events/{number}": "/events/{number}",
        "/sites/try": "/site-trials",
        "/sites/add": "/sites",
        "/sites/import": "/opml",
        "/sites/change": "/sites/{name}",
        "/catalogue/add": "/catalogue",
        "/site-rules/{name:path}": "/site-rules/{name}",
        "/url/fetch": "/urls",
        "/url/forget": "/urls",
        "/submit": "/urls",
        "/topics/{name}/test": "/topics/{name}/score",
        "/topics/{name}/label": "/topics/{name}/labels",
        "/labels": "/topics/{name}/labels",
        "/marks": "/marks",
        "/articles/{number}/marks": "/marks",
        "/board/searches": "/searches",
        "/board/read": "/marks",
        "/topics/{name}/copy": "/topics/{name}/copy",
        "/topics/{name}/draft": "/topics/{name}/draft",
        "/topics/{name}/draft/accept": "/topics/{name}/draft/accept",
        "/topics/{name}/draft/discard": "/topics/{name}/draft",
    }
    assert forms - secrets == set(over_api)
    assert {f"{API}{path}" for path in over_api.values()} == routes - {f"{API}/account/token", f"{API}/briefings/{{number}}/send"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/collections/1/extend", {}), ("DELETE", "/collections/1", None), ("POST", "/sites", {"url": "http://x.cn/"}),
        ("POST", "/sites/教育部", {}), ("POST", "/site-rules/教育部", {}),
        ("POST", "/site-trials", {"url": "http://x.cn/"}), ("POST", "/sites/教育部", {"weight": 3}), ("DELETE", "/sites/教育部", None),
        ("POST", "/catalogue", {"name": "安徽省教育厅"}),
        ("POST", "/urls", {"url": "http://x.cn/1"}), ("DELETE", "/urls?url=http://a.cn/1", None),
        ("POST", "/topics/education/labels", {"url": "http://a.cn/1", "verdict": "y"}),
    ],
)  # fmt: skip
def test_a_change_takes_an_editor_and_the_scope_edit(client: TestClient, tokens, filled, method, path, body) -> None:
    for who in (("王芳", "edit"), ("李伟", "read")):
        assert client.request(method, API + path, json=body, headers=tokens[who]).status_code in {403, 404}
    assert client.request(method, API + path, json=body).status_code == 401
    assert actions(filled) == []


def test_a_site_that_cannot_be_used_is_named_and_mended_over_the_api(client: TestClient, tokens, filled) -> None:
    editor = tokens["李伟", "edit"]
    good = client.get(f"{API}/sites/教育部", headers=editor).json()["toml"]
    with writing(filled) as conn:
        conn.execute(text("UPDATE sites SET toml = 'x' WHERE name = '教育部'"))
    listed = client.get(f"{API}/sites", headers=editor).json()
    (broken,) = listed["broken"]
    assert (broken["name"], broken["enabled"], broken["cause"][:6]) == ("教育部", True, "TOML: ")
    assert listed["sites"]
    for path in ("/sites/教育部", "/opml"):
        answer = client.get(f"{API}{path}", headers=editor)
        assert answer.status_code == 409
        assert "'教育部' cannot be used: TOML: " in answer.json()["detail"]
    assert client.post(f"{API}/sites/教育部", json={"weight": 3}, headers=editor).status_code == 409
    assert client.post(f"{API}/sites/教育部", json={"enabled": False}, headers=editor).json() == broken | {"enabled": False}
    mended = client.post(f"{API}/sites/教育部", json={"toml": good, "weight": 3}, headers=editor)
    assert (mended.status_code, mended.json()["weight"]) == (200, 3)
    with writing(filled) as conn:
        conn.execute(text("UPDATE sites SET toml = 'x' WHERE name = '教育部'"))
    assert client.delete(f"{API}/sites/教育部", headers=editor).status_code == 204
    assert client.get(f"{API}/sites", headers=editor).json()["broken"] == []


def test_alerts_are_added_muted_and_removed(client: TestClient, tokens, filled) -> None:
    reader, admin = tokens["王芳", "edit"], tokens["赵敏", "admin"]
    body = {"name": "火灾", "query": "火灾", "rhythm": "daily 08:00", "quiet": "22:00-07:00"}
    alone = client.post(f"{API}/alerts", json=body | {"name": "控制台"}, headers=reader)
    assert alone.json()["channels"] == ["console"], alone.text
    assert client.delete(f"{API}/alerts/{alone.json()['id']}", headers=reader).status_code == 204
    unknown = client.post(f"{API}/alerts", json=body | {"channel": "99-0"}, headers=reader)
    assert (unknown.status_code, unknown.json()["detail"]) == (400, "there is no such channel")
    hook = {"channels": ["https://hooks.example.com/x"]}
    assert client.post(f"{API}/alerts", json=body | hook, headers=reader).status_code == 403
    created = client.post(f"{API}/alerts", json=body | hook | {"owner": "王芳"}, headers=admin)
    assert created.status_code == 201, created.text
    assert (created.json()["owner"], created.json()["rhythm"]) == ("王芳", "daily 08:00")
    assert [key.startswith("whsec_") for key in created.json()["keys"].values()] == [True]
    number = created.json()["id"]
    listed = client.get(f"{API}/alerts", headers=reader).json()
    assert [alert["id"] for alert in listed["alerts"]] == [number]
    again = body | {"name": "又一个", "kind": "event", "pages": 5, "channel": listed["channels"][0]["id"]}
    assert client.post(f"{API}/alerts", json=again, headers=reader).json()["pages"] == 5
    muted = client.post(f"{API}/alerts/{number}/mute", json={"days": 3}, headers=reader).json()
    assert muted["muted_until"].startswith("2026-11-28")
    assert client.post(f"{API}/alerts/{number}/mute", json={"days": 0}, headers=reader).json()["muted_until"] is None
    assert client.get(f"{API}/alerts/{number}", headers=tokens["李伟", "read"]).status_code == 404
    assert client.delete(f"{API}/alerts/{number}", headers=tokens["王芳", "read"]).status_code == 403
    assert client.delete(f"{API}/alerts/{number}", headers=reader).status_code == 204
    assert client.get(f"{API}/alerts/{number}", headers=reader).status_code == 404
    assert actions(filled) == ["alert.add", "alert.remove", "alert.add", "alert.add", "alert.mute", "alert.unmute", "alert.remove"]


def test_an_alert_is_previewed_and_a_wrong_one_refused_with_a_sentence(client: TestClient, filled) -> None:
    stories = client.post(f"{API}/alerts/preview", json={"query": "火灾"}).json()["stories"]
    assert [story["title"] for story in stories] == ["河东县育才小学食堂火灾"]
    refused = client.post(f"{API}/alerts/preview", json={"query": "("})
    assert (refused.status_code, refused.json()["detail"].partition(",")[0]) == (400, "the query")
    wrong = client.post(f"{API}/alerts", json={"name": "x", "query": "y", "rhythm": "often", "channels": ["json://a.cn"]})
    assert wrong.status_code == 400
    assert "rhythm" in wrong.json()["detail"]
    assert client.get(f"{API}/alerts/messages").json() == {"messages": [], "next": None}
    assert client.post(f"{API}/alerts/messages/resend", json={"all": True}).json() == {"messages": 0}
    assert client.post(f"{API}/alerts/messages/resend", json={}).status_code == 422
    assert client.post(f"{API}/alerts/messages/resend", json={"key": "odd"}).status_code == 404
    assert client.post(f"{API}/alerts/{9**30}/mute", json={}).status_code == 422
    assert client.post(f"{API}/alerts/999/mute", json={}).status_code == 404


def test_a_collection_is_extended_exported_and_removed(client: TestClient, filled) -> None:
    number = client.post(f"{API}/collections", json={"name": "火灾", "query": "火灾"}).json()["id"]
    with writing(filled) as conn:
        save_article(conn, "http://d.cn/9", "又一起火灾。", title="火灾", published_at=TODAY, crawled_at=TODAY)
    assert client.post(f"{API}/collections/{number}/extend", json={}).json() == {"added": 1}
    lines = client.get(f"{API}/collections/{number}/export").text.splitlines()
    assert len(lines) == 3
    assert client.delete(f"{API}/collections/{number}").status_code == 204
    assert client.get(f"{API}/collections/{number}").status_code == 404
    assert actions(filled) == ["collection.add", "collection.extend", "collection.remove"]


def test_a_site_is_added_changed_and_removed(client: TestClient, filled) -> None:
    created = client.post(f"{API}/sites", json={"url": "news.example.cn", "weight": 7})
    assert (created.status_code, created.json()["weight"]) == (201, 7)
    name = created.json()["name"]
    assert client.post(f"{API}/sites", json={"url": "news.example.cn"}).status_code == 409
    assert client.post(f"{API}/sites", json={"url": "http://127.0.0.1/"}).status_code == 400
    changed = client.post(f"{API}/sites/{name}", json={"weight": 2, "enabled": False, "relearn": True}).json()
    assert (changed["weight"], site_named(filled, name).weight) == (2, 2)
    whole = client.get(f"{API}/sites/{name}").json()
    assert 'home = "http://news.example.cn/"' in whole["toml"]
    assert whole["channels"]
    assert name in [site["name"] for site in client.get(f"{API}/sites").json()["sites"]]
    assert client.delete(f"{API}/sites/{name}").status_code == 204
    assert client.get(f"{API}/sites/{name}").status_code == 404
    assert actions(filled) == ["site.add", "site.weight", "site.disable", "site.relearn", "site.remove"]


@pytest.mark.parametrize("change", [{"weight": 3}, {"rules": {"title": "//h2"}}, {"enabled": False}, {"toml": "of GET"}])
def test_a_change_to_a_version_of_a_site_that_another_one_changed_is_refused(client: TestClient, filled, change) -> None:
    old_site = client.get(f"{API}/sites/教育部").json()
    mine = {"version": old_site["version"], **change} | ({"toml": old_site["toml"]} if "toml" in change else {})
    assert client.post(f"{API}/sites/教育部", json={"rules": {"body": "//article"}}).status_code == 200
    stored = client.get(f"{API}/sites/教育部").json()
    assert client.post(f"{API}/sites/教育部", json=mine).status_code == 409
    assert client.get(f"{API}/sites/教育部").json() == stored
    assert client.post(f"{API}/sites/教育部", json=mine | {"version": stored["version"]}).status_code == 200
    assert client.post(f"{API}/sites/教育部", json=mine | {"version": ""}).status_code == 200


OPML = """<opml version="2.0"><body><outline text="要闻" xmlUrl="http://daily.example.cn/rss" htmlUrl="http://daily.example.cn/"/>
<outline text="内网" xmlUrl="%s"/></body></opml>"""


def test_feeds_come_in_and_sites_go_out_as_opml(client: TestClient, filled) -> None:
    assert client.post(f"{API}/opml", json={"opml": OPML % "http://10.0.0.1/rss"}).status_code == 400
    assert site_named(filled, "要闻") is None
    done = client.post(f"{API}/opml", json={"opml": OPML % "http://daily.example.cn/2.xml"}).json()["done"]
    assert done == ["要闻: 2 channels added"]
    assert "新增 1 个频道" in send(client, "/sites/import", opml=OPML % "http://daily.example.cn/3.xml").text
    assert [channel.name for channel in site_named(filled, "要闻").channels] == ["要闻", "内网", "内网 2"]
    assert client.post(f"{API}/opml", json={"opml": "<rss/>"}).json()["detail"].endswith("its root is not <opml>")
    answer = client.get(f"{API}/opml")
    assert answer.headers["content-type"] == "text/x-opml; charset=utf-8"
    assert 'xmlUrl="http://daily.example.cn/3.xml"' in answer.text
    assert actions(filled) == ["site.import"] * 2
    client.post(f"{API}/collections", json={"name": "火灾", "query": "火灾"})
    assert 'text="火灾" xmlUrl="http://localhost/feeds/atom?q=%E7%81%AB%E7%81%BE"' in client.get("/feeds/opml").text


def test_feeds_for_a_disabled_site_name_it(client: TestClient, filled) -> None:
    document = OPML % "http://daily.example.cn/2.xml"
    client.post(f"{API}/opml", json={"opml": document})
    send(client, "/sites/change", name="要闻", change="disable")
    assert client.post(f"{API}/opml", json={"opml": document}).json()["done"][0].startswith("要闻 is disabled")
    assert "站点 要闻 已停用" in send(client, "/sites/import", opml=document).text


def test_a_site_is_tried(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsspider.features.console.pages.sites.site_reading", lambda url, settings: SiteReading(url, charset="gbk"))
    tried = client.post(f"{API}/site-trials", json={"url": "news.example.cn"}).json()
    assert (tried["url"], tried["charset"]) == ("http://news.example.cn/", "gbk")
    assert client.post(f"{API}/site-trials", json={"url": "http://10.0.0.1/"}).status_code == 400


def test_urls_are_submitted_watched_and_forgotten(client: TestClient, filled) -> None:
    assert client.post(f"{API}/urls", json={"url": "http://n.example.cn/1"}).json() == {"url": "http://n.example.cn/1", "watched_as": None}
    assert client.get(f"{API}/urls", params={"url": "http://n.example.cn/1"}).json()["known"][0]["state"] == "waiting"
    assert client.post(f"{API}/urls", json={"url": "http://w.example.cn/", "watch": True}).json()["watched_as"]
    assert client.post(f"{API}/urls", json={"url": "junk"}).status_code == 400
    assert client.delete(f"{API}/urls", params={"url": "http://a.cn/1"}).status_code == 204
    assert client.delete(f"{API}/urls", params={"url": "http://a.cn/1"}).status_code == 404
    assert client.get(f"{API}/articles/1").status_code == 404
    assert actions(filled) == ["url.submit", "url.watch", "url.forget"]


def test_topics_judge_and_learn(client: TestClient, filled) -> None:
    assert client.get(f"{API}/topics").json()["topics"][0]["name"] == "education"
    topic = client.get(f"{API}/topics/education").json()
    assert topic["terms"] == len(topic["term_list"])
    judged = client.post(f"{API}/topics/education/score", json={"title": "教育部部署今年高考工作"}).json()
    assert judged["relevant"]
    assert judged["score"] >= judged["threshold"]
    label = {"url": "http://a.cn/1", "verdict": "y"}
    assert client.post(f"{API}/topics/education/labels", json=label).json() == label
    assert client.post(f"{API}/topics/odd/labels", json=label).status_code == 404
    assert actions(filled) == ["topic.label"]


def test_news_and_events_are_those_of_the_pages(client: TestClient) -> None:
    day = client.get(f"{API}/news").json()
    assert (day["day"], day["total"]) == ("2026-11-25", len(day["articles"]))
    assert client.get(f"{API}/news", params={"day": "2026-11-24", "limit": 1}).json()["articles"][0]["title"] == "高考改革"
    events = client.get(f"{API}/events").json()
    number = events["events"][0]["id"]
    whole = client.get(f"{API}/events/{number}").json()
    assert [node["article"] for node in whole["nodes"]] == [4, 5]
    assert client.get(f"{API}/events/5").json() == whole
    assert client.get(f"{API}/events/999").status_code == 404
    assert client.get(f"{API}/news", params={"day": "9999-12-31"}).status_code == 400


def test_articles_that_arrive_meanwhile_move_no_page_of_the_news(client: TestClient, filled: Engine) -> None:
    whole = client.get(f"{API}/news").json()
    assert whole["next"] is None
    first = client.get(f"{API}/news", params={"limit": 1}).json()
    with writing(filled) as conn:
        for number in (40, 41):
            save_article(conn, f"http://n.cn/{number}", f"新来的第 {number} 篇", published_at=TODAY, crawled_at=TODAY)
    records, cursor = first["articles"], first["next"]
    while cursor:
        answer = client.get(f"{API}/news", params={"limit": 1, "cursor": cursor}).json()
        assert answer["total"] == whole["total"]
        records, cursor = [*records, *answer["articles"]], answer["next"]
    assert [record["id"] for record in records] == [record["id"] for record in whole["articles"]]
    assert client.get(f"{API}/news").json()["total"] == whole["total"] + 2
    for cursor in ("1.2.3", "x", "1.2.3.4.²", "0.2.3.4.5", f"{10**17}.2.3.4.5"):
        assert client.get(f"{API}/news", params={"cursor": cursor}).status_code == 400


def test_an_account_sees_its_own_tokens_and_ends_the_one_that_it_uses(client: TestClient, tokens, filled) -> None:
    mine = tokens["王芳", "edit"]
    own = client.get(f"{API}/account", headers=mine).json()
    assert (own["account"], own["role"], own["scope"], len(own["tokens"])) == ("王芳", "reader", "edit", 3)
    assert [token["scope"] for token in own["tokens"] if token["current"]] == ["edit"]
    assert "hash" not in own["tokens"][0]
    assert client.delete(f"{API}/account/token", headers=mine).status_code == 204
    assert client.get(f"{API}/account", headers=mine).status_code == 401
    for path in ("accounts", "changes"):
        assert client.get(f"{API}/{path}", headers=tokens["赵敏", "edit"]).status_code == 403
    admin = tokens["赵敏", "admin"]
    assert [row["name"] for row in client.get(f"{API}/accounts", headers=admin).json()["accounts"]] == sorted(NAMES)
    assert "password_hash" not in client.get(f"{API}/accounts", headers=admin).text
    page = client.get(f"{API}/changes?limit=1", headers=admin).json()
    assert page["changes"][0]["action"] == "token.end"
    assert client.get(f"{API}/changes", params={"before": page["next"]}, headers=admin).json() == {"changes": [], "next": None}


def test_pages_of_a_search_follow_each_other(client: TestClient, filled) -> None:
    pages, ids, cursor = [], [], ""
    while cursor is not None:
        answer = client.get(f"{API}/articles", params={"limit": 2, "cursor": cursor}).json()
        pages.append([record["id"] for record in answer["articles"]])
        ids += pages[-1]
        cursor = answer["next"]
    whole = client.get(f"{API}/articles").json()
    assert whole["next"] is None
    assert ids == [record["id"] for record in whole["articles"]]
    assert [len(page) for page in pages[:-1]] == [2] * (len(pages) - 1)
    for wrong in ("cursor=x", "cursor=1.2.3&sort=relevance", "cursor=1.2.3&q=("):
        assert client.get(f"{API}/articles?{wrong}").status_code == 400


@pytest.mark.parametrize("form", ["jsonl", "csv", "md", "xlsx", "parquet"])
def test_the_hits_of_a_query_are_exported(client: TestClient, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsspider.search.paging.EXPORTED_AT_ONCE", 2)
    answer = client.get(f"{API}/export", params={"form": form, "reprints": True})
    assert answer.headers["content-disposition"] == f'attachment; filename="articles.{form}"'
    if form == "jsonl":
        assert sorted(json.loads(line)["id"] for line in answer.text.splitlines()) == [1, 2, 3, 4, 5]
    if form == "csv":
        assert len(list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))) == 5
    if form == "xlsx":
        for fields, first in (("", "时间"), ("all", "id")):
            answer = client.get(f"{API}/export", params={"form": form, "fields": fields})
            assert openpyxl.load_workbook(io.BytesIO(answer.content)).active["A1"].value == first
    assert client.get(f"{API}/export", params={"form": "odd"}).status_code == 400
    assert client.get(f"{API}/export", params={"q": "("}).status_code == 400


def test_what_has_not_changed_is_not_sent_again(client: TestClient, filled) -> None:
    first = client.get(f"{API}/articles/1")
    tag = first.headers["etag"]
    for condition in (tag, f'"x", W/{tag}'):
        again = client.get(f"{API}/articles/1", headers={"If-None-Match": condition})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get(f"{API}/articles/2", headers={"If-None-Match": tag}).status_code == 200
    assert "etag" not in client.get(f"{API}/articles/99").headers


@on_postgresql
def test_the_api_works_on_postgresql(client: TestClient, filled) -> None:
    answers: list[Any] = [
        client.get(f"{API}/articles?limit=2&cursor=99.1900000000.99"), client.get(f"{API}/export"), client.get(f"{API}/news"),
        client.get(f"{API}/sites"), client.get(f"{API}/events"), client.get(f"{API}/alerts"), client.get(f"{API}/changes"),
        client.post(f"{API}/sites", json={"url": "news.example.cn"}), client.get(f"{API}/account"),
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [200] * 7 + [201, 200]
    assert len(answers[0].json()["articles"]) == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # openpyxl's, of a sheet that is given up
def test_two_tables_are_made_at_once_and_what_a_table_cannot_hold_is_refused(client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_formats, "MOST_ROWS", 1)
    refused = client.get(f"{API}/export?form=xlsx")
    assert (refused.status_code, "at most 1 articles" in refused.json()["detail"]) == (400, True)
    gc.collect()  # the sheet, here and not in a later test
    monkeypatch.undo()
    table = client.get(f"{API}/export?form=xlsx")
    assert int(table.headers["content-length"]) == len(table.content)
    with export_answers.TABLES_AT_ONCE, export_answers.TABLES_AT_ONCE:
        assert client.get(f"{API}/export?form=parquet").status_code == 429
        assert client.get(f"{API}/export?form=csv").status_code == 200
    assert client.get(f"{API}/export?form=parquet").status_code == 200


def test_the_changes_of_a_site_are_one_transaction(client, filled: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with reading(filled) as conn:
        site = all_sites(conn)[0]

    def fail(*_: object) -> None:
        raise HTTPException(409, "no")

    monkeypatch.setitem(site_edits.CHANGES, "relearn", fail)
    weight = site.weight % 10 + 1
    assert client.post(f"{API}/sites/{site.name}", json={"weight": weight, "relearn": True}).status_code == 409
    with reading(filled) as conn:
        assert next(other for other in all_sites(conn) if other.name == site.name).weight == site.weight


def test_messages_and_collections_follow_each_other_by_next(client: TestClient, filled) -> None:
    with writing(filled) as conn:
        alert(conn, "http://127.0.0.1:1/hook", query="延时服务", once="reprints")
        for number in range(5):
            save_article(conn, f"http://m.cn/{number}", f"延时服务第{number}条新规", 1.0, title=f"延时服务{number}")
        story_bundling.put(conn, story_bundling.due(conn, TODAY.timestamp()), "http://console", TODAY.timestamp())
    keys, cursor = [], ""
    while cursor is not None:
        answer = client.get(f"{API}/alerts/messages", params={"state": "waiting", "limit": 2, "cursor": cursor}).json()
        keys += [message["key"] for message in answer["messages"]]
        cursor = answer["next"]
    assert len(keys) == len(set(keys)) == 5
    assert client.get(f"{API}/alerts/messages?cursor=x").status_code == 400
    for name in "甲乙丙":
        client.post(f"{API}/collections", json={"name": name})
    first = client.get(f"{API}/collections?limit=2").json()
    second = client.get(f"{API}/collections", params={"limit": 2, "before": first["next"]}).json()
    assert [row["name"] for row in (*first["collections"], *second["collections"])] == ["丙", "乙", "甲"]
    assert second["next"] is None


def test_a_topic_is_copied_once_under_a_name(client: TestClient, tokens: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsspider.features.workbench.drafts.copies_folder", lambda: tmp_path)
    answers = [
        client.post(f"{API}/topics/education/copy", json={"name": name, "title": "教育二"}, headers=tokens["李伟", "edit"])
        for name in ("second", "no name", "education")
    ]
    assert [answer.status_code for answer in answers] == [201, 400, 400]
    assert 'title = "教育二"' in (tmp_path / "second.toml").read_text("utf-8")


def test_events_are_changed_over_the_api(client: TestClient, tokens: Any, filled: Engine) -> None:
    list(analyse_new(filled))
    number = client.get(f"{API}/articles/4", headers=tokens["李伟", "edit"]).json()["id"]
    renamed = client.post(f"{API}/events/{number}", json={"change": "rename", "title": "一场火"}, headers=tokens["李伟", "edit"])
    assert (renamed.status_code, renamed.json()["title"]) == (200, "一场火")
    own = client.post(f"{API}/events/{number}", json={"change": "rename"}, headers=tokens["李伟", "edit"])
    assert own.json()["title"] == "河东县育才小学食堂火灾"
    split = client.post(f"{API}/events/{number}", json={"change": "split", "articles": [5]}, headers=tokens["李伟", "edit"])
    assert (split.json()["id"], split.json()["articles"]) == (4, 1)
    undo = {"change": "undo", "decision": 99}
    assert client.post(f"{API}/events/{number}", json=undo, headers=tokens["李伟", "edit"]).status_code == 409
    both = client.post(f"{API}/events/{number}", json={"change": "undo"}, headers=tokens["李伟", "edit"])
    assert both.json()["articles"] == 2
    client.app.state.queries.most = 0  # type: ignore[attr-defined]
    limited = client.post(f"{API}/events/{number}", json={"change": "rename"}, headers=tokens["李伟", "edit"])
    assert limited.status_code == 429
    client.app.state.queries.most = 240  # type: ignore[attr-defined]
    for body in ({"change": "merge", "other": 99}, {"change": "x"}):
        assert client.post(f"{API}/events/{number}", json=body, headers=tokens["李伟", "edit"]).status_code in {400, 404, 422}
