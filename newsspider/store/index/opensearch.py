"""A copy of PostgreSQL's search index on OpenSearch, which answers searches; several stores may copy to one server,
which then also finds what is in any of them.

The store's own index gets each article in the transaction that stores it; the copy follows. The copy answers for the
entries up to its position, the store for later ones, and for all while the server is away. So no crawl waits for the
server, nothing is lost when it is down, and a search finds the same with and without it.

The copy holds the tokens of :mod:`~newsspider.core.text.tokenizer`, as the other indexes do, each as a word.
OpenSearch's own analyzer for Chinese makes such pairs, too, but knows neither both scripts nor the ends of runs.

A store with a name also copies what a hit shows. Each store has an index of its own; the alias ``news`` of an address
such as ``https://search.example.cn:9200/news/beijing`` stands for those of all stores.
"""

from __future__ import annotations

import json
import logging
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from zlib import crc32

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException, RequestError, TransportError
from sqlalchemy import Connection

from newsspider.core.query.matching import IndexedText, indexed_text, matches_query
from newsspider.core.query.query_tree import All, Either, Every, Node, Not, Text, Value, has_near, widen_query
from newsspider.core.text.tokenizer import (
    PLACES,
    character_pairs,
    fields_of,
    index_tokens,
    is_run,
    token_text,
    units_of_text,
)
from newsspider.store.articles.article_filters import IS_FINDABLE, IS_THERE
from newsspider.store.articles.article_records import articles_of
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.http_call import without_login
from newsspider.store.index.backend import Choice, Newest, SearchEntry, ServerAwayError, Stories, StoryHit
from newsspider.store.index.contents import Content, of_article, of_revision
from newsspider.store.index.postgresql import GinIndex
from newsspider.store.tables.search import REINDEX

SEARCH_SECONDS, COPY_SECONDS = 2.0, 10.0  # within which the server must answer
REST_SECONDS = 30.0  # how long the server is not asked after a failure or a slow search
ENTRIES_AT_ONCE = 500  # entries
MOST_HITS = 1_000  # in one response; a server returns at most 10,000
MOST_COUNTED = 10_000  # stories; of more the server only estimates how many there are
MOST_LATE = 5_000  # entries that are not copied yet; with more of them the store answers alone
MOST_GAPS = 1_000  # ranges of numbers that may still be committed; with more of them the store answers alone

TEXT = {"type": "text", "analyzer": "whitespace", "norms": False}
INDEX = {
    "mappings": {
        "dynamic": False,
        "_source": {"includes": ["position", "record", "meta", "store"]},
        "properties": {
            **dict.fromkeys(PLACES, TEXT),
            "meta": {"type": "keyword"},
            "number": {"type": "long"},
            "moment": {"type": "long"},
            "article": {"type": "long"},
            "position": {"type": "object", "enabled": False},
            "record": {"type": "object", "enabled": False},
            "store": {"type": "keyword"},
            "story": {"type": "long"},
            "shown": {"type": "boolean"},
        },
    }
}
MAPPING = f"{crc32(json.dumps(INDEX).encode()):08x}"  # in the names of indexes: other mappings make other indexes

_NEXT = "SELECT id, article_id, revision_id, moment FROM search_entries WHERE id > :last{gaps} ORDER BY id LIMIT :count"
_LIVE = "SELECT id, article_id, revision_id, moment FROM search_entries WHERE id IN ({keys})"
_LATE = Statement("SELECT count(*) FROM (SELECT 1 FROM search_entries WHERE id > :last LIMIT :most) e")
_SNAPSHOT = Statement("SELECT txid_snapshot_xmin(s), txid_snapshot_xmax(s) FROM txid_current_snapshot() s")
_BUILT = Statement("SELECT max(id) FROM batch_jobs WHERE kind = :kind")
# What other stores cannot ask for: one number for an article and its reprints, and whether it may be shown.
_STATES = f"""
SELECT e.id, e.article_id, e.revision_id, e.moment, COALESCE(o.key, articles.key) AS story,
       {IS_FINDABLE} AND {IS_THERE} AS shown
FROM search_entries e JOIN articles ON articles.id = e.article_id
LEFT JOIN reprints r ON r.article_id = articles.id
LEFT JOIN reprints f ON f.group_id = r.group_id AND f.is_first LEFT JOIN articles o ON o.id = f.article_id
WHERE e.id IN ({{keys}})
"""

logging.getLogger("opensearch").setLevel(logging.ERROR)  # failures are ours to report


