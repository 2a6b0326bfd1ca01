"""The way out over HTTP, at real servers."""

import socket
import ssl

import pytest

from newsspider.store.http_call import call_http, login_headers
from tests.support.receiver import Receiver


def test_an_answer_comes_with_its_status_and_redirects_are_not_followed() -> None:
    with Receiver(lambda key: 302) as receiver:
        receiver.location = f"{receiver.url}/other"
        answer = call_http("POST", receiver.url, b"{}", {"webhook-id": "a"}, seconds=5)
        assert (answer.status, answer.headers["Location"]) == (302, f"{receiver.url}/other")
        assert len(receiver.requests) == 1


def test_what_fails_is_an_error_of_the_system() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        call_http("GET", f"http://127.0.0.1:{port}/", seconds=5)
    with Receiver() as receiver, pytest.raises(ssl.SSLError):
        call_http("GET", receiver.url.replace("http:", "https:"), seconds=5)
    with pytest.raises(OSError, match="nohost"):
        call_http("GET", "http:///nohost", seconds=5)


def test_a_silent_server_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(TimeoutError):
        call_http("GET", f"http://127.0.0.1:{server.getsockname()[1]}/", seconds=0.2)


def test_a_url_logs_in_by_its_name_and_password() -> None:
    assert login_headers("http://a.cn") == {}
    assert login_headers("http://%E4%BD%A0:a%40b@a.cn") == {"Authorization": "Basic 5L2gOmFAYg=="}
