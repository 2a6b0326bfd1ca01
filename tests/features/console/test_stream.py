"""Streams of new articles and of the crawl, read from a real server."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text

from newsspider.features.console import accounts, security_headers, server
from newsspider.features.console.accounts import Role
from newsspider.features.console.api import stream
from newsspider.store.articles.arrivals import arrived_articles, settled
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.postgresql import take_turn
from tests.features.console.conftest import HOST, TODAY
from tests.features.console.served import SECONDS, Stream, served
from tests.support.events import until
from tests.support.samples import save_article
from tests.support.stores import on_postgresql


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "POLL_SECONDS", 0.05)


@pytest.fixture
def running(filled: Engine, quick: None) -> Iterator[tuple[Any, int]]:
    with served(filled) as console:
        yield console


def publish(engine: Engine, number: int, title: str, **options: Any) -> None:
    with writing(engine) as conn:
        text = f"第 {number} 篇，说的是{title}。" * 3
        save_article(conn, f"http://n.cn/{number}", text, title=title, published_at=TODAY, crawled_at=TODAY, **options)


def test_new_articles_of_a_query_arrive_in_order_and_once(filled: Engine, running) -> None:
    _, port = running
    reader = Stream(port, "/api/v1/stream/articles?q=%E9%AB%98%E8%80%83")  # 高考
    assert (reader.answer.status, reader.answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert reader.fields() == {"id": "5", "retry": "3000"}
    publish(filled, 10, "高考改革")
    publish(filled, 11, "幼儿园收费")
    publish(filled, 12, "高考报名")
    assert [reader.next()["title"] for _ in range(2)] == ["高考改革", "高考报名"]


def test_a_stream_that_was_cut_off_goes_on_behind_its_last_event(filled: Engine, running) -> None:
    _, port = running
    reader = Stream(port, "/api/v1/stream/articles")
    reader.fields()
    publish(filled, 10, "高考改革")
    assert reader.next()["title"] == "高考改革"
    last = reader.last
    reader.close()
    publish(filled, 11, "高考报名")
    publish(filled, 12, "高考体检", noindex=True)
    publish(filled, 13, "高考成绩")
    again = Stream(port, "/api/v1/stream/articles", **{"Last-Event-ID": last})
    assert [again.next()["title"] for _ in range(2)] == ["高考报名", "高考成绩"]
    again.close()
    by_address = Stream(port, f"/api/v1/stream/articles?since={last}")
    assert by_address.next()["title"] == "高考报名"
    by_address.close()


def test_the_crawl_says_at_once_what_it_does_and_then_what_changes(filled: Engine, running) -> None:
    _, port = running
    reader = Stream(port, "/api/v1/stream/crawl")
    figures = reader.next()
    assert figures["states"]["done"] == 5
    assert (figures["workers"], figures["articles"]["hour"]) == (0, 2)
    publish(filled, 10, "高考改革")
    assert reader.next()["states"]["done"] == 6
    reader.close()


def test_streams_are_bounded_and_a_closed_one_makes_room(filled: Engine, running, monkeypatch: pytest.MonkeyPatch) -> None:
    app, port = running
    monkeypatch.setattr(stream, "MOST_OF_ONE", 2)
    open_ones = [Stream(port, "/api/v1/stream/crawl") for _ in range(2)]
    refused = Stream(port, "/api/v1/stream/crawl")
    assert (refused.answer.status, refused.answer.headers["retry-after"]) == (429, "30")
    open_ones[0].close()
    until(lambda: app.state.streams.total() == 1)
    assert Stream(port, "/api/v1/stream/articles").answer.status == 200
    open_ones[1].close()


def test_a_stream_takes_a_token_and_ends_with_it(filled: Engine, quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "ADMIT_SECONDS", 0.1)
    with writing(filled) as conn:
        accounts.add(conn, "王芳", Role.READER, "", TODAY.timestamp())
        secret = accounts.grant(conn, "王芳", "t", TODAY.timestamp(), "read")
    with served(filled) as (_, port):
        assert Stream(port, "/api/v1/stream/articles").answer.status == 401
        reader = Stream(port, "/api/v1/stream/articles", Authorization=f"Bearer {secret}")
        assert reader.answer.status == 200
        with writing(filled) as conn:
            accounts.end(conn, accounts.hash_of(secret))
        while reader.fields():
            pass  # until it ends


def test_a_server_that_ends_ends_its_streams(filled: Engine, quick: None) -> None:
    with served(filled) as (_, port):
        reader = Stream(port, "/api/v1/stream/articles")
        assert reader.fields()
    while reader.fields():
        pass


@pytest.mark.parametrize(
    "path", ["articles?q=(", "articles?since=x", "articles?since=-1", "articles?since=1-2-", "articles?since=" + "9" * 30]
)
def test_a_stream_that_cannot_begin_is_refused(console: TestClient, path: str) -> None:
    answer = console.get(f"/api/v1/stream/{path}")
    assert answer.status_code == 400
    assert answer.json()["detail"]


def test_the_page_of_the_crawl_names_its_stream(console: TestClient) -> None:
    page = console.get("/crawl").text
    assert 'data-stream="/api/v1/stream/crawl"' in page
    assert '<b data-live="articles.hour">2</b>' in page
    script = console.get("/static/live.js").text
    assert "EventSource" in script
    assert "visibilitychange" in script  # a browser opens six lines to a server: a hidden tab holds none


@on_postgresql
def test_an_article_whose_number_is_lower_but_that_came_later_is_not_passed_over(filled: Engine) -> None:
    with reading(filled) as conn:
        begin = settled(conn)
    with filled.begin() as slow:
        take_turn(slow)
        save_article(slow, "http://m.cn/slow", "先占了号，后提交。" * 3, site="慢", published_at=TODAY, crawled_at=TODAY)
        with filled.begin() as quick:
            take_turn(quick)
            quick.execute(text("SELECT nextval('articles_id_seq') FROM generate_series(1, 1000)"))  # others were undone
            save_article(quick, "http://n.cn/quick", "后占了号，先提交。" * 3, published_at=TODAY, crawled_at=TODAY)
        with reading(filled) as conn:
            assert arrived_articles(conn, begin, settled(conn), 10) == []
    with reading(filled) as conn:
        assert arrived_articles(conn, begin, settled(conn), 10) == [begin + 1, begin + 1002]


def test_a_stream_that_catches_up_ends_with_the_server(console: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "ARTICLES_AT_ONCE", 1)
    console.app.state.is_ending = iter([False, False, True]).__next__

    async def events() -> list[str | None]:
        request: Any = SimpleNamespace(app=console.app)
        return [event.id async for event in stream.articles(request, ("", 0)) if event.event is None]

    assert asyncio.run(events()) == ["0", "1", "2"]


def test_a_stream_catches_up_with_a_bounded_number_of_articles(console: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MOST_BEHIND", 2)
    answer = console.get("/api/v1/stream/articles?since=2")
    assert (answer.status_code, "/api/v1/export" in answer.json()["detail"]) == (400, True)


def test_the_number_of_a_forgotten_article_is_not_given_again(filled: Engine, console: TestClient) -> None:
    publish(filled, 10, "高考改革")
    with reading(filled) as conn:
        last = settled(conn)
    assert console.delete("/api/v1/urls", params={"url": "http://n.cn/10"}).status_code == 204
    publish(filled, 11, "高考报名")
    with reading(filled) as conn:
        assert arrived_articles(conn, last, settled(conn), 10) == [last + 1]


async def flood(_scope: Any, _receive: Any, send: Any) -> None:
    """An answer without end."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while True:
        await send({"type": "http.response.body", "body": bytes(1 << 20), "more_body": True})


def test_a_reader_that_takes_nothing_does_not_hold_a_server_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "ENDING_SECONDS", 1)
    flooding = uvicorn.Server(server.config_of(flood, host="127.0.0.1", port=0))
    thread = threading.Thread(target=flooding.run, daemon=True)
    thread.start()
    until(lambda: flooding.started)
    with socket.create_connection(flooding.servers[0].sockets[0].getsockname()[:2], SECONDS) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert line.recv(9) == b"HTTP/1.1 "
        flooding.should_exit = True
        thread.join(SECONDS)
        assert not thread.is_alive()


def test_a_reader_that_takes_nothing_loses_its_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security_headers, "STALLED_SECONDS", 0.01)
    scope = {"type": "http", "method": "GET", "path": "/api/v1/stream/crawl", "headers": [(b"host", HOST.encode())], "app": FastAPI()}

    async def stuck(_message: Any) -> None:
        await asyncio.Event().wait()

    async def run() -> None:
        await asyncio.wait_for(security_headers.Guard(flood, frozenset([HOST]))(scope, stuck, stuck), SECONDS)

    asyncio.run(run())
