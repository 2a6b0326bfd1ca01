"""A client of the JSON API of ``scrapy web``. It takes the standard library alone.

    from newsspider.client import Client

    console = Client("http://127.0.0.1:8800", token="...")
    for article in console.search("高考 改革 since:1w"):
        print(article["published_at"], article["title"])
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse, IncompleteRead
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

if TYPE_CHECKING:
    from newsspider.library.records import StoredRecord

PAGE = 200  # articles that are asked for at once
PIECE = 1 << 16  # bytes that are read at once
RETRY_SECONDS = 3.0
IDLE_SECONDS = 60.0  # a stream says something every 15


class ApiError(Exception):
    """The server refused: its ``status``, what it says, and after how many seconds to ask again if it says so."""

    def __init__(self, status: int, detail: str, retry_after: float | None = None) -> None:
        super().__init__(f"{status}: {detail}")
        self.status, self.detail, self.retry_after = status, detail, retry_after


class UnreachableError(Exception):
    """No server answers at the address, or not in time."""


class Event(NamedTuple):
    """An event of a stream; with its ``id`` another stream goes on behind it."""

    id: str
    name: str
    data: Any


class Client:
    """The console at ``url``; ``token`` is an API token, where it has accounts."""

    def __init__(self, url: str = "http://127.0.0.1:8800", token: str = "", timeout: float = 60.0) -> None:
        if urlsplit(url).scheme not in {"http", "https"}:
            raise ValueError(f"{url!r} is not an http or https URL")
        self.url, self.timeout = url.rstrip("/"), timeout
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._opener = urllib.request.build_opener(_NoRedirect)

    def get(self, path: str, **query: Any) -> Any:
        """The answer of a route of the API, as ``get("/facets", q="高考")``; :exc:`ApiError`, :exc:`UnreachableError`."""
        return self._json("GET", path, query)

    def post(self, path: str, body: Any = None) -> Any:
        """The answer to a change."""
        return self._json("POST", path, {}, {} if body is None else body)

    def delete(self, path: str, **query: Any) -> None:
        """Remove something."""
        self._json("DELETE", path, query)

    def search(self, q: str = "", *, limit: int | None = None, **options: bool) -> Iterator[StoredRecord]:
        """All articles that a query finds, the latest first, or the first ``limit``; ``reprints``, ``revisions``,
        ``vanished`` as options. They are read page by page, and what is stored meanwhile moves none."""
        cursor: str | None = ""
        left = limit
        while cursor is not None and left != 0:
            count = PAGE if left is None else min(PAGE, left)
            answer = self.get("/articles", q=q, limit=count, cursor=cursor, **options)
            yield from answer["articles"]
            left = None if left is None else left - len(answer["articles"])
            q, cursor = answer.get("searched_as", q), answer["next"]

    def article(self, number: int) -> StoredRecord:
        """One article."""
        record: StoredRecord = self.get(f"/articles/{number}")
        return record

    def export(self, q: str = "", **options: bool) -> Iterator[StoredRecord]:
        """All articles that a query finds, in one answer that is read as it comes; :exc:`UnreachableError` if it is cut
        off."""
        with self._open("GET", "/export", {"q": q, "form": "jsonl", **options}) as answer:
            rest = b""
            for piece in self._pieces(answer):
                *lines, rest = (rest + piece).split(b"\n")
                yield from map(json.loads, lines)

    def download(
        self, path: str | Path, q: str = "", form: str = "csv", *, collection: int = 0, **options: Any
    ) -> Path:
        """Write what a query finds, or what a ``collection`` has, to a file: ``jsonl``, ``csv``, ``md``, ``xlsx`` or
        ``parquet``. The file is there only if all came; :exc:`OSError` if it cannot be written."""
        target, part = Path(path), Path(f"{path}.part")
        route = f"/collections/{collection}/export" if collection else "/export"
        query = {"form": form, **options} | ({} if collection else {"q": q})
        try:
            with part.open("wb") as file, self._open("GET", route, query) as answer:
                file.writelines(self._pieces(answer))
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return target

    def keep(self, name: str, q: str, note: str = "") -> dict[str, Any]:
        """A new collection of the hits of a query."""
        collection: dict[str, Any] = self.post("/collections", {"name": name, "query": q, "note": note})
        return collection

    def screen(self, collection: int, article: int, verdict: str, note: str | None = None) -> None:
        """Say of an article of a collection that it is ``in``, ``out``, or undecided (empty); without a note the one
        that it has stays."""
        self.post(f"/collections/{collection}/articles/{article}", {"verdict": verdict, "note": note})

    def submit(self, url: str, *, watch: bool = False) -> dict[str, Any]:
        """Have a URL fetched, or watched from now on."""
        done: dict[str, Any] = self.post("/urls", {"url": url, "watch": watch})
        return done

    def site(self, name: str) -> dict[str, Any]:
        """A site with its channels."""
        record: dict[str, Any] = self.get(f"/sites/{quote(name, safe='')}")
        return record

    def hot_words(self, hours: int = 24, *, day: str = "", limit: int = 20) -> list[dict[str, Any]]:
        """The hot words of the last hours, or of a ``day`` as 2026-11-25."""
        words: list[dict[str, Any]] = self.get("/hot-words", hours=hours, day=day or None, limit=limit)["words"]
        return words

    def try_rules(self, site: str, rules: dict[str, Any], article: str = "", *, again: bool = False) -> dict[str, Any]:
        """What a site reads of a list (``channel`` among the rules) and of an article with these rules; nothing is
        stored."""
        wanted = {"rules": rules, "article": article, "again": again}
        preview: dict[str, Any] = self.post(f"/site-rules/{quote(site, safe='')}", wanted)
        return preview

    def draft(self, topic: str) -> dict[str, Any]:
        """The draft of a topic: its ``state``, and how it compares."""
        state: dict[str, Any] = self.get(_draft(topic))
        return state

    def make_draft(self, topic: str, profile: str = "", *, retrain: bool = False) -> None:
        """Begin to compare a topic with this profile (empty: its own), trained on its labels if it is to be."""
        self.post(_draft(topic), {"profile": profile, "retrain": retrain})

    def accept_draft(self, topic: str, version: str = "") -> None:
        """Let the draft of a topic hold, if it is that of the ``version`` of :meth:`draft`."""
        self.post(f"{_draft(topic)}/accept", {"version": version})

    def discard_draft(self, topic: str) -> None:
        """Drop the draft of a topic."""
        self.delete(_draft(topic))

    def new_articles(self, q: str = "", last_id: str = "") -> Iterator[Event]:
        """New articles that a query asks for, as they are stored, without end; behind the event ``last_id`` if one is
        named. A broken line is taken up again behind the last event; a refusal is an :exc:`ApiError`, a server that was
        never reached an :exc:`UnreachableError`."""
        return self._stream("/stream/articles", {"q": q}, last_id)

    def crawl(self) -> Iterator[Event]:
        """The figures of the crawl, now and whenever they change, without end."""
        return self._stream("/stream/crawl", {}, "")

    def _stream(self, path: str, query: dict[str, Any], last_id: str) -> Iterator[Event]:
        wait, was_reached = RETRY_SECONDS, False
        while True:
            try:
                headers = {"Last-Event-ID": last_id} if last_id else {}
                with self._open("GET", path, query, headers=headers, timeout=IDLE_SECONDS) as answer:
                    was_reached = True
                    for fields in _events(answer):
                        last_id = fields.get("id", last_id)
                        if fields.get("retry", "").isdecimal():
                            wait = int(fields["retry"]) / 1000
                        if "data" in fields:
                            yield Event(last_id, fields.get("event", "message"), json.loads(fields["data"]))
            except ApiError as error:
                if error.status not in {429, 502, 503, 504}:
                    raise
                wait = max(wait, error.retry_after or 0.0)
            except (UnreachableError, OSError, HTTPException):
                if not was_reached:
                    raise
            time.sleep(wait)

    def _pieces(self, answer: HTTPResponse) -> Iterator[bytes]:
        """The bytes of an answer; :exc:`UnreachableError` if it is cut off, which its lines would not tell."""
        try:
            while piece := answer.read(PIECE):
                yield piece
            if answer.length:
                raise IncompleteRead(b"", answer.length)
        except (OSError, HTTPException) as error:
            raise UnreachableError(f"{self.url}: {error}") from None

    def _json(self, method: str, path: str, query: dict[str, Any], body: Any = None) -> Any:
        try:
            with self._open(method, path, query, body) as answer:
                content = answer.read()
        except (OSError, HTTPException) as error:
            raise UnreachableError(f"{self.url}: {error}") from None
        return json.loads(content) if content else None

    def _open(
        self, method: str, path: str, query: dict[str, Any], body: Any = None, *,
        headers: dict[str, str] | None = None, timeout: float | None = None,
    ) -> HTTPResponse:  # fmt: skip
        shown = {name: _written(value) for name, value in query.items() if value is not None}
        url = f"{self.url}/api/v1{path}" + (f"?{urlencode(shown)}" if shown else "")
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        sent = self._headers | (headers or {}) | ({"Content-Type": "application/json"} if data is not None else {})
        request = urllib.request.Request(url, data, sent, method=method)
        try:
            answer: HTTPResponse = self._opener.open(request, timeout=timeout or self.timeout)
            return answer
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except (urllib.error.URLError, OSError, HTTPException) as error:
            raise UnreachableError(f"{self.url}: {getattr(error, 'reason', error)}") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token goes nowhere but to its server."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _events(lines: IO[bytes]) -> Iterator[dict[str, str]]:
    """The events of a stream as their fields (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""
    fields: dict[str, str] = {}
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        name, _, value = line.partition(":")
        if not line:
            if fields:
                yield fields
            fields = {}
        elif name == "data" and "data" in fields:
            fields["data"] += "\n" + value.removeprefix(" ")
        elif name:
            fields[name] = value.removeprefix(" ")


def _draft(topic: str) -> str:
    return f"/topics/{quote(topic, safe='')}/draft"


def _written(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _refusal(error: urllib.error.HTTPError) -> ApiError:
    content = error.read(65_536).decode("utf-8", "replace")
    try:
        detail = json.loads(content)["detail"]
    except (ValueError, KeyError, TypeError):
        detail = content.strip() or error.reason
    if isinstance(detail, list):  # what a value must be
        detail = "; ".join(f"{'.'.join(map(str, fault['loc'][1:]))}: {fault['msg']}" for fault in detail)
    after = error.headers.get("Retry-After", "")
    return ApiError(error.code, str(detail), float(after) if after.isdecimal() else None)
