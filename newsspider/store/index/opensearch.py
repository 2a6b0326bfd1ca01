"""A copy of the search index of PostgreSQL on an OpenSearch server, which answers searches.

The index of the store itself has each article with the transaction that stores it; the copy follows. It answers for the
entries up to the position that it names, the store for those behind it, and for all while the server is away. So no
crawl waits for the server, nothing is lost when it is down, and a search finds the same with it and without.

What stands in the copy are the tokens of :mod:`~newsspider.core.text.tokenizer`, as in the other indexes, one word
each. OpenSearch's own analyzer for Chinese makes such pairs, too, but knows neither both scripts nor the ends of runs.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from base64 import b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from http.client import HTTPException
from time import monotonic
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from sqlalchemy import Connection

from newsspider.core.query.matching import document, matches
from newsspider.core.query.tree import Node, widened
from newsspider.core.text.tokenizer import PLACES, token_text
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.index.backend import Choice, Entry, Newest
from newsspider.store.index.contents import Content, of_article, of_revision
from newsspider.store.index.opensearch_query import query_of, ranges_of
from newsspider.store.index.postgresql import INDEX as OWN
from newsspider.store.tables.search import REINDEX

SEARCH_SECONDS, COPY_SECONDS = 2.0, 10.0  # within which the server must answer
REST_SECONDS = 30.0  # after a failure or a slow search nobody waits for the server for so long
AT_ONCE = 500  # entries
MOST_HITS = 1_000  # of one answer; a server gives 10,000 at most
MOST_LATE = 5_000  # entries that are not copied yet: with more of them the store answers alone
MOST_GAPS = 1_000  # ranges of numbers that may still be committed: with more of them the store answers alone

TEXT = {"type": "text", "analyzer": "whitespace", "norms": False}
INDEX = {
    "mappings": {
        "dynamic": False,
        "_source": {"includes": ["position"]},
        "properties": {
            **dict.fromkeys(PLACES, TEXT),
            "meta": {"type": "keyword"},
            "number": {"type": "long"}, "moment": {"type": "long"}, "article": {"type": "long"},
            "position": {"type": "object", "enabled": False},
        },
    }
}

_NEXT = "SELECT id, article_id, revision_id, moment FROM search_entries WHERE id > :last{gaps} ORDER BY id LIMIT :count"
_LIVE = "SELECT id, article_id, revision_id, moment FROM search_entries WHERE id IN ({keys})"
_LATE = Statement("SELECT count(*) FROM (SELECT 1 FROM search_entries WHERE id > :last LIMIT :most) e")
_SNAPSHOT = Statement("SELECT txid_snapshot_xmin(s), txid_snapshot_xmax(s) FROM txid_current_snapshot() s")
_BUILT = Statement("SELECT max(id) FROM batch_jobs WHERE kind = :kind")

T = TypeVar("T")


class ServerAwayError(Exception):
    """The server did not answer as it should."""


class Position(NamedTuple):
    """How far the copy is: it has all entries up to the last, except in the gaps, ranges of numbers that transactions
    may still commit. Those up to the first number of ``mark`` end with the transactions before its second."""

    last: int
    gaps: tuple[tuple[int, int], ...] = ()
    mark: tuple[int, int] | None = None


class OpenSearchIndex:
    """The copy at an address such as ``https://user:password@search.example.cn:9200/newsspider``, of which the path is
    what the names of its indexes begin with."""

    numbers_by_moment = False

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.base = parts.path.strip("/") or "newsspider"
        self.server = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._headers: dict[str, str] = {}
        if parts.username:
            secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            self._headers["Authorization"] = f"Basic {b64encode(secret).decode()}"
        self._away_until = 0.0
        self._stale: set[tuple[str, int]] = set()  # indexes and entries in them that a search missed in the store

    def add(self, conn: Connection, entry: int, content: Content) -> None:
        """Index an entry, in the store; the copy follows."""
        OWN.add(conn, entry, content)

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Take an entry out of the store's index: stale copies are ignored."""
        OWN.remove(conn, entry, content)

    def merge(self, conn: Connection, *, begin: bool) -> bool:
        """Join parts of the store's own index."""
        return OWN.merge(conn, begin=begin)

    def newest(self, conn: Connection, choice: Choice, limit: int) -> Newest:
        """The entries that are asked for, at most so many."""
        if monotonic() < self._away_until:
            return OWN.newest(conn, choice, limit)
        began = monotonic()
        try:
            name = self.name(conn)
            position = self._position(name)
            if position is None or len(position.gaps) > MOST_GAPS or self._is_late(conn, position.last):
                return OWN.newest(conn, choice, limit)
            copied = self._copied(conn, name, choice, limit)
        except ServerAwayError:
            self._away_until = monotonic() + REST_SECONDS
            return OWN.newest(conn, choice, limit)
        if monotonic() - began > SEARCH_SECONDS:
            self._away_until = monotonic() + REST_SECONDS
        fresh = OWN.newest(conn, replace(choice, after_entry=position[:2]), limit)
        both = {entry.id: entry for entry in (*copied, *fresh.entries)}
        return Newest(sorted(both.values(), key=lambda entry: (-entry.moment, -entry.id))[:limit])

    def copy_next(self, conn: Connection) -> int:
        """Copy the next entries that the copy does not have, in a transaction of its own, and delete those that the
        store no longer has; how many are new. :exc:`ServerAwayError`."""
        stale = list(self._stale)  # before the transaction sees the store: what it does not see then is gone for good
        name = self.name(conn)
        position = self._position(name)
        if position is None:
            self._call("PUT", f"/{name}", bool, INDEX)
        before = position or Position(0)
        listed = "".join(f" OR id BETWEEN {first} AND {end}" for first, end in before.gaps)
        rows = Statement(_NEXT.format(gaps=listed)).run(conn, {"last": before.last, "count": AT_ONCE}).all()
        numbers = {number for index, number in stale if index == name}
        lines: list[Any] = [
            {"delete": {"_id": str(number)}}
            for number in numbers.difference(row.id for row in rows_among(conn, _LIVE, numbers))
        ]
        for row in rows:
            lines += [{"index": {"_id": str(row.id)}}, _document(conn, row)]
        if lines:
            self._bulk(name, lines)
        after = _behind(before, [row.id for row in rows], *_SNAPSHOT.run(conn, {}).one())
        if after != position:
            self._call("PUT", f"/{name}/_doc/position", bool, {"position": after._asdict()})
        self._stale.difference_update(stale)
        return len(rows)

    def name(self, conn: Connection) -> str:
        """The index for what the store has now: one that was built again numbers its entries anew."""
        return f"{self.base}-{_BUILT.run(conn, {'kind': REINDEX}).scalar() or 0}"

    def _is_late(self, conn: Connection, last: int) -> bool:
        return bool(_LATE.run(conn, {"last": last, "most": MOST_LATE + 1}).scalar() > MOST_LATE)

    def _position(self, name: str) -> Position | None:
        return self._call("GET", f"/{name}/_doc/position", _position_in, seconds=SEARCH_SECONDS)

    def _copied(self, conn: Connection, name: str, choice: Choice, limit: int) -> list[Entry]:
        """What the copy has of it and the store still has, too."""
        wanted = widened(choice.wanted)
        query, exact = query_of(wanted)
        body: dict[str, Any] = {
            "query": {"bool": {"filter": [query, *ranges_of(choice)]}}, "size": min(limit, MOST_HITS),
            "sort": [{"moment": "desc"}, {"number": "desc"}], "_source": False, "track_total_hits": False,
        }  # fmt: skip
        if choice.behind is not None:
            body["search_after"] = [choice.behind.moment, choice.behind.id]
        entries: list[Entry] = []
        while len(entries) < limit:
            path = f"/{name}/_search?allow_partial_search_results=false"
            hits = self._call("POST", path, _hits_in, body, seconds=SEARCH_SECONDS) or []
            numbers = [number for number, _ in hits]
            live = {row.id: Entry._make(row) for row in rows_among(conn, _LIVE, numbers)}
            self._stale.update((name, number) for number in numbers if number not in live)
            several = [live[number] for number in numbers if number in live]
            entries += several if exact else [entry for entry in several if _is_asked_for(conn, wanted, entry)]
            if len(hits) < body["size"]:
                break
            body["search_after"] = hits[-1][1]
        return entries[:limit]

    def _bulk(self, name: str, lines: Sequence[Any]) -> None:
        failed = self._call("POST", f"/{name}/_bulk?refresh=wait_for", _failures_in, lines)
        if failed:
            raise ServerAwayError(f"{self.server} does not take an entry: {failed[0]}")

    def _call(
        self, method: str, path: str, read: Callable[[Any], T], body: Any = None, *, seconds: float = COPY_SECONDS
    ) -> T | None:
        """What is read in the answer of the server; ``None`` if what is asked for is not there, or what is to be made
        is there already."""
        lines = body if isinstance(body, list) else [body]
        data = None if body is None else "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        kind = "application/x-ndjson" if isinstance(body, list) else "application/json"
        request = urllib.request.Request(
            self.server + path, data, {**self._headers, "Content-Type": kind}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return read(json.load(answer))
        except urllib.error.HTTPError as error:
            if error.code == 404 and method == "GET":
                return None
            reason = error.read(500).decode("utf-8", "replace")
            if "resource_already_exists_exception" in reason:
                return None
            raise ServerAwayError(f"{self.server} answers {error.code}: {reason}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise ServerAwayError(f"{self.server}: {error}") from None
        except (LookupError, TypeError, AttributeError) as error:
            raise ServerAwayError(f"{self.server} does not answer as OpenSearch does: {error!r}") from None


def _position_in(answer: Any) -> Position | None:
    if not answer["found"]:
        return None
    position = answer["_source"]["position"]
    gaps = tuple((int(first), int(end)) for first, end in position["gaps"])
    mark = position["mark"]
    return Position(int(position["last"]), gaps, mark and (int(mark[0]), int(mark[1])))


def _hits_in(answer: Any) -> list[tuple[int, list[int]]]:
    """The numbers of the entries, and where each stands in the order."""
    if answer["timed_out"] or answer["_shards"]["failed"]:
        raise ValueError("it answered from some of its shards only")
    return [(int(hit["_id"]), hit["sort"]) for hit in answer["hits"]["hits"]]


def _failures_in(answer: Any) -> list[Any]:
    return [item["index"]["error"] for item in answer["items"] if "error" in item.get("index", ())]


def _document(conn: Connection, row: Any) -> dict[str, Any]:
    content = _content(conn, Entry._make(row))
    values: dict[str, Any] = {"number": row.id, "moment": row.moment}
    if row.article_id is not None:
        values["article"] = row.article_id
    if content is not None:
        values |= {field: token_text(units) for field, units in content.texts.items()}
        values["meta"] = content.meta()
    return values


def _content(conn: Connection, entry: Entry) -> Content | None:
    if entry.article_id is not None:
        source = of_article(conn, entry.article_id)
        return None if source is None else source.content()
    revision = of_revision(conn, entry.revision_id or 0)
    return None if revision is None else revision.content()


def _is_asked_for(conn: Connection, wanted: Node, entry: Entry) -> bool:
    content = _content(conn, entry)
    return content is not None and matches(wanted, document(content.texts, content.values))


def _behind(position: Position, numbers: Sequence[int], oldest: int, newest: int) -> Position:
    """The position behind these entries, too, which are in order; the oldest transaction that goes on then, and the
    next one that will begin."""
    last, gaps, mark = position
    if mark and mark[1] <= oldest:
        gaps, mark = tuple(gap for gap in gaps if gap[0] > mark[0]), None
    end = max([last, *numbers[-1:]])
    gaps = tuple(rest for gap in (*gaps, (last + 1, end)) for rest in _without(gap, numbers))
    return Position(end, gaps, (mark or (last, newest)) if gaps else None)


def _without(gap: tuple[int, int], numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    first, end = gap
    for number in numbers[bisect_left(numbers, first) : bisect_right(numbers, end)]:
        if first < number:
            yield first, number - 1
        first = number + 1
    if first <= end:
        yield first, end
