"""A copy of the search index of PostgreSQL on an OpenSearch server, which answers searches.

The index of the store itself has each article with the transaction that stores it; the copy follows. It answers for the
entries up to the position that it names, the store for those behind it, and for all while the server is away. So no
crawl waits for the server, nothing is lost when it is down, and a search finds the same with it and without.

What stands in the copy are the tokens of :mod:`~newsspider.core.text.search_tokens`, as in the other indexes, one word
each. OpenSearch's own analyzer for Chinese makes such pairs, too, but knows neither both scripts nor the ends of runs.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from http.client import HTTPException
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import Connection

from newsspider.core.query.matching import document, matches
from newsspider.core.query.tree import All, Either, Every, Node, Not, Text, Value, widened
from newsspider.core.text.search_tokens import PLACES, fields_of, is_run, pairs, token_text, tokens
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.index.backend import Choice, Entry
from newsspider.store.index.contents import Content, of_article, of_revision
from newsspider.store.index.postgresql import INDEX as OWN
from newsspider.store.tables.search import REINDEX

TIMEOUT_SECONDS, REST_SECONDS = 10.0, 30.0  # of a request; after a failure nobody waits for the server for so long
AT_ONCE = 500  # entries
MOST_HITS = 1_000  # of one answer; a server gives 10,000 at most
MOST_LATE = 5_000  # entries that are not copied yet: with more of them the store answers alone
MOST_GAPS = 5_000  # numbers of transactions that may still be committed

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
_BUILT = Statement("SELECT max(id) FROM batch_jobs WHERE kind = :kind")


class ServerAwayError(Exception):
    """The server did not answer as it should."""


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

    def add(self, conn: Connection, entry: int, content: Content) -> None:
        """Index an entry, in the store; the copy follows."""
        OWN.add(conn, entry, content)

    def remove(self, conn: Connection, entry: int, content: Content) -> None:
        """Take an entry out of the store's index: what the copy still has of it is passed over."""
        OWN.remove(conn, entry, content)

    def merge(self, conn: Connection, *, begin: bool) -> bool:
        """Join parts of the store's own index."""
        return OWN.merge(conn, begin=begin)

    def newest(self, conn: Connection, choice: Choice, limit: int) -> list[Entry]:
        """The entries that are asked for, at most so many, the latest first."""
        if monotonic() < self._away_until:
            return OWN.newest(conn, choice, limit)
        try:
            name = self.name(conn)
            position = self._position(name)
            if position is None or self._is_late(conn, position[0]):
                return OWN.newest(conn, choice, limit)
            copied = self._copied(conn, name, choice, limit)
        except ServerAwayError:
            self._away_until = monotonic() + REST_SECONDS
            return OWN.newest(conn, choice, limit)
        fresh = OWN.newest(conn, replace(choice, after_entry=position), limit)
        both = {entry.id: entry for entry in (*copied, *fresh)}
        return sorted(both.values(), key=lambda entry: (-entry.moment, -entry.id))[:limit]

    def copy_next(self, conn: Connection) -> int:
        """Copy the next entries that the copy does not have; how many. :exc:`ServerAwayError`."""
        name = self.name(conn)
        position = self._position(name)
        if position is None:
            self._call("PUT", f"/{name}", INDEX)
            position = (0, ())
        last, gaps = position
        listed = f" OR id IN ({', '.join(map(str, gaps))})" if gaps else ""
        rows = Statement(_NEXT.format(gaps=listed)).run(conn, {"last": last, "count": AT_ONCE}).all()
        lines: list[Any] = []
        for row in rows:
            lines += [{"index": {"_id": str(row.id)}}, _document(conn, row)]
        if lines:
            self._bulk(name, lines, refresh="wait_for")
            self._call("PUT", f"/{name}/_doc/position", {"position": _behind(position, [row.id for row in rows])})
        elif last == 0:
            self._call("PUT", f"/{name}/_doc/position", {"position": {"last": 0, "gaps": []}})
        return len(rows)

    def name(self, conn: Connection) -> str:
        """The index for what the store has now: one that was built again numbers its entries anew."""
        return f"{self.base}-{_BUILT.run(conn, {'kind': REINDEX}).scalar() or 0}"

    def _is_late(self, conn: Connection, last: int) -> bool:
        return bool(_LATE.run(conn, {"last": last, "most": MOST_LATE + 1}).scalar() > MOST_LATE)

    def _position(self, name: str) -> tuple[int, tuple[int, ...]] | None:
        answer = self._call("GET", f"/{name}/_doc/position", missing=True)
        if answer is None or not answer.get("found"):
            return None
        position = answer["_source"]["position"]
        return int(position["last"]), tuple(map(int, position["gaps"]))

    def _copied(self, conn: Connection, name: str, choice: Choice, limit: int) -> list[Entry]:
        """What the copy has of it and the store still has, too."""
        wanted = widened(choice.wanted)
        query, exact = query_of(wanted)
        body: dict[str, Any] = {
            "query": {"bool": {"filter": [query, *_ranges(choice)]}}, "size": min(limit, MOST_HITS),
            "sort": [{"moment": "desc"}, {"number": "desc"}], "_source": False, "track_total_hits": False,
        }  # fmt: skip
        if choice.behind is not None:
            body["search_after"] = [choice.behind.moment, choice.behind.id]
        entries: list[Entry] = []
        stale: list[int] = []
        while len(entries) < limit:
            hits = self._call("POST", f"/{name}/_search", body)["hits"]["hits"]
            numbers = [int(hit["_id"]) for hit in hits]
            live = {row.id: Entry._make(row) for row in rows_among(conn, _LIVE, numbers)}
            stale += [number for number in numbers if number not in live]
            several = [live[number] for number in numbers if number in live]
            entries += several if exact else [entry for entry in several if _is_asked_for(conn, wanted, entry)]
            if len(hits) < body["size"]:
                break
            body["search_after"] = hits[-1]["sort"]
        if stale:
            self._bulk(name, [{"delete": {"_id": str(number)}} for number in stale], refresh="false")
        return entries[:limit]

    def _bulk(self, name: str, lines: Sequence[Any], *, refresh: str) -> None:
        answer = self._call("POST", f"/{name}/_bulk?refresh={refresh}", lines)
        failed = [item["index"] for item in answer["items"] if "error" in item.get("index", ())]
        if failed:
            raise ServerAwayError(f"{self.server} does not take an entry: {failed[0]['error']}")

    def _call(self, method: str, path: str, body: Any = None, *, missing: bool = False) -> Any:
        """The answer of the server; ``None`` if nothing is there and that may be."""
        lines = body if isinstance(body, list) else [body]
        data = None if body is None else "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        kind = "application/x-ndjson" if isinstance(body, list) else "application/json"
        request = urllib.request.Request(
            self.server + path, data, {**self._headers, "Content-Type": kind}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 404 and missing:
                return None
            reason = error.read(500).decode("utf-8", "replace")
            if "resource_already_exists_exception" in reason:
                return None
            raise ServerAwayError(f"{self.server} answers {error.code}: {reason}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise ServerAwayError(f"{self.server}: {error}") from None


def query_of(node: Node) -> tuple[dict[str, Any], bool]:
    """A query of OpenSearch that finds at least what the node matches, and whether it finds nothing else.

    >>> query_of(All((Text(("新高考",), "title"), Value("site＝教育部"))))[0]["bool"]["filter"]
    [{'match_phrase': {'title': '新高 高考'}}, {'term': {'meta': 'site＝教育部'}}]
    """
    if isinstance(node, Text):
        return _text(node)
    if isinstance(node, Value):
        return {"term": {"meta": node.token}}, True
    if isinstance(node, Every):
        return {"match_all": {}}, True
    if isinstance(node, Not):
        query, exact = query_of(node.inner)
        return ({"bool": {"must_not": [query]}}, True) if exact else ({"match_all": {}}, False)
    assert isinstance(node, All | Either)
    sides = [query_of(side) for side in node.sides]
    queries, exact = [query for query, _ in sides], all(exact for _, exact in sides)
    if isinstance(node, Either):
        return {"bool": {"should": queries, "minimum_should_match": 1}}, exact
    return {"bool": {"filter": queries}}, exact


def _text(node: Text) -> tuple[dict[str, Any], bool]:
    *inner, last = node.units
    if not inner and is_run(last) and len(last) == 1:
        return {"terms": {"meta": [PLACES[field] + last for field in fields_of(node.field)]}}, True
    ending = pairs(last) if is_run(last) else [last]
    begins = (node.prefix and not is_run(last)) or not ending  # the last token may go on
    words = tokens(inner) + (ending[:-1] if begins else ending)
    fields = []
    for field in fields_of(node.field):
        both: list[dict[str, Any]] = [{"match_phrase": {field: " ".join(words)}}] if words else []
        both += [{"prefix": {field: {"value": last}}}] if begins else []
        fields.append(both[0] if len(both) == 1 else {"bool": {"filter": both}})
    query = fields[0] if len(fields) == 1 else {"bool": {"should": fields, "minimum_should_match": 1}}
    return query, not (begins and words)


def _ranges(choice: Choice) -> list[dict[str, Any]]:
    ranges: list[dict[str, Any]] = [] if choice.revisions else [{"exists": {"field": "article"}}]
    if choice.since is not None:
        ranges.append({"range": {"moment": {"gte": choice.since}}})
    if choice.until is not None:
        ranges.append({"range": {"moment": {"lt": choice.until}}})
    if choice.after_article is not None:
        ranges.append({"range": {"article": {"gt": choice.after_article}}})
    if choice.known_article is not None:
        late = {"range": {"article": {"gt": choice.known_article}}}
        ranges.append({"bool": {"must_not": [late]}})
    return ranges


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


def _behind(position: tuple[int, tuple[int, ...]], numbers: Sequence[int]) -> dict[str, Any]:
    """The position behind these entries, too."""
    last, gaps = position[0], set(position[1]).difference(numbers)
    there = set(numbers)
    end = max(last, *numbers)
    gaps.update(number for number in range(max(last + 1, end - MOST_GAPS), end) if number not in there)
    return {"last": end, "gaps": sorted(gaps)[-MOST_GAPS:]}
