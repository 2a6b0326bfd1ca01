"""Webhooks and the services of apprise."""

import json
import logging
import socket
import threading
from contextlib import suppress
from typing import ClassVar

import apprise
import pytest
from standardwebhooks import Webhook

from newsspider.features.alerts import channels
from newsspider.features.alerts.channels import (
    TAKEN,
    BadChannelError,
    check_channel,
    mask_channel,
    secret_of,
    send_message,
)
from newsspider.features.alerts.messages import message_about
from newsspider.store.engine.clock import Clock
from tests.support.receiver import Receiver
from tests.support.tables import each

STORY = {
    "title": "高考改革", "url": "http://a.cn/1", "site": "甲", "source": "新华网", "published_at": "2026-11-25T08:30:00+08:00",
    "article_id": 7, "why": {"in_title": ["高考"], "in_text": [], "piece": "", "fields": []},
}  # fmt: skip
SENT = message_about({"name": "考试", "owner": "", "kind": "query", "query": "高考"}, "t0ken", [STORY], "http://127.0.0.1:8800", 1.8e9)


def test_a_webhook_is_signed_after_standard_webhooks(receiver):
    channel = check_channel(receiver.url + "?a=1")
    assert send_message(channel, "msg_1", SENT, Clock().now()) == TAKEN
    ((path, headers, body),) = receiver.requests
    assert path == "/hook?a=1"
    read = Webhook(secret_of(channel)).verify(body, headers)  # the library of Standard Webhooks
    assert read == json.loads(json.dumps(SENT))
    assert headers["webhook-id"] == "msg_1"
    assert secret_of(channel) not in str(headers) + body.decode()
    story = read["data"]["stories"][0]
    assert story["console_url"] == "http://127.0.0.1:8800/articles/7"
    assert read["data"]["mute_url"] == "http://127.0.0.1:8800/alerts/mute/t0ken"


@each(
    ("status", "error"), [(500, "HTTP 500 Internal Server Error"), (404, "HTTP 404 Not Found"), (410, "HTTP 410 Gone")]
)
def test_other_answers_are_failures(status, error):
    with Receiver(lambda key: status) as receiver:
        outcome = send_message(check_channel(receiver.url), "msg_1", SENT, 1.8e9)
    assert outcome.error == error
    assert outcome.for_good == (status == 410)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"])
def test_a_receiver_that_trickles_is_broken_off(head, monkeypatch):
    monkeypatch.setattr(channels, "REQUEST_SECONDS", 0.5)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def trickle():
            connection, _ = server.accept()
            with connection:
                connection.sendall(head)
                while not ended.wait(0.05):
                    connection.sendall(b"a")

        def trickle_until_broken():
            with suppress(OSError):
                trickle()

        thread = threading.Thread(target=trickle_until_broken)
        thread.start()
        outcome = send_message(check_channel(f"http://127.0.0.1:{server.getsockname()[1]}/"), "m", SENT, 1.8e9)
        ended.set()
        thread.join()
    assert outcome.error == "no answer in time"


def test_redirects_are_not_followed(receiver):
    receiver.answer = lambda key: 302
    receiver.location = receiver.url + "/other"
    assert send_message(check_channel(receiver.url), "msg_1", SENT, 1.8e9).error == "HTTP 302 Found; redirects are not followed"
    assert len(receiver.requests) == 1


def test_a_receiver_that_is_not_there_or_breaks_off_is_a_failure():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert send_message(check_channel(f"http://127.0.0.1:{port}/"), "m", SENT, 1.8e9).error.startswith("no connection: ")
    with Receiver(lambda key: 0) as receiver:
        assert send_message(check_channel(receiver.url), "m", SENT, 1.8e9).error.startswith("no connection: ")
        assert len(receiver.taken) == 1


@each(
    "channel",
    ["", "x", "http://", "https://a b/", "http://a.cn:99999/", "http://u:p@a.cn/", "nope://x", "https://a.cn/#x", "https://a.cn/#whsec_AAAA",
     "https://例.cn/", "http://a.cn/\nx", "mailto://", "h" * 3000],
)  # fmt: skip
def test_bad_channels_are_refused(channel):
    with pytest.raises(BadChannelError):
        check_channel(channel)


def test_what_is_secret_is_never_shown():
    for channel in ("https://hooks.cn/T0/secret?key=secret#whsec_secret", "wecombot://secret", "mailto://u:secret@a.cn", "secret"):
        assert "secret" not in mask_channel(channel)
    with pytest.raises(BadChannelError) as error:
        check_channel("nope://secret/secret")
    assert "secret" not in str(error.value)


class _Told(apprise.NotifyBase):
    """A service that keeps what it is told."""

    service_name = "told"
    secure_protocol = "told"
    templates = ("{schema}://{host}",)
    told: ClassVar[list[tuple[str, str]]] = []
    takes = True

    def send(self, body, title="", notify_type=None, **kwargs):
        logging.getLogger("apprise").warning("the key is told://secret")
        self.told.append((title, body))
        return self.takes


@pytest.fixture
def service():
    apprise.plugins.N_MGR.add(_Told, schemas="told", force=True)
    _Told.told, _Told.takes, _Told.body_maxlen = [], True, 32_768
    return _Told


def test_the_services_of_apprise_get_a_text(service, capfd):
    assert send_message(check_channel("told://secret"), "msg_1", SENT, 1.8e9) == TAKEN
    ((title, body),) = service.told
    assert title == "考试：高考改革"
    assert "缘由：标题有“高考”" in body
    assert "http://127.0.0.1:8800/articles/7" in body
    assert "静音：http://127.0.0.1:8800/alerts/mute/t0ken" in body
    service.takes = False
    assert send_message("told://secret", "msg_1", SENT, 1.8e9).error == "the service behind told://… did not take it"
    assert "secret" not in "".join(capfd.readouterr())


def test_a_long_digest_reaches_a_service_in_pieces(service):
    service.body_maxlen = 300
    stories = [{**STORY, "title": f"第{number}条高考新闻"} for number in range(12)]
    digest = message_about({"name": "考试", "owner": "", "kind": "query", "query": "高考"}, "t", stories, "http://console", 1.8e9)
    assert send_message("told://secret", "msg_1", digest, 1.8e9) == TAKEN
    whole = "".join(body for _, body in service.told)
    assert len(service.told) > 1
    assert all(story["title"] in whole.replace("\n", "") for story in stories)
