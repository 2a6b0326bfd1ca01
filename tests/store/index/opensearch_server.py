"""What newsspider asks of OpenSearch, answered by a small server in this process: no OpenSearch can be installed here.

It answers as the documentation says that OpenSearch does (https://docs.opensearch.org/latest/api-reference/), keeps
words with their places as the analyzer ``whitespace`` makes them, and refuses what it does not know.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server(ThreadingHTTPServer):
    """Indexes by name: each its mappings, and its documents by id; ``is_down`` answers 503, ``answers`` holds
    other answers than the right ones, by the last part of the path; ``calls`` are counted."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.indexes: dict[str, dict[str, dict[str, Any]]] = {}
        self.is_down = False
        self.answers: dict[str, Any] = {}
        self.calls: list[str] = []
        self.authorization = ""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/news"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def _answer(self, status: int, content: Any) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _handle(self) -> None:
        lines = [json.loads(line) for line in self.rfile.read(int(self.headers.get("Content-Length", 0))).splitlines()]
        self.server.authorization = self.headers.get("Authorization", "")
        path, _, query = self.path.partition("?")
        index, *rest = path.strip("/").split("/")
        self.server.calls.append(f"{self.command} {'/'.join(rest)}")
        if self.server.is_down:
            return self._answer(503, {"error": "down"})
        if rest and rest[-1] in self.server.answers:
            return self._answer(200, self.server.answers[rest[-1]])
        indexes = self.server.indexes
        if self.command == "PUT" and not rest:
            if index in indexes:
                return self._answer(400, {"error": {"type": "resource_already_exists_exception"}})
            assert set(lines[0]) == {"mappings"}
            indexes[index] = {}
            return self._answer(200, {"acknowledged": True})
        if index not in indexes:
            return self._answer(404, {"error": {"type": "index_not_found_exception"}})
        documents = indexes[index]
        if rest[0] == "_doc":
            if self.command == "PUT":
                documents[rest[1]] = lines[0]
                return self._answer(201, {"result": "created"})
            there = rest[1] in documents
            return self._answer(200 if there else 404, {"found": there} | ({"_source": documents[rest[1]]} if there else {}))
        if rest[0] == "_bulk":
            assert query == "refresh=wait_for"
            assert self.headers["Content-Type"] == "application/x-ndjson"
            return self._answer(200, _bulk(documents, iter(lines)))
        assert rest == ["_search"]
        assert query == "allow_partial_search_results=false"
        return self._answer(200, {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": _search(documents, lines[0])}})

    do_GET = do_PUT = do_POST = _handle  # noqa: N815 - names of http.server

    def log_message(self, *_: object) -> None:
        pass


def _bulk(documents: dict[str, dict[str, Any]], lines: Any) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    for line in lines:
        ((action, about),) = line.items()
        if action == "index":
            documents[about["_id"]] = next(lines)
        else:
            assert action == "delete"
            documents.pop(about["_id"], None)
        items.append({action: {"_id": about["_id"], "status": 200}})
    return {"errors": False, "items": items}


def _search(documents: dict[str, dict[str, Any]], body: dict[str, Any]) -> list[dict[str, Any]]:
    assert set(body) <= {"query", "size", "sort", "_source", "track_total_hits", "search_after"}
    assert body["sort"] == [{"moment": "desc"}, {"number": "desc"}]
    assert body["size"] <= 10_000
    rows = [(doc.get("moment", 0), doc.get("number", 0), key) for key, doc in documents.items() if _matches(body["query"], doc)]
    rows.sort(reverse=True)
    if "search_after" in body:
        rows = [row for row in rows if list(row[:2]) < body["search_after"]]
    return [{"_id": key, "sort": [moment, number]} for moment, number, key in rows[: body["size"]]]


def _matches(query: dict[str, Any], doc: dict[str, Any]) -> bool:
    ((kind, about),) = query.items()
    if kind == "bool":
        assert set(about) <= {"filter", "should", "must_not", "minimum_should_match"}
        assert ("should" in about) == (about.get("minimum_should_match") == 1)
        return (
            all(_matches(inner, doc) for inner in about.get("filter", ()))
            and not any(_matches(inner, doc) for inner in about.get("must_not", ()))
            and ("should" not in about or any(_matches(inner, doc) for inner in about["should"]))
        )
    if kind == "match_all":
        return True
    ((field, value),) = about.items()
    if kind == "match_phrase":
        words, phrase = doc.get(field, "").split(), value.split()
        return any(words[at : at + len(phrase)] == phrase for at in range(len(words) - len(phrase) + 1))
    if kind == "prefix":
        return any(word.startswith(value["value"]) for word in doc.get(field, "").split())
    if kind == "exists":
        return value in doc
    if kind in {"term", "terms"}:
        assert field == "meta"
        return not {value if kind == "term" else None, *(value if kind == "terms" else ())}.isdisjoint(doc.get("meta", ()))
    assert kind == "range"
    ((sign, bound),) = value.items()
    return field in doc and {"gte": doc[field] >= bound, "gt": doc[field] > bound, "lt": doc[field] < bound}[sign]
