"""A console behind a real server on a free port of the loopback address."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import uvicorn
from fastapi import FastAPI
from sqlalchemy import Engine

from newsspider.features.console.app import create_app
from newsspider.features.console.server import config_of
from tests.features.console.conftest import Morning
from tests.support.events import until

SECONDS = 60


@contextmanager
def served(engine: Engine, *, port: int = 0, **options: Any) -> Iterator[tuple[FastAPI, int]]:
    """The application, and the port that it is served at until the block ends."""
    app = create_app(engine, hosts=["127.0.0.1"], **{"clock": Morning(), **options})
    server = uvicorn.Server(config_of(app, host="127.0.0.1", port=port))
    app.state.is_ending = lambda: server.should_exit
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield app, server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(SECONDS)
        assert not thread.is_alive(), "the server waits for a stream"


class Stream:
    """A stream of events as its reader sees it."""

    def __init__(self, port: int, path: str, **headers: str) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        self.connection.request("GET", path, headers=headers)
        self.answer: HTTPResponse = self.connection.getresponse()
        self.last = ""

    def fields(self) -> dict[str, str]:
        """The next event or part of one, as its fields."""
        fields: dict[str, str] = {}
        while line := self.answer.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            fields[name] = value
        self.last = fields.get("id", self.last)
        return fields

    def next(self) -> Any:
        """The data of the next event that has some."""
        while "data" not in (fields := self.fields()):
            assert fields, "the stream ended"
        return json.loads(fields["data"])

    def close(self) -> None:
        """Go away, as a reader does whose line breaks."""
        self.answer.close()
        self.connection.close()
