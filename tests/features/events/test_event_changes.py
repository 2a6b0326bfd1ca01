"""What editors change about an event in the console."""

import pytest
from lxml import html

from newsspider.features.console import accounts
from newsspider.features.console.accounts import Role, hash_password
from newsspider.store import audit_trail
from newsspider.store.engine.database import reading, writing
from tests.features.console.consoles import client, send

__all__ = ["client"]


def articles_of(client, path):
    """Of the articles of an event those that can be chosen, and all of them."""
    page = html.fromstring(client.get(path).text)
    chosen = page.xpath("//input[@type='checkbox' and starts-with(@name, 'article-')]/@name")
    return chosen, page.xpath("//ol[@class='chain']//a/@href")


def test_an_event_is_split_and_merged_in_the_console(client, filled) -> None:
    assert articles_of(client, "/events/4") == (["article-4", "article-5"], ["/articles/4", "/articles/5"])
    assert send(client, "/events/4", **{"change": "split", "article-5": "on"}).headers["location"] == "/events/4"
    assert articles_of(client, "/events/4") == ([], ["/articles/4"])
    assert articles_of(client, "/events/5") == ([], ["/articles/5"])
    assert send(client, "/events/5", change="merge", other="http://localhost/events/4").headers["location"] == "/events/4"
    assert articles_of(client, "/events/4")[1] == ["/articles/4", "/articles/5"]
    assert "撤销上一次" in client.get("/events/4").text
    (last,) = html.fromstring(client.get("/events/4").text).xpath("//input[@form='change' and @name='decision']/@value")
    undo = {"change": "undo", "decision": last}
    assert send(client, "/events/4", **undo).status_code == 303
    assert articles_of(client, "/events/4")[1] == ["/articles/4"]
    assert "恢复撤销" in client.get("/events/4").text
    assert send(client, "/events/4", **undo).status_code == 409, "sent twice"
    assert articles_of(client, "/events/4")[1] == ["/articles/4"]
    with reading(filled) as conn:
        rows = audit_trail.trail(conn, 9)
    assert [row.action for row in rows] == ["event.undo", "event.merge", "event.split"]
    assert {row.subject for row in rows} == {"河东县育才小学食堂火灾"}
    trail = client.get("/settings").text
    assert "拆分事件" in trail
    assert "合并事件" in trail


@pytest.mark.parametrize("end", ["", "/", "?lang=en", "#edit", "/?lang=en#edit"])
def test_an_event_is_merged_with_the_one_of_an_address(client, end) -> None:
    send(client, "/events/4", **{"change": "split", "article-5": "on"})
    for other in (f" http://localhost/events/4{end} ", f"4{end}"):
        assert send(client, "/events/5", change="merge", other=other).headers["location"] == "/events/4"
        send(client, "/events/4", change="undo")


def test_to_look_at_an_event_counts_as_a_query(client) -> None:
    client.app.state.queries.most = 2
    assert [client.get("/events/4").status_code for _ in range(3)] == [200, 200, 429]


def test_a_title_that_is_given_stands_wherever_the_event_is_named(client) -> None:
    send(client, "/events/4", change="rename", title=" 育才小学 失火&lt; ")
    for path in ("/", "/events", "/events/4", "/articles/4"):
        assert "育才小学 失火&amp;lt;" in client.get(path).text.replace("<wbr>", ""), path
    lead = html.fromstring(client.get("/").text).xpath("//section[@class='lead']")[0]
    assert lead.xpath("string(.//h1)") == "育才小学 失火&lt;"
    assert lead.xpath(".//h1//a/@href") == ["/events/4"]
    assert client.get("/api/v1/events/4").json()["title"] == "育才小学 失火&lt;"
    send(client, "/events/4", change="rename", title="")
    assert "失火" not in client.get("/events/4").text


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        ("/events/4", {"change": "split"}, 400), ("/events/4", {"change": "split", "article-4": "on", "article-5": "on"}, 400),
        ("/events/4", {"change": "split", "article-1": "on"}, 400), ("/events/4", {"change": "split", "article-x": "on"}, 400),
        ("/events/4", {"change": "merge", "other": "4"}, 400), ("/events/4", {"change": "merge", "other": "99"}, 404),
        ("/events/4", {"change": "merge", "other": ""}, 404), ("/events/4", {"change": "rename", "title": "长" * 201}, 400),
        ("/events/4", {"change": "undo"}, 400), ("/events/4", {"change": "drop"}, 400), ("/events/4", {}, 400),
        ("/events/99", {"change": "undo"}, 404), ("/events/x", {"change": "undo"}, 404),
    ],
)  # fmt: skip
def test_a_wrong_change_of_an_event_changes_nothing(client, path, fields, status) -> None:
    assert send(client, path, **fields).status_code == status
    assert articles_of(client, "/events/4")[1] == ["/articles/4", "/articles/5"]


def test_what_was_typed_into_the_form_that_merges_stays(client) -> None:
    refused = send(client, "/events/4", change="merge", other="http://localhost/events/99")
    assert refused.status_code == 404
    assert 'value="http://localhost/events/99"' in refused.text
    assert '<p class="red" id="other-wrong" role="alert">没有编号为 99 的事件</p>' in refused.text


def test_a_reader_neither_sees_nor_sends_changes_of_events(client, filled) -> None:
    client.get("/events/4")  # which gives the browser its cookie
    with writing(filled) as conn:
        accounts.add(conn, "读者", Role.READER, hash_password("一句够长的密码，谁也猜不到"), 0)
    send(client, "/login", name="读者", password="一句够长的密码，谁也猜不到")
    assert articles_of(client, "/events/4") == ([], ["/articles/4", "/articles/5"])
    assert "人工整理" not in client.get("/events/4").text
    assert send(client, "/events/4", **{"change": "split", "article-5": "on"}).status_code == 403
    assert send(client, "/events/99", change="undo").status_code == 403
