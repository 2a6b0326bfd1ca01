"""Feeds that a hub of WebSub is told of: how they name it, and that it hears of each change, though it fails at first."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from urllib.parse import parse_qs
from xml.etree import ElementTree

import pytest

from newsspider.features.alerts import stored_alerts
from newsspider.features.alerts.channels import BadChannelError, check_channel, mask_channel
from newsspider.features.alerts.delivery_loop import Deliverer
from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
from newsspider.store.engine.database import writing
from tests.features.console.conftest import TODAY, Morning
from tests.features.console.consoles import client, console_of
from tests.support import receiver
from tests.support.receiver import alert
from tests.support.samples import save_article

__all__ = ["client"]
CONSOLE = "https://news.example.cn/n"
QUERY = {"q": "研学 旅行"}
SELF = f"{CONSOLE}/feeds/atom?q=%E7%A0%94%E5%AD%A6+%E6%97%85%E8%A1%8C"
ATOM = "{http://www.w3.org/2005/Atom}link"


class Hub(BaseHTTPRequestHandler):
    """Answers as it is told, and keeps what was published."""

    asked: list[dict[str, list[str]]]
    answers: list[int]

    def do_POST(self) -> None:
        self.asked.append(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        self.send_response(self.answers.pop(0))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub():
    """The address of a hub that fails at first, and the forms that it received."""
    handler = type("Handler", (Hub,), {"asked": [], "answers": [503, 204, 204]})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"127.0.0.1:{server.server_port}/", handler.asked
        server.shutdown()


def test_feeds_name_the_hub_that_hears_of_their_query(filled) -> None:
    with writing(filled) as conn:
        alert(conn, "websubs://hub.example.cn/", query=QUERY["q"])
    client = console_of(filled, CONSOLE_URL=CONSOLE)
    answer = client.get("/feeds/atom", params=QUERY)
    assert answer.headers["link"] == f'<https://hub.example.cn/>; rel="hub", <{SELF}>; rel="self"'
    links = {link.get("rel"): link.get("href") for link in ElementTree.fromstring(answer.text).findall(ATOM)}
    assert (links["hub"], links["self"]) == ("https://hub.example.cn/", SELF)
    channel = ElementTree.fromstring(client.get("/feeds/rss", params=QUERY).text)[0]
    assert {link.get("rel") for link in channel.findall(ATOM)} == {"hub", "self"}
    feed = client.get("/feeds/json", params=QUERY).json()
    assert feed["hubs"] == [{"type": "WebSub", "url": "https://hub.example.cn/"}]
    assert feed["feed_url"].startswith(f"{CONSOLE}/feeds/json?")
    other = client.get("/feeds/atom", params={"q": "高考\r\n"})
    assert 'rel="hub"' not in other.headers["link"] + other.text


def test_a_hub_that_was_stored_with_a_secret_is_not_shown(filled, monkeypatch) -> None:
    monkeypatch.setattr(receiver, "check_channel", str)  # as before there was that check
    with writing(filled) as conn:
        for number, hub in enumerate(("hub.example.cn/", "old.example.cn/?key=s3cret", "old.example.cn/#s3cret")):
            alert(conn, f"websubs://{hub}", name=f"源{number}", query=QUERY["q"])
    client = console_of(filled, CONSOLE_URL=CONSOLE)
    for form in ("atom", "rss", "json"):
        answer = client.get(f"/feeds/{form}", params=QUERY)
        assert "https://hub.example.cn/" in answer.headers["link"]
        assert "old.example" not in answer.headers["link"] + answer.text


def test_a_hub_is_a_channel_of_a_query_alone(client) -> None:
    new = {"name": "源头", "kind": "source", "channels": ["websubs://hub.example.cn/"]}
    refused = client.post("/api/v1/alerts", json=new)
    assert refused.status_code == 400
    assert "a hub of WebSub hears of the feeds of a query" in refused.json()["detail"]


def test_the_feed_of_a_muted_alert_names_no_hub(client, filled) -> None:
    with writing(filled) as conn:
        muted = alert(conn, "websubs://hub.example.cn/", query=QUERY["q"])
        stored_alerts.mute(conn, muted, stored_alerts.FOREVER, TODAY.timestamp())
    assert 'rel="hub"' not in client.get("/feeds/atom", params=QUERY).headers["link"]


def test_a_hub_hears_of_new_articles_once_though_it_fails_at_first(filled, hub) -> None:
    address, pings = hub
    with writing(filled) as conn:
        alert(conn, f"websub://{address}", query=QUERY["q"], once="reprints", rhythm=Rhythm())
        save_article(conn, "http://w.cn/1", "研学路线公布，学生可以旅行。", TODAY.timestamp(), title="研学 旅行", crawled_at=TODAY)
    clock = Morning()
    for late in (0.0, 3600.0, 7200.0):
        clock.now = lambda late=late: TODAY.timestamp() + late  # type: ignore[method-assign]
        Deliverer(filled, CONSOLE, 1.0, clock=clock, chance=lambda: 0.0).run(Event(), once=True)
    assert len(pings) == 2, "it failed once, and was told once"
    assert pings[0] == pings[1]
    assert pings[0]["hub.mode"] == ["publish"]
    assert SELF in pings[0]["hub.url"]
    assert f"{SELF}&text=1" in pings[0]["hub.url"]
    assert json.dumps(pings).count("/feeds/json?") == 4


def test_a_wrong_hub_is_refused_with_a_sentence() -> None:
    for channel in ("websub://", "websubs://user:secret@hub.cn/", "websub://h:99999/"):
        with pytest.raises(BadChannelError, match="is no URL"):
            check_channel(channel)
    for channel in ("websubs://hub.cn/x?token=secret", "websub://hub.cn/#secret"):
        with pytest.raises(BadChannelError, match="say one without"):
            check_channel(channel)
    assert mask_channel("websubs://hub.cn/x") == "websubs://…"
    assert check_channel("websubs://hub.cn/x") == "websubs://hub.cn/x"
