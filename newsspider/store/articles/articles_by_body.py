"""Exact duplicate detection: stores every body once. A page becomes a new article, another URL of a stored one, or a
new text of its own one."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.model import Reason, StoredArticle, Version
from newsspider.core.scheduling.article_changes import Change, find_corrections
from newsspider.hooks import plugins
from newsspider.store.articles import article_rows, reprints, revisits, snapshots
from newsspider.store.articles.article_rows import keywords, subtopics
from newsspider.store.engine.batch import defer_step
from newsspider.store.engine.statement import Statement, pipelined, rows_among
from newsspider.store.index import entries

if TYPE_CHECKING:
    pass

logger = logging.getLogger(__name__)

UNCHANGED = Change()
NO_ITEMS = "[]"
_BY_BODY = Statement("SELECT id, url, canonical_url FROM articles WHERE body_md5 = :body_md5 [FOR NO KEY UPDATE]")
# An article is locked before a URL is added to it or taken from it, so that nobody adds to one that is being dropped or
# rewritten.
_LOCK_OWN = Statement(
    "SELECT a.id FROM article_urls u JOIN articles a ON a.id = u.article_id WHERE u.key = :key [FOR UPDATE OF a]"
)
_BY_URL = Statement(
    """
    SELECT a.id, a.url, a.body_md5, a.topic,
           (SELECT count(*) FROM article_urls n WHERE n.article_id = a.id) AS urls
    FROM article_urls u JOIN articles a ON a.id = u.article_id WHERE u.key = :key
    """
)
_BEFORE = Statement(
    """
    SELECT a.text, a.charset, a.snapshot, a.parts, a.crawled_at, a.url, a.key, a.title AS main_title,
           a.published_at AS main_published_at, u.title, u.published_ts, u.url AS own_url, u.site
    FROM article_urls u JOIN articles a ON a.id = u.article_id WHERE u.key = :key
    """
)
_URLS = "SELECT key FROM article_urls WHERE key IN ({keys})"
_BODIES = "SELECT body_md5 FROM articles WHERE body_md5 IN ({keys})"
_DROP_URL = Statement("DELETE FROM article_urls WHERE key = :key")
DROP = Statement("DELETE FROM articles WHERE id = :id")
_MAIN_URL = Statement(
    """
    SELECT u.*, u.key = a.key AS is_main FROM article_urls u JOIN articles a ON a.id = u.article_id
    WHERE a.id = :id ORDER BY u.key <> a.key, u.added_at, u.key LIMIT 1
    """
)
NOTE_URL = Statement(
    """
    UPDATE article_urls
    SET canonical_url = :canonical_url, title = :title, source = :source, published_ts = :published_ts WHERE key = :key
    """
)
_SET_MAIN = Statement(  # without the fields of the former main page: those of the new one were not stored
    """
    UPDATE articles
    SET key = :key, url = :url, site = :site, channel = :channel, title = :title, source = :source,
        priority = :priority, published_ts = :published_ts, published_at = :published_at,
        media_class = COALESCE((SELECT s.media_class FROM sites s WHERE s.name = :site), ''),
        region = COALESCE((SELECT s.region FROM sites s WHERE s.name = :site), ''),
        anchor = '', authors = :no, editors = :no, modified_at = NULL, meta_keywords = :no, meta_description = NULL,
        places = :no, attachments = :no, images = :no, comments = :no,
        link_count = 0, charset = '', snapshot = '', parts = :no
    WHERE id = :id
    """
)


@dataclass(frozen=True, slots=True)
class StorageResult:
    """Where an article was stored: ``new`` if as a row of its own; ``duplicate_of`` is the main URL of its body."""

    article_id: int
    new: bool = False
    duplicate_of: str | None = None
    reason: Reason | None = None  # more precise than "stored"
    change: Change = UNCHANGED  # since the article that this URL showed before


def keep(conn: Connection, key: int, article: StoredArticle, now: float, *, goes_on: bool = False) -> StorageResult:
    """Store the article of a URL. All URLs with one body share one row, whose main URL is the first stored.

    If the article has changed, the former version goes into ``revisions``; not if the same page is only extracted
    differently. Named fields (``article.named``) are stored even if the page is the same. An article of several pages
    of which only the first were read again (it ``goes_on``) stays as it is until the last one is read; one of which a
    spider read a single page keeps its longer text. The canonical URL of a row is the shortest canonical URL of its
    pages (among equals the first in alphabetical order), so it does not depend on the order in which they were stored.
    """
    own = _BY_URL.run(conn, {"key": key}).first()
    change = UNCHANGED
    if own is not None:
        stored = _before(conn, key)
        is_shorter = article.one_page and len(article.text) < len(stored["text"])
        if (goes_on or is_shorter) and len(json.loads(stored["parts"])) > len(article.parts):
            return _whole_stays(conn, key, article, now)
        if not _continues(stored, article):
            read = revisits.change_since_visit(conn, stored, article)
            is_same_page = _has_same_bytes(stored, article)
            change = UNCHANGED if is_same_page else read
            change = change._replace(corrected=_corrections(conn, own, article, change, same_bytes=is_same_page))
            if change.parts:
                revisits.add_revision(conn, key, stored, change.parts, change.edits, now)
            if not read.edits and "text" not in change.corrected:
                name = body_md5(article.title, stored["text"])
                if not (change.title or "title" in change.corrected) or name == own.body_md5:
                    return _same_text(conn, own, key, article, change, now)
                # so short that it is another body below another title
                article.body_md5, article.text = name, stored["text"]
        own = _own(conn, key)
    same_body = article_with_body(conn, article.body_md5)
    if own is not None and same_body is not None and same_body.id == own.id and own.url != article.url:
        return _same_text(conn, own, key, article, change, now)
    if own is not None and (own.urls == 1 if same_body is None else same_body.id == own.id):
        _replace(conn, own.id, key, article, now)
        return StorageResult(own.id, change=change)
    if same_body is None:
        kept = keep_new(conn, [(key, article, now)]).get(key)
        if kept is not None:
            if own is not None:
                _after_removal(conn, own.id)  # its text changed, and that of its other URLs did not
            return replace(kept, change=change)
        same_body = _BY_BODY.run(conn, {"body_md5": article.body_md5}).one()  # another worker was first
    article_rows.add_url(conn, same_body.id, key, article, now)
    if own is not None:
        _after_removal(conn, own.id, same_body.id)
    article_rows.elect_canonical(conn, same_body.id)
    reprints.elect_again(conn, same_body.id)
    return StorageResult(same_body.id, duplicate_of=same_body.url, reason=Reason.DUPLICATE, change=change)


def keep_new(conn: Connection, articles: Sequence[tuple[int, StoredArticle, float]]) -> dict[int, StorageResult]:
    """Store articles whose URLs and bodies are not stored, given by the keys of their URLs and each with its moment.
    Returns where, by key; an article is left out if another worker stored its body meanwhile."""
    columns: dict[int, dict[str, Any]] = {}
    for key, article, _ in articles:
        if article.parts or not article.content:  # its snapshot came with another page, and is not stored
            _unarchive(article)
        columns[key] = article_rows.row_of(key, article)
    numbers = article_rows.insert(conn, list(columns.values()))
    stored = [(numbers[key], key, article, now) for key, article, now in articles if key in numbers]
    with pipelined(conn):
        article_rows.add_urls(conn, stored)
        subtopics.add(conn, {article_id: article.subtopics for article_id, _, article, _ in stored})
        keywords.add(conn, {article_id: article.keywords for article_id, _, article, _ in stored})
        snapshots.keep(conn, [article for _, _, article, _ in stored])
    for article_id, _, article, _ in stored:
        _place(conn, article_id, article)
    entries.add_new(conn, [(article_id, columns[key], article.subtopics) for article_id, key, article, _ in stored])
    return {key: StorageResult(article_id, new=True) for key, article_id in numbers.items()}


def known_among(conn: Connection, articles: Mapping[int, StoredArticle]) -> set[int]:
    """Those of the articles, by the keys of their URLs, whose URL or body may be stored; also the second of one body."""
    known = {row.key for row in rows_among(conn, _URLS, articles)}
    seen = {row.body_md5 for row in rows_among(conn, _BODIES, {article.body_md5 for article in articles.values()})}
    seen.add("")
    for key, article in articles.items():
        if article.body_md5 in seen:
            known.add(key)
        seen.add(article.body_md5)
    return known


def _before(conn: Connection, key: int) -> dict[str, Any]:
    """The stored article of a URL, with the title and the time of its own page."""
    row = _BEFORE.run(conn, {"key": key}).one()._asdict()
    main = row["key"] == key
    return {
        **row,
        "title": row["main_title"] if main else row["title"],
        "published_at": row["main_published_at"] if main else _in_shanghai(row["published_ts"]),
    }


def _in_shanghai(published_ts: int | None) -> str | None:
    return None if published_ts is None else datetime.fromtimestamp(published_ts, SHANGHAI).isoformat()


def _continues(stored: Mapping[str, Any], article: StoredArticle) -> bool:
    """Whether this is the stored text continued by a further page: that is no change, it was only not complete yet."""
    return len(article.parts) > len(json.loads(stored["parts"])) and article.text.startswith(stored["text"])


def _has_same_bytes(stored: Mapping[str, Any], article: StoredArticle) -> bool:
    """Whether the pages of an article are byte for byte those of its last visit."""
    further = {part.snapshot for part in article.parts} - {""}
    return (
        article.snapshot != ""
        and article.snapshot == stored["snapshot"]
        and further == snapshots.further(stored["parts"])
    )


def _corrections(
    conn: Connection, own: Any, article: StoredArticle, change: Change, *, same_bytes: bool
) -> tuple[str, ...]:
    """The named fields that differ from those of the row; of a URL that is not its main one there are none."""
    if not article.named or own.url != article.url:
        return ()
    return find_corrections(_stored(conn, own.id), article, change, same_bytes=same_bytes)


def _stored(conn: Connection, article_id: int) -> StoredArticle:
    """A stored article with its keywords, locked."""
    words = keywords.of_articles(conn, [article_id]).get(article_id, ())
    return replace(article_rows.article_of(article_rows.locked_row(conn, article_id)._asdict()), keywords=words)


def _whole_stays(conn: Connection, key: int, article: StoredArticle, now: float) -> StorageResult:
    """Keep the stored article of several pages; of the one that has fewer of them, store the snapshot, or the named
    fields if a spider made it."""
    own = _own(conn, key)
    if not article.one_page:
        snapshots.keep(conn, [article])
        return StorageResult(own.id, reason=Reason.UNCHANGED)
    corrected = _corrections(conn, own, article, UNCHANGED, same_bytes=False)
    stored = _stored(conn, own.id)
    logger.warning(
        "%s: the text of this one page has %d characters, the stored one of several pages %d: that stays",
        article.url,
        len(article.text),
        len(stored.text),
    )
    if corrected:
        better = replace(stored, **{name: getattr(article, name) for name in corrected})
        with entries.changing(conn, own.id):
            article_rows.update(conn, own.id, article_rows.row_of(key, better))
        article_rows.add_url(conn, own.id, key, better, now)
        keywords.put(conn, own.id, better.keywords)
        reprints.elect_again(conn, own.id)
    return StorageResult(own.id, reason=Reason.UNCHANGED, change=Change(corrected=corrected))


def _same_text(
    conn: Connection, own: Any, key: int, article: StoredArticle, change: Change, now: float
) -> StorageResult:
    """Store an article whose text is the stored one, except for boilerplate; its title and time may differ."""
    if change.is_new and own.url == article.url:
        own = _own(conn, key)  # locked: from here on no other worker changes its text
        article.body_md5, article.text = own.body_md5 or "", _BEFORE.run(conn, {"key": key}).one().text
        _replace(conn, own.id, key, article, now)
        return StorageResult(own.id, change=change)
    article_rows.add_url(conn, own.id, key, article, now)
    return StorageResult(
        own.id, duplicate_of=None if own.url == article.url else own.url, reason=Reason.UNCHANGED, change=change
    )


def drop_url(conn: Connection, key: int) -> bool:
    """Remove a URL and its revisions from its article, and the article with its last URL; ``False`` if the URL has no
    article."""
    revisits.forget_revisions(conn, key)
    return _take_url(conn, key)


def _take_url(conn: Connection, key: int) -> bool:
    own = _own(conn, key)
    if own is None:
        return False
    _DROP_URL.change(conn, {"key": key})
    _after_removal(conn, own.id)
    return True


def _after_removal(conn: Connection, article_id: int, other: int | None = None) -> None:
    """Update an article after a URL was removed from it, or went to an ``other`` one: it is dropped without URLs, and
    gets another main URL if it lost that."""
    main = _MAIN_URL.run(conn, {"id": article_id}).first()
    if main is None:
        plugins().hook.articles_dropped(conn=conn, successors={article_id: other})
        pages = snapshots.names_of(conn, article_id)
        reprints.leave(conn, article_id)
        with entries.changing(conn, article_id):
            DROP.change(conn, {"id": article_id})
        snapshots.drop(conn, pages)
        return
    if not main.is_main:
        pages = snapshots.names_of(conn, article_id)
        with entries.changing(conn, article_id):
            _SET_MAIN.change(
                conn,
                {
                    "id": article_id,
                    "key": main.key,
                    "url": main.url,
                    "site": main.site,
                    "channel": main.channel,
                    "title": main.title,
                    "source": main.source,
                    "priority": main.priority,
                    "published_ts": main.published_ts,
                    "published_at": _in_shanghai(main.published_ts),
                    "no": NO_ITEMS,
                },
            )
        snapshots.name_parts(conn, article_id, NO_ITEMS)
        snapshots.drop(conn, pages)
    article_rows.elect_canonical(conn, article_id)
    reprints.elect_again(conn, article_id)


def refuse_url(conn: Connection, key: int, topic: str | None, now: float) -> bool:
    """Remove a URL that is off this topic now from its article, if that was stored for the same topic; returns whether
    it was.

    The article is kept as the URL's last revision.
    """
    own = _BY_URL.run(conn, {"key": key}).first()
    if own is None or own.topic != topic:
        return False
    revisits.add_revision(conn, key, _before(conn, key), (revisits.TOPIC,), (), now)
    return _take_url(conn, key)


def _own(conn: Connection, key: int) -> Any:
    """The article of a URL, locked."""
    _LOCK_OWN.run(conn, {"key": key})
    return _BY_URL.run(conn, {"key": key}).first()


def article_with_body(conn: Connection, body_md5: str) -> Any:
    """The article with this body, locked; ``None`` if there is none."""
    return _BY_BODY.run(conn, {"body_md5": body_md5}).first() if body_md5 else None


def _replace(conn: Connection, article_id: int, key: int, article: StoredArticle, now: float) -> None:
    reprints.leave(conn, article_id)
    old_names = snapshots.names_of(conn, article_id)
    if article.parts and article.snapshot not in old_names and not snapshots.lock(conn, article.snapshot):
        _unarchive(article)
    with entries.changing(conn, article_id):
        article_rows.update(conn, article_id, article_rows.row_of(key, article))
        subtopics.put(conn, article_id, article.subtopics)
    article_rows.add_url(conn, article_id, key, article, now)
    keywords.put(conn, article_id, article.keywords)
    snapshots.keep(conn, [article])
    _place(conn, article_id, article)
    snapshots.drop(conn, old_names - {article.snapshot, *(part.snapshot for part in article.parts)})


def _place(conn: Connection, article_id: int, article: StoredArticle) -> None:
    """Put an article into its group of reprints at the end of the transaction."""
    written = Version(article.title, article.text)
    defer_step(conn, reprints.place, reprints.Placement(article_id, written, article.fingerprints))


def _unarchive(article: StoredArticle) -> None:
    article.snapshot = ""
    article.parts = tuple(replace(part, snapshot="") for part in article.parts)


def announce_kept(conn: Connection, kept: StorageResult, now: float) -> None:
    """Tell plug-ins of an article that was stored without a page, so that they can act in the same transaction."""
    changed = [kept.article_id] if kept.new or kept.change.is_new else []
    seen_again = [kept.article_id] if kept.reason is Reason.DUPLICATE and not changed else []
    announce(conn, changed, seen_again, now)


def announce(conn: Connection, changed: list[int], seen_again: list[int], now: float) -> None:
    """Call the hook ``articles_changed`` if there are such articles."""
    if changed or seen_again:
        plugins().hook.articles_changed(conn=conn, changed=changed, seen_again=seen_again, now=now)