class Position(NamedTuple):
    """The position of the copy: it has all entries up to ``last``, except those in the ``gaps``, which are ranges of
    numbers that transactions may still commit. Gaps up to the first number of ``mark`` are closed once all transactions
    before its second number have ended."""

    last: int
    gaps: tuple[tuple[int, int], ...] = ()
    mark: tuple[int, int] | None = None


class OpenSearchIndex(GinIndex):
    """The copy at an address such as ``https://user:password@search.example.cn:9200/news/beijing``: the alias of all
    indexes, and the name of the store, if several share the server."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.alias, _, self.store = parts.path.strip("/").partition("/")
        self.server = without_login(f"{parts.scheme}://{parts.netloc}")
        self._client = OpenSearch(f"{parts.scheme}://{parts.netloc}", max_retries=0)
        self._away_until = 0.0
        self._current = ""  # the index that has the alias
        self._swept = 0  # the last entry that was compared with the store
        self._stale: set[tuple[str, int]] = set()  # indexes and entries that were not found in the store

    def newest(self, conn: Connection, choice: Choice, limit: int) -> Newest:
        """The newest matching entries, at most ``limit``."""
        if monotonic() < self._away_until:
            return super().newest(conn, choice, limit)
        began = monotonic()
        try:
            name = self.name(conn)
            position = self._position(name)
            if position is None or len(position.gaps) > MOST_GAPS or self._is_late(conn, position.last):
                return super().newest(conn, choice, limit)
            copied = self._copied(conn, name, choice, limit)
        except ServerAwayError:
            self._away_until = monotonic() + REST_SECONDS
            return super().newest(conn, choice, limit)
        if monotonic() - began > SEARCH_SECONDS:
            self._away_until = monotonic() + REST_SECONDS
        fresh = super().newest(conn, replace(choice, after_entry=position[:2]), limit)
        entries = {entry.id: entry for entry in (*copied, *fresh.entries)}
        return Newest(sorted(entries.values(), key=lambda entry: (-entry.moment, -entry.id))[:limit])

    def copy_next(self, conn: Connection) -> int:
        """Copy the next entries, and delete stale ones; returns how many are new. Call it in a transaction of its own.
        Raises :exc:`ServerAwayError`."""
        stale = list(self._stale)  # before the transaction sees the store: entries that it misses are gone for good
        name = self.name(conn)
        stored_position = self._position(name)
        if stored_position is None:
            self._create(name)
        position = stored_position or Position(0)
        listed = "".join(f" OR id BETWEEN {first} AND {end}" for first, end in position.gaps)
        rows = Statement(_NEXT.format(gaps=listed)).run(conn, {"last": position.last, "count": ENTRIES_AT_ONCE}).all()
        numbers = {number for index, number in stale if index == name}
        deleted = numbers.difference(row.id for row in rows_among(conn, _LIVE, numbers))
        self._bulk(name, [{"delete": {"_id": str(number)}} for number in deleted] + self._lines(conn, rows))
        next_position = _behind(position, [row.id for row in rows], *_SNAPSHOT.run(conn, {}).one())
        if next_position != stored_position:
            with self._answering():
                body = {"position": next_position._asdict()}
                self._client.index(index=name, id="position", body=body, request_timeout=COPY_SECONDS)
        self._stale.difference_update(stale)
        if not rows:
            self._take_alias(name)
            if self.store:
                self._sweep(conn, name)
        return len(rows)

    def name(self, conn: Connection) -> str:
        """The name of the copy of the store's present index; each rebuild numbers its entries again."""
        return f"{self._prefix()}-{_BUILT.run(conn, {'kind': REINDEX}).scalar() or 0}-{MAPPING}"

    def find_in_all_stores(self, choice: Choice, limit: int) -> Stories:
        """The newest articles that match in any store, one a story. Raises :exc:`ServerAwayError`."""
        query, exact = query_of(widen_query(choice.wanted))
        exact = exact and not has_near(choice.wanted)
        body = {
            "query": {"bool": {"filter": [query, {"term": {"shown": True}}, *ranges_of(choice)]}},
            "size": min(limit, MOST_HITS) if exact else MOST_HITS,
            "sort": [{"moment": "desc"}, {"number": "desc"}],
            "collapse": {"field": "story"},
            "aggs": {"stories": {"cardinality": {"field": "story", "precision_threshold": MOST_COUNTED}}},
        }
        with self._answering():
            answer = self._client.search(index=self.alias, body=body, request_timeout=SEARCH_SECONDS)
            found = _whole(answer)
            hits = [hit for hit in found if exact or matches_query(choice.wanted, _document_of(hit["_source"]))]
            count = int(answer["aggregations"]["stories"]["value"]) if exact else len(hits)
            more = count > MOST_COUNTED if exact else len(found) == MOST_HITS
            sources = [(hit["_source"], hit["sort"][0]) for hit in hits[:limit]]
            shown = [StoryHit(source["store"], source["record"], moment) for source, moment in sources]
            return Stories(shown, min(count, MOST_COUNTED), more)

    def _prefix(self) -> str:
        return f"{self.alias}-{self.store}" if self.store else self.alias

    def _is_late(self, conn: Connection, last: int) -> bool:
        return bool(_LATE.run(conn, {"last": last, "most": MOST_LATE + 1}).scalar() > MOST_LATE)

    def _position(self, name: str) -> Position | None:
        with self._answering():
            parameters = {"ignore": 404, "request_timeout": SEARCH_SECONDS}
            return _position_in(self._client.get(index=name, id="position", params=parameters))

    def _copied(self, conn: Connection, name: str, choice: Choice, limit: int) -> list[SearchEntry]:
        """The matching entries of the copy that the store still has."""
        node = widen_query(choice.wanted)
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
        entries: list[SearchEntry] = []
        while len(entries) < limit:
            with self._answering():
                answer = self._client.search(index=name, body=body, request_timeout=SEARCH_SECONDS)
                hits = [(int(hit["_id"]), hit["sort"]) for hit in _whole(answer)]
            live = {row.id: SearchEntry._make(row) for row in rows_among(conn, _LIVE, [number for number, _ in hits])}
            self._stale.update((name, number) for number, _ in hits if number not in live)
            found_entries = [live[number] for number, _ in hits if number in live]
            entries += [entry for entry in found_entries if exact or _is_match(conn, node, entry)]
            if len(hits) < body["size"]:
                break
            body["search_after"] = hits[-1][1]
        return entries[:limit]

    def _create(self, name: str) -> None:
        with self._answering():
            try:
                self._client.indices.create(index=name, body=INDEX, params={"request_timeout": COPY_SECONDS})
            except RequestError as error:
                if error.error != "resource_already_exists_exception":
                    raise

    def _take_alias(self, name: str) -> None:
        """Let the alias stand for this index, which is complete, and delete the store's earlier ones."""
        if self._current == name:
            return
        own = re.compile(rf"{re.escape(self._prefix())}-\d+-[0-9a-f]{{8}}")
        with self._answering():
            earlier = [index for index in self._client.indices.get(index=f"{self._prefix()}-*") if own.fullmatch(index)]
            actions = [{"remove_index": {"index": index}} for index in earlier if index != name]
            self._client.indices.update_aliases(
                body={"actions": [*actions, {"add": {"index": name, "alias": self.alias}}]}
            )
        self._current = name

    def _sweep(self, conn: Connection, name: str) -> None:
        """Compare the next articles of the copy with the store: what other stores are shown must be there."""
        body = {
            "query": {"exists": {"field": "article"}},
            "sort": [{"number": "asc"}],
            "search_after": [self._swept],
            "size": ENTRIES_AT_ONCE,
            "_source": False,
            "docvalue_fields": ["story", "shown"],
        }
        with self._answering():
            hits = _whole(self._client.search(index=name, body=body, request_timeout=COPY_SECONDS))
            copied = {int(hit["_id"]): (hit["fields"]["story"][0], hit["fields"]["shown"][0]) for hit in hits}
        rows = {row.id: row for row in rows_among(conn, _STATES, copied)}
        self._stale.update((name, number) for number in copied if number not in rows)
        self._bulk(name, self._lines(conn, [row for row in rows.values() if copied[row.id] != (row.story, row.shown)]))
        self._swept = max(copied) if len(copied) == ENTRIES_AT_ONCE else 0

    def _lines(self, conn: Connection, rows: Sequence[Any]) -> list[dict[str, Any]]:
        """The lines of a bulk request that copy these entries."""
        records, states = {}, {}
        if self.store:
            states = {row.id: row for row in rows_among(conn, _STATES, [row.id for row in rows])}
            numbers = [row.article_id for row in states.values()]
            records = {record["id"]: record for record in articles_of(conn, numbers)}
        lines: list[dict[str, Any]] = []
        for row in rows:
            values = _document(conn, row)
            if row.id in states:
                record, state = records[row.article_id], states[row.id]
                values |= {"store": self.store, "record": record, "story": state.story, "shown": state.shown}
            lines += [{"index": {"_id": str(row.id)}}, values]
        return lines

    def _bulk(self, name: str, lines: Sequence[Mapping[str, Any]]) -> None:
        if not lines:
            return
        with self._answering():
            answer = self._client.bulk(body=lines, index=name, refresh="wait_for", request_timeout=COPY_SECONDS)
            failed = [item["index"]["error"] for item in answer["items"] if "error" in item.get("index", ())]
        if failed:
            raise ServerAwayError(f"{self.server} does not take an entry: {failed[0]}")

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Raise :exc:`ServerAwayError` for everything that the server or its answer may lack."""
        try:
            yield
        except TransportError as error:
            said = f"answers {error.status_code}: " if isinstance(error.status_code, int) else ""
            raise ServerAwayError(f"{self.server}: {said}{str(error.error)[:500]}") from None
        except (OpenSearchException, ValueError, LookupError, TypeError, AttributeError) as error:
            raise ServerAwayError(f"{self.server} does not answer as OpenSearch does: {error!r}") from None


def _document_of(source: Mapping[str, Any]) -> IndexedText:
    """What a query is compared with, of an article of any store."""
    record = source["record"]
    texts = {"title": record["title"], "body": record["text"], "comment": "\n".join(record["comments"])}
    return indexed_text({field: units_of_text(written) for field, written in texts.items()}, source["meta"])


def _whole(answer: Any) -> list[Any]:
    """The hits of an answer from all shards."""
    if answer["timed_out"] or answer["_shards"]["failed"]:
        raise ValueError("it answered from some of its shards only")
    return list(answer["hits"]["hits"])


def _position_in(answer: Any) -> Position | None:
    if answer.get("status") == 404 or not answer["found"]:
        return None
    position = answer["_source"]["position"]
    gaps = tuple((int(first), int(end)) for first, end in position["gaps"])
    mark = position["mark"]
    return Position(int(position["last"]), gaps, mark and (int(mark[0]), int(mark[1])))


def _document(conn: Connection, row: Any) -> dict[str, Any]:
    content = _content(conn, SearchEntry._make(row[:4]))
    values: dict[str, Any] = {"number": row.id, "moment": row.moment}
    if row.article_id is not None:
        values["article"] = row.article_id
    if content is not None:
        values |= {field: token_text(units) for field, units in content.texts.items()}
        values["meta"] = content.meta()
    return values


def _content(conn: Connection, entry: SearchEntry) -> Content | None:
    if entry.article_id is not None:
        source = of_article(conn, entry.article_id)
        return None if source is None else source.content()
    revision = of_revision(conn, entry.revision_id or 0)
    return None if revision is None else revision.content()


def _is_match(conn: Connection, node: Node, entry: SearchEntry) -> bool:
    content = _content(conn, entry)
    return content is not None and matches_query(node, indexed_text(content.texts, content.values))


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
    parts = [query_of(part) for part in node.sides]
    queries, exact = [query for query, _ in parts], all(exact for _, exact in parts)
    if isinstance(node, Either):
        return {"bool": {"should": queries, "minimum_should_match": 1}}, exact
    return {"bool": {"filter": queries}}, exact


def _text(node: Text) -> tuple[dict[str, Any], bool]:
    *inner, last = node.units
    if not inner and is_run(last) and len(last) == 1:
        return {"terms": {"meta": [PLACES[field] + last for field in fields_of(node.field)]}}, True
    ending = character_pairs(last) if is_run(last) else [last]
    begins = (node.prefix and not is_run(last)) or not ending  # the last token may go on
    words = index_tokens(inner) + (ending[:-1] if begins else ending)
    fields = []
    for field in fields_of(node.field):
        conditions: list[dict[str, Any]] = [{"match_phrase": {field: " ".join(words)}}] if words else []
        conditions += [{"prefix": {field: {"value": last}}}] if begins else []
        fields.append(conditions[0] if len(conditions) == 1 else {"bool": {"filter": conditions}})
    query = fields[0] if len(fields) == 1 else {"bool": {"should": fields, "minimum_should_match": 1}}
    return query, not (begins and words)


def ranges_of(choice: Choice) -> list[dict[str, Any]]:
    """The other conditions of a choice; they also exclude the document with the position, which is no entry."""
    ranges: list[dict[str, Any]] = [{"exists": {"field": "number" if choice.revisions else "article"}}]
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
