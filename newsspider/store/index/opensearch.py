"""A copy of PostgreSQL's search index on an OpenSearch server, which answers searches.

The store's own index gets each article in the transaction that stores it; the copy follows. The copy answers for the
entries up to its position, the store for later ones, and for all while the server is away. So no crawl waits for the
server, nothing is lost when it is down, and a search finds the same with and without it.

The copy holds the tokens of :mod:`~newsspider.core.text.tokenizer`, as the other indexes do, each as a word.
OpenSearch's own analyzer for Chinese makes such pairs, too, but knows neither both scripts nor the ends of runs.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from sqlalchemy import Connection

from newsspider.core.query.matching import document, matches
from newsspider.core.query.tree import Node, widened
from newsspider.core.text.tokenizer import PLACES, token_text
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.http_call import call, login_headers, without_login
from newsspider.store.index.backend import Choice, Entry, Newest
from newsspider.store.index.contents import Content, of_article, of_revision
from newsspider.store.index.opensearch_query import query_of, ranges_of
from newsspider.store.index.postgresql import INDEX as OWN
from newsspider.store.tables.search import REINDEX

SEARCH_SECONDS, COPY_SECONDS = 2.0, 10.0  # within which the server must answer
REST_SECONDS = 30.0  # how long the server is not asked after a failure or a slow search
ENTRIES_AT_ONCE = 500  # entries
MOST_HITS = 1_000  # in one response; a server returns at most 10,000
MOST_LATE = 5_000  # entries that are not copied yet; with more of them the store answers alone
MOST_GAPS = 1_000  # ranges of numbers that may still be committed; with more of them the store answers alone

TEXT = {"type": "text", "analyzer": "whitespace", "norms": False}
INDEX = {
    "mappings": {
        "dynamic": False,
        "_source": {"includes": ["position"]},
        "properties": {
            **dict.fromkeys(PLACES, TEXT),
            "meta": {"type": "keyword"},
            "number": {"type": "long"},
            "moment": {"type": "long"},
            "article": {"type": "long"},
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
    """The server did not answer, or not as it should."""


class Position(NamedTuple):
    """The position of the copy: it has all entries up to ``last``, except those in the ``gaps``, which are ranges of
    numbers that transactions may still commit. Gaps up to the first number of ``mark`` are closed once all transactions
    before its second number have ended."""

    last: int
    gaps: tuple[tuple[int, int], ...] = ()
    mark: tuple[int, int] | None = None


class OpenSearchIndex:
    """The copy at an address such as ``https://user:password@search.example.cn:9200/newsspider``, whose path is the
    prefix of the names of its indexes."""

    numbers_by_moment = False

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.base = parts.path.strip("/") or "newsspider"
        self.server = without_login(f"{parts.scheme}://{parts.netloc}")
        self._headers = login_headers(address)
        self._away_until = 0.0
        self._stale: set[tuple[str, int]] = set()  # indexes and entries that a search did not find in the store

    def add(self, conn: Connection, entry: int, content: Content) -> None:
        """Index an entry in the store; the copy follows."""
        OWN.add(conn, entry, content)

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Remove an entry from the store's index; stale entries of the copy are ignored."""
        OWN.remove(conn, entry, content)

    def merge(self, conn: Connection, *, begin: bool) -> bool:
        """Merge segments of the store's own index."""
        return OWN.merge(conn, begin=begin)

    def newest(self, conn: Connection, choice: Choice, limit: int) -> Newest:
        """The newest matching entries, at most ``limit``."""
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
        entries = {entry.id: entry for entry in (*copied, *fresh.entries)}
        return Newest(sorted(entries.values(), key=lambda entry: (-entry.moment, -entry.id))[:limit])

    def copy_next(self, conn: Connection) -> int:
        """Copy the next entries, and delete stale ones; returns how many are new. Call it in a transaction of its own.
        Raises :exc:`ServerAwayError`."""
        stale = list(self._stale)  # before the transaction sees the store: entries that it misses are gone for good
        name = self.name(conn)
        stored_position = self._position(name)
        if stored_position is None:
            self._call("PUT", f"/{name}", bool, INDEX)
        position = stored_position or Position(0)
        listed = "".join(f" OR id BETWEEN {first} AND {end}" for first, end in position.gaps)
        rows = Statement(_NEXT.format(gaps=listed)).run(conn, {"last": position.last, "count": ENTRIES_AT_ONCE}).all()
        numbers = {number for index, number in stale if index == name}
        lines: list[Any] = [
            {"delete": {"_id": str(number)}}
            for number in numbers.difference(row.id for row in rows_among(conn, _LIVE, numbers))
        ]
        for row in rows:
            lines += [{"index": {"_id": str(row.id)}}, _document(conn, row)]
        if lines:
            self._bulk(name, lines)
        next_position = _behind(position, [row.id for row in rows], *_SNAPSHOT.run(conn, {}).one())
        if next_position != stored_position:
            self._call("PUT", f"/{name}/_doc/position", bool, {"position": next_position._asdict()})
        self._stale.difference_update(stale)
        return len(rows)

    def name(self, conn: Connection) -> str:
        """The name of the copy of the store's present index; each rebuild numbers its entries again."""
        return f"{self.base}-{_BUILT.run(conn, {'kind': REINDEX}).scalar() or 0}"

    def _is_late(self, conn: Connection, last: int) -> bool:
        return bool(_LATE.run(conn, {"last": last, "most": MOST_LATE + 1}).scalar() > MOST_LATE)

    def _position(self, name: str) -> Position | None:
        return self._call("GET", f"/{name}/_doc/position", _position_in, seconds=SEARCH_SECONDS)

    def _copied(self, conn: Connection, name: str, choice: Choice, limit: int) -> list[Entry]:
        """The matching entries of the copy that the store still has."""
        node = widened(choice.wanted)
        query, exact = query_of(node)
        body: dict[str, Any] = {
            "query": {"bool": {"filter": [query, *ranges_of(choice)]}},
            "size": min(limit, MOST_HITS),
            "sort": [{"moment": "desc"}, {"number": "desc"}],
            "_source": False,
            "track_total_hits": False,
        }
        if choice.behind is not None:
            body["search_after"] = [choice.behind.moment, choice.behind.id]
        entries: list[Entry] = []
        while len(entries) < limit:
            path = f"/{name}/_search?allow_partial_search_results=false"
            hits = self._call("POST", path, _hits_in, body, seconds=SEARCH_SECONDS) or []
            numbers = [number for number, _ in hits]
            live = {row.id: Entry._make(row) for row in rows_among(conn, _LIVE, numbers)}
            self._stale.update((name, number) for number in numbers if number not in live)
            found_entries = [live[number] for number in numbers if number in live]
            entries += [entry for entry in found_entries if exact or _is_match(conn, node, entry)]
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
        """What ``read`` makes of the server's answer; ``None`` if the requested document does not exist, or the index
        to create does."""
        lines = body if isinstance(body, list) else [body]
        data = None if body is None else "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        kind = "application/x-ndjson" if isinstance(body, list) else "application/json"
        headers = {**self._headers, "Content-Type": kind}
        try:
            answer = call(method, self.server + path, data, headers, seconds=seconds)
            if answer.status < 300:
                return read(json.loads(answer.body))
        except (OSError, ValueError) as error:
            raise ServerAwayError(f"{self.server}: {error}") from None
        except (LookupError, TypeError, AttributeError) as error:
            raise ServerAwayError(f"{self.server} does not answer as OpenSearch does: {error!r}") from None
        reason = answer.body[:500].decode("utf-8", "replace")
        if (answer.status == 404 and method == "GET") or "resource_already_exists_exception" in reason:
            return None
        raise ServerAwayError(f"{self.server} answers {answer.status}: {reason}")


def _position_in(answer: Any) -> Position | None:
    if not answer["found"]:
        return None
    position = answer["_source"]["position"]
    gaps = tuple((int(first), int(end)) for first, end in position["gaps"])
    mark = position["mark"]
    return Position(int(position["last"]), gaps, mark and (int(mark[0]), int(mark[1])))


def _hits_in(answer: Any) -> list[tuple[int, list[int]]]:
    """The numbers of the entries, each with its sort values."""
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


def _is_match(conn: Connection, node: Node, entry: Entry) -> bool:
    content = _content(conn, entry)
    return content is not None and matches(node, document(content.texts, content.values))


def _behind(position: Position, numbers: Sequence[int], oldest: int, newest: int) -> Position:
    """The position after these entries, which are sorted; ``oldest`` is the oldest running transaction, ``newest`` the
    next one to begin."""
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
