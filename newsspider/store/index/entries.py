"""Keeps the full-text index in step with articles, revisions and what links from lists call them, in the transactions
that change them; and builds it again from all that is stored, while crawls write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Saved
from newsspider.core.model import LinkKind
from newsspider.core.text.text_comparison import other_wordings
from newsspider.store.articles import batch_jobs
from newsspider.store.articles.batch_jobs import Pass
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.index import postgresql, sqlite
from newsspider.store.index.backend import COPY, Backend
from newsspider.store.index.contents import Content, ContentSource, RevisionSource, of_article, of_revision
from newsspider.store.index.sqlite import MOST_SPREAD, SLOTS_A_SECOND
from newsspider.store.ledger.links import LONGEST_ANCHOR, key_of
from newsspider.store.tables.search import REINDEX, start_again

MOST_ANCHORS = 8  # of an article
MOST_LINKS_READ = 100  # links to an article, the oldest ones

# An article whose second is full, as when a site dates hundreds of articles to the day, goes anywhere in the next
# minute, then hour, then day.
SPREADS = (60, 3_600, MOST_SPREAD)
TRIES_OF_A_SPREAD = 8

_OF_ARTICLE = Statement("SELECT id, moment FROM search_entries WHERE article_id = :id")
_OF_REVISION = Statement("SELECT id, moment FROM search_entries WHERE revision_id = :id")
_TAKEN = Statement("SELECT id FROM search_entries WHERE id >= :first AND id < :first + 16")
_ADD = Statement(
    "INSERT INTO search_entries (id, article_id, revision_id, moment, anchors)"
    " VALUES (:id, :article_id, :revision_id, :moment, :anchors)"
)
_ADD_NEXT = Statement(
    "INSERT INTO search_entries (article_id, revision_id, moment, anchors)"
    " VALUES (:article_id, :revision_id, :moment, :anchors) RETURNING id"
)
_LOCK = Statement("SELECT 1 FROM articles WHERE id = :id [FOR NO KEY UPDATE]")
_DROP = Statement("DELETE FROM search_entries WHERE id = :id")
# links of kind "article" are in the main part of lists: no menu, footer or "more" is among them
_ANCHORS = f"""
    SELECT dst, anchor FROM (
        SELECT dst, anchor, row_number() OVER (PARTITION BY dst ORDER BY found_at, src) AS place FROM links_of_lists
        WHERE dst IN ({{keys}}) AND NOT nofollow AND kind = '{LinkKind.ARTICLE}'
    ) AS placed WHERE place <= {MOST_LINKS_READ} ORDER BY dst, place
    """
_LINKED = """
    SELECT a.id, a.key, a.title, e.anchors FROM article_urls u
    JOIN articles a ON a.id = u.article_id AND a.key = u.key JOIN search_entries e ON e.article_id = a.id
    WHERE u.key IN ({keys})
    """


@dataclass(frozen=True, slots=True)
class _New:
    """An entry that is to be added."""

    content: Content
    anchors: str
    article_id: int | None = None
    revision_id: int | None = None


def backend_of(conn: Connection) -> Backend:
    """The index that this connection searches: that of its database, or a copy elsewhere."""
    copy: Backend | None = conn.get_execution_options().get(COPY)
    return copy or (sqlite.INDEX if conn.dialect.name == "sqlite" else postgresql.INDEX)


def add(conn: Connection, article_id: int) -> bool:
    """Index an article; ``False`` if it is indexed already, or not stored."""
    if _OF_ARTICLE.run(conn, {"id": article_id}).first() is not None:
        return False
    source = of_article(conn, article_id)
    if source is not None:
        anchors = _anchors_of(conn, {source.row.key: source.row.title})[source.row.key]
        source = ContentSource(source.row._replace(anchors=anchors), source.subtopics)
        _add(conn, [_New(source.content(), anchors, article_id=article_id)])
    return source is not None


def add_new(conn: Connection, articles: Sequence[tuple[int, Mapping[str, Any], tuple[str, ...]]]) -> None:
    """Index articles that were stored just now, given by their numbers, columns and sub-topics."""
    anchors_of = _anchors_of(conn, {columns["key"]: columns["title"] for _, columns, _ in articles})
    new: list[_New] = []
    for article_id, stored, subtopics in articles:
        columns = stored
        if conn.dialect.name == "postgresql":  # it stores no NUL, which would separate units
            columns = {
                name: value.replace("\0", "") if isinstance(value, str) else value for name, value in stored.items()
            }
        published, anchors = columns["published_ts"], anchors_of[columns["key"]]
        moment = columns["crawled_ts"] if published is None else published
        source = ContentSource(SimpleNamespace(**columns, anchors=anchors, moment=moment), subtopics)
        new.append(_New(source.content(), anchors, article_id=article_id))
    _add(conn, new)


def refresh_anchors(conn: Connection, article_id: int) -> None:
    """Index an article again if the anchor texts of links to it have changed."""
    _LOCK.run(conn, {"id": article_id})
    source = of_article(conn, article_id)
    if source is None:
        return
    row = source.row
    if row.anchors != _anchors_of(conn, {row.key: row.title})[row.key]:
        _drop(conn, _OF_ARTICLE, article_id, source)
        add(conn, article_id)


def note_new_anchors(conn: Connection, pages: Sequence[Saved]) -> None:
    """Index those articles again to which links have new anchor texts that differ from the title."""
    anchors: dict[int, list[str]] = {}
    for page in pages:
        if page.linked and page.lease.kind.polled and not page.crawl:
            for link in page.result.links:
                if link.kind is LinkKind.ARTICLE and not link.nofollow:
                    anchors.setdefault(key_of(link.url), []).append(link.text[:LONGEST_ANCHOR])
    changed = [row.id for row in rows_among(conn, _LINKED, anchors) if _is_new(row, anchors[row.key])]
    for article_id in sorted(changed):
        refresh_anchors(conn, article_id)


def add_revision(conn: Connection, revision_id: int) -> bool:
    """Index a revision; ``False`` if it is indexed already, or not stored."""
    if _OF_REVISION.run(conn, {"id": revision_id}).first() is not None:
        return False
    source = of_revision(conn, revision_id)
    if source is not None:
        _add(conn, [_New(source.content(), "", revision_id=revision_id)])
    return source is not None


def merge(conn: Connection, *, begin: bool) -> bool:
    """Merge some segments of the index; ``begin`` starts over. Returns whether there is more to do."""
    return backend_of(conn).merge(conn, begin=begin)


@contextmanager
def changing(conn: Connection, article_id: int) -> Iterator[None]:
    """Index an article again if the block changes its indexed content, or remove it if it is gone."""
    source = of_article(conn, article_id)
    yield
    if of_article(conn, article_id) != source:
        _drop(conn, _OF_ARTICLE, article_id, source)
        add(conn, article_id)


def drop_revision(conn: Connection, revision_id: int) -> None:
    """Remove a revision from the index before it is deleted."""
    _drop(conn, _OF_REVISION, revision_id, of_revision(conn, revision_id))


def _drop(conn: Connection, of: Statement, number: int, source: ContentSource | RevisionSource | None) -> None:
    entry = of.run(conn, {"id": number}).first()
    if entry is not None and source is not None:
        backend_of(conn).remove(conn, entry.id, source.content())
        _DROP.change(conn, {"id": entry.id})


def _add(conn: Connection, new: Sequence[_New]) -> None:
    rows = [
        {
            "article_id": entry.article_id,
            "revision_id": entry.revision_id,
            "moment": entry.content.moment,
            "anchors": entry.anchors,
        }
        for entry in new
    ]
    if backend_of(conn).numbers_by_moment:
        numbers = []
        for entry, row in zip(new, rows, strict=True):
            number = _free(conn, entry.content.moment, entry.article_id or entry.revision_id or 0)
            _ADD.change(conn, {"id": number, **row})
            numbers.append(number)
    else:
        numbers = [added.scalar() for added in _ADD_NEXT.run_each(conn, rows)]
    backend_of(conn).add(conn, {number: entry.content for number, entry in zip(numbers, new, strict=True)})


def _free(conn: Connection, moment: int, seed: int) -> int:
    """A free number for a moment, or for one shortly after it."""
    tries = (
        moment + 1 + (seed * 2_654_435_761 + step * 40_503) % spread
        for spread in SPREADS
        for step in range(TRIES_OF_A_SPREAD)
    )
    for second in chain([moment], tries, range(moment + 1, moment + MOST_SPREAD)):
        first = second * SLOTS_A_SECOND
        used = {row.id for row in _TAKEN.run(conn, {"first": first})}
        if len(used) < SLOTS_A_SECOND:
            return next(number for number in range(first, first + SLOTS_A_SECOND) if number not in used)
    raise OverflowError(f"more than {MOST_SPREAD * SLOTS_A_SECOND} articles of one moment")


def _anchors_of(conn: Connection, titles: Mapping[int, str]) -> dict[int, str]:
    """For each URL, given by its key with its title: the first anchor texts of links to it that differ from the title,
    one a line."""
    anchors: dict[int, list[str]] = {key: [] for key in titles}
    for dst, anchor in rows_among(conn, _ANCHORS, titles):
        anchors[dst].append(anchor)
    return {key: "\n".join(other_wordings(title, anchors[key])[:MOST_ANCHORS]) for key, title in titles.items()}


def _is_new(row: tuple[int, int, str, str], anchors: Sequence[str]) -> bool:
    _, _, title, stored_anchors = row
    indexed = stored_anchors.split("\n")
    return len(indexed) < MOST_ANCHORS and not set(other_wordings(title, anchors)) <= set(indexed)


_NEXT_ARTICLES = Statement("SELECT id FROM articles WHERE id > :after AND id <= :last ORDER BY id LIMIT :count")
_MISSING_REVISIONS = Statement(
    """
    SELECT r.id FROM revisions r
    WHERE NOT EXISTS (SELECT 1 FROM search_entries e WHERE e.revision_id = r.id) ORDER BY r.id LIMIT :count
    """
)


def unfinished_rebuild(conn: Connection) -> Pass | None:
    """The unfinished job, if there is one: until it is finished, some articles are not found."""
    return batch_jobs.unfinished_pass(conn, REINDEX)


def begin_rebuild(conn: Connection, now: float, *, again: bool = False) -> Pass | None:
    """The unfinished job; with ``again`` a new one, which first empties the index. ``None`` if there is nothing to
    do."""
    if again:
        start_again(conn, now)
    return unfinished_rebuild(conn)


def index_next(conn: Connection, run: Pass, count: int) -> Pass | None:
    """Index the next articles; returns the job after them, ``None`` at its end. Raises :exc:`OvertakenError`."""
    ids = [row.id for row in _NEXT_ARTICLES.run(conn, {"after": run.after_id, "last": run.last_id, "count": count})]
    if ids:
        next_run = batch_jobs.advance_pass(conn, run, ids[-1], Counter(indexed=len(ids)))
        for article_id in ids:
            add(conn, article_id)
        return next_run
    return None


def add_missing_revisions(conn: Connection, count: int) -> int:
    """Index the next revisions that are not indexed; returns how many there were."""
    rows = _MISSING_REVISIONS.run(conn, {"count": count})
    return sum(add_revision(conn, row.id) for row in rows)
