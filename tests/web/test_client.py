"""The client, against a real server."""

from __future__ import annotations

import ast
import csv
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from sqlalchemy import Engine

from newsspider import client as client_module
from newsspider.client import ApiError, Client, UnreachableError
from newsspider.store import accounts
from newsspider.store.accounts import Role
from newsspider.store.engine.database import writing
from newsspider.web.api import stream
from tests.events import until
from tests.store.samples import save_article
from tests.web.conftest import TODAY
from tests.web.served import served
from tests.web.test_changes import settings_with
from tests.web.test_topic_draft import PROFILE as FARMING


@pytest.fixture
def console(filled: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(stream, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(client_module, "PAGE", 2)
    with served(filled) as (_, port):
        yield Client(f"http://127.0.0.1:{port}/")


def publish(engine: Engine, number: int) -> None:
    with writing(engine) as conn:
        values = {"title": f"高考 {number}", "published_at": TODAY, "crawled_at": TODAY}
        save_article(conn, f"http://n.cn/{number}", f"第 {number} 篇，说高考。" * 3, **values)


def test_a_search_goes_through_all_pages(console: Client, filled: Engine) -> None:
    for number in range(10, 17):
        publish(filled, number)
    assert [record["title"] for record in console.search("高考 说")] == [f"高考 {n}" for n in range(16, 9, -1)]
    assert len(list(console.search("高考", limit=3))) == 3
    assert len({record["id"] for record in console.search()}) == 12
    assert [record["title"] for record in console.search("改革高考")] == ["高考改革"]
    assert console.article(2)["title"] == "高考改革"
    assert console.get("/facets", q="改革")["site"] == {"乙": 1}


def test_hits_are_exported_and_downloaded(console: Client, tmp_path: Path) -> None:
    assert {record["id"] for record in console.export("火灾", reprints=True)} == {4, 5}
    path = console.download(tmp_path / "news.csv", "高考")
    assert [row["title"] for row in csv.DictReader(path.read_text("utf-8-sig").splitlines())] == ["高考改革"]
    with pytest.raises(ApiError, match="400: the format is one of jsonl"):
        console.download(tmp_path / "x", "高考", "odd")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["news.csv"]


def test_a_collection_is_kept_screened_and_downloaded(console: Client, tmp_path: Path) -> None:
    number = console.keep("火灾", "火灾")["id"]
    console.screen(number, 4, "in", "首发")
    path = console.download(tmp_path / "kept.jsonl", form="jsonl", collection=number, verdict="in")
    assert [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()] == [4]
    path = console.download(tmp_path / "open.jsonl", form="jsonl", collection=number, verdict="")
    assert [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()] == [5]
    assert [row["article"]["id"] for row in console.get(f"/collections/{number}", verdict="")["screened"]] == [5]
    console.delete(f"/collections/{number}")
    assert console.get("/collections") == {"collections": [], "next": None}


def test_urls_are_submitted_and_sites_read(console: Client) -> None:
    assert console.submit("http://n.example.cn/1")["watched_as"] is None
    assert console.get("/urls", url="http://n.example.cn/1")["known"][0]["state"] == "waiting"
    assert console.site("教育部")["channels"]


def test_hot_words_rules_and_drafts_are_asked_for(filled: Engine, tmp_path: Path) -> None:
    profile = tmp_path / "farming.toml"
    profile.write_text(FARMING, "utf-8")
    with served(filled, settings=settings_with(TOPIC=str(profile))) as (_, port):
        console = Client(f"http://127.0.0.1:{port}/")
        assert console.hot_words(day="2020-01-01") == []
        with pytest.raises(ApiError, match="400: rules: channel: the site has none of the name '没有'"):
            console.try_rules("教育部", {"channel": "没有", "title": "//h1"})
        assert console.draft("farming") == {"state": "none"}
        console.make_draft("farming", FARMING.replace("0.7", "7"))
        until(lambda: console.draft("farming")["state"] == "failed")
        with pytest.raises(ApiError, match="409"):
            console.accept_draft("farming")
        console.discard_draft("farming")
        assert console.draft("farming") == {"state": "none"}


def test_new_articles_arrive_and_a_broken_line_is_taken_up(filled: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(stream, "RETRY_MILLISECONDS", 20)
    with served(filled) as (_, port):
        events = Client(f"http://127.0.0.1:{port}").new_articles("高考", last_id="5")
        publish(filled, 10)
        first = next(events)
        assert (first.name, first.data["title"]) == ("article", "高考 10")
    publish(filled, 11)  # while no server is there
    with served(filled, port=port):
        publish(filled, 12)
        assert [next(events).data["title"] for _ in range(2)] == ["高考 11", "高考 12"]
        again = Client(f"http://127.0.0.1:{port}").new_articles("高考", last_id=first.id)
        assert next(again).data["title"] == "高考 11"
        assert next(Client(f"http://127.0.0.1:{port}").crawl()).data["states"]["done"] == 8
        events.close()
        again.close()


def test_a_refusal_is_an_error_with_the_sentence_of_the_server(console: Client) -> None:
    with pytest.raises(ApiError, match="400: the query, ") as refused:
        list(console.search("("))
    assert refused.value.status == 400
    with pytest.raises(ApiError, match="404: no article has the id 99"):
        console.article(99)
    with pytest.raises(ApiError, match="422: limit: "):
        console.get("/articles", limit=0)
    with pytest.raises(ApiError, match="400: the query, "):
        next(console.new_articles("("))


def test_a_token_is_sent_and_without_one_it_is_refused(filled: Engine) -> None:
    with writing(filled) as conn:
        accounts.add(conn, "王芳", Role.READER, "", TODAY.timestamp())
        secret = accounts.grant(conn, "王芳", "t", TODAY.timestamp(), "read")
    with served(filled) as (_, port):
        with pytest.raises(ApiError, match="401: log in, or send an API token"):
            Client(f"http://127.0.0.1:{port}").get("/status")
        reader = Client(f"http://127.0.0.1:{port}", secret)
        assert reader.get("/account")["account"] == "王芳"
        with pytest.raises(ApiError, match="403"):
            reader.keep("x", "y")


class CutOff(BaseHTTPRequestHandler):
    """Goes away behind the first line of a longer answer."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        if "jsonl" in self.path:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'9\r\n{"id": 1}\r\n1\r\n\n\r\n' if "jsonl" in self.path else b"id\n")
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


def test_an_answer_that_is_cut_off_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    server = HTTPServer(("127.0.0.1", 0), CutOff)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    cut_off = Client(f"http://127.0.0.1:{server.server_port}")
    with pytest.raises(UnreachableError):
        list(cut_off.export())
    for form in ("jsonl", "csv"):
        with pytest.raises(UnreachableError):
            cut_off.download(tmp_path / "x", form=form)
    server.shutdown()
    server.server_close()
    assert list(tmp_path.iterdir()) == []
    for events in (cut_off.new_articles(), cut_off.crawl()):
        with pytest.raises(UnreachableError):
            next(events)


def test_a_file_that_cannot_be_written_is_not_the_fault_of_the_server(console: Client, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        console.download(tmp_path / "nowhere" / "x.csv")


class Elsewhere(BaseHTTPRequestHandler):
    """Sends everybody to another server."""

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", "http://127.0.0.1:1/")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_token_follows_no_redirect_and_no_server_is_an_error() -> None:
    server = HTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    with pytest.raises(ApiError, match="302"):
        Client(f"http://127.0.0.1:{server.server_port}", "secret").get("/status")
    server.shutdown()
    server.server_close()
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1"):
        Client(f"http://127.0.0.1:{server.server_port}").get("/status")
    with pytest.raises(ValueError, match="not an http or https URL"):
        Client("file:///etc/passwd")


def test_the_client_takes_the_standard_library_alone() -> None:
    tree = ast.parse(Path(client_module.__file__).read_text("utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {name for name in names if name.partition(".")[0] not in sys.stdlib_module_names} == {"newsspider.library.records"}
    code = "import sys, newsspider.client; print(*{'scrapy', 'sqlalchemy', 'fastapi'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
