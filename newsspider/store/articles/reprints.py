"""Finds the stored articles of which a new one is a reprint, and keeps them in one group with its first source.

The index holds a few fingerprints of each article, as hints: which articles are reprints of each other is decided on
their texts. So a fingerprint that is left over from a text that has gone does no harm; it is removed when it is met.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from newsspider.core.duplicates.first_source import Copy, Step, chain, first_source
from newsspider.core.duplicates.forms import Written
from newsspider.core.duplicates.reprints import Fingerprints, Found, Likeness, Method, reprint
from newsspider.core.text.fingerprint import normalised
from newsspider.store.engine.statement import Statement, rows_among

_POSTINGS = "SELECT value, article_id FROM fingerprints WHERE value IN ({keys})"
_REPRINTS = "SELECT article_id FROM reprints WHERE group_id IN ({keys})"
_TEXTS = """
    SELECT a.id, a.title, a.text, COALESCE(r.group_id, a.id) AS group_id
    FROM articles a LEFT JOIN reprints r ON r.article_id = a.id WHERE a.id IN ({keys})
    """
_TEXT = Statement("SELECT title, text FROM articles WHERE id = :id")
_INDEX = Statement("INSERT INTO fingerprints (value, article_id) VALUES (:value, :id) ON CONFLICT DO NOTHING")
_UNINDEX = Statement("DELETE FROM fingerprints WHERE value = :value AND article_id = :id")
_ADD = Statement(
    """
    INSERT INTO reprints (article_id, group_id, is_first, closest_id, containment, resemblance)
    VALUES (:id, :group_id, false, :like_id, :containment, :resemblance)
    ON CONFLICT (article_id) DO UPDATE SET group_id = excluded.group_id, closest_id = excluded.closest_id,
                                           containment = excluded.containment, resemblance = excluded.resemblance
    """
)
_FOUND = Statement(
    "INSERT INTO reprints (article_id, group_id, is_first) VALUES (:id, :group_id, false) "
    "ON CONFLICT (article_id) DO NOTHING"
)
_MERGE = Statement("UPDATE reprints SET group_id = :group_id WHERE group_id = :other")
_GROUP_OF = Statement("SELECT group_id FROM reprints WHERE article_id = :id")
_LEAVE = Statement("DELETE FROM reprints WHERE article_id = :id")
_MEMBERS = Statement("SELECT article_id FROM reprints WHERE group_id = :group_id ORDER BY article_id LIMIT 2")
_COPIES = """
    SELECT u.article_id, u.url, u.site, u.source, u.published_ts, u.priority, u.added_at
    FROM article_urls u WHERE u.article_id IN ({keys}) ORDER BY u.added_at, u.key
    """
_ARTICLES = Statement("SELECT article_id FROM reprints WHERE group_id = :group_id ORDER BY article_id LIMIT :most")
_ELECT = Statement(
    """
    UPDATE reprints SET is_first = (article_id = :id)
    WHERE group_id = :group_id AND (article_id = :id) <> is_first
    """
)

MOST_WEIGHED = 200  # articles of a group, the earliest stored, among which the first source is sought


@dataclass(frozen=True, slots=True)
class Alike:
    """A stored article of which another is a reprint."""

    article_id: int
    group_id: int
    likeness: Likeness

    def closeness(self) -> tuple[float, int]:
        """The higher, the closer; of equals the earlier stored."""
        return self.likeness.resemblance, -self.article_id


def place(conn: Connection, article_id: int, written: Written, prints: Fingerprints | None) -> int | None:
    """Index an article and put it with its reprints; the number of its group, ``None`` if it has none."""
    if prints is None or not prints.enough:
        return None
    found = lookup(conn, prints)
    alike = compare(conn, written, prints, [number for number in found.texts if number != article_id])
    own = {other.article_id for other in alike} | {
        row.article_id for row in rows_among(conn, _REPRINTS, {other.group_id for other in alike})
    }
    _INDEX.change_many(conn, [{"value": value, "id": article_id} for value in found.indexed(prints, own)])
    return _join(conn, article_id, alike) if alike else None


def lookup(conn: Connection, prints: Fingerprints) -> Found:
    """What the index knows of these fingerprints."""
    return Found.by(rows_among(conn, _POSTINGS, prints.asked), prints.title)


def compare(conn: Connection, written: Written, prints: Fingerprints, candidates: Sequence[int]) -> list[Alike]:
    """Those of the articles of which the text is a reprint, or they of it: the first of each group."""
    rows = {row.id: row for row in rows_among(conn, _TEXTS, candidates)}
    if len(rows) < len(candidates):
        _forget(conn, prints, set(candidates) - rows.keys())
    alike: dict[int, Alike] = {}
    for row in (rows[number] for number in candidates if number in rows):
        if row.group_id not in alike:
            shared = reprint(prints, written, Written(row.title, row.text))
            if shared is not None:
                alike[row.group_id] = Alike(row.id, row.group_id, shared)
    return list(alike.values())


def leave(conn: Connection, article_id: int, method: Method) -> None:
    """Take an article out of the index and of its group, before it is dropped or gets another text.

    If it was indexed by another method, its fingerprints stay until they are met.
    """
    row = _TEXT.run(conn, {"id": article_id}).first()
    if row is not None:
        _forget(conn, method.of(normalised(row.text), row.title), [article_id])
    group = _GROUP_OF.run(conn, {"id": article_id}).scalar()
    if group is None:
        return
    _LEAVE.change(conn, {"id": article_id})
    left = _MEMBERS.run(conn, {"group_id": group})
    if len(left) == 1:
        _LEAVE.change(conn, {"id": left[0].article_id})
    elif left:
        if group == article_id:  # with another text it may begin a group of its own
            group = left[0].article_id
            _MERGE.change(conn, {"group_id": group, "other": article_id})
        _elect(conn, group)


def shown_again(conn: Connection, article_id: int) -> None:
    """Look who was first once more: another page shows the text of an article."""
    group = _GROUP_OF.run(conn, {"id": article_id}).scalar()
    if group is not None:
        _elect(conn, group)


def steps_of(conn: Connection, article_id: int) -> list[Step]:
    """Who had the text of an article and of its reprints, the first source first, each with whom it took it from."""
    group = _GROUP_OF.run(conn, {"id": article_id}).scalar()
    copies = _copies(conn, [article_id] if group is None else _articles(conn, group))
    return chain([copy for found in copies.values() for copy in found])


def _join(conn: Connection, article_id: int, alike: Sequence[Alike]) -> int:
    closest = max(alike, key=Alike.closeness)
    groups = {other.group_id for other in alike}
    group = min(groups)
    for other in sorted(groups - {group}):
        _MERGE.change(conn, {"group_id": group, "other": other})
    for found in sorted(other.article_id for other in alike):
        _FOUND.change(conn, {"id": found, "group_id": group})
    values = {"like_id": closest.article_id, "containment": closest.likeness.containment}
    resemblance = closest.likeness.resemblance
    _ADD.change(conn, {"id": article_id, "group_id": group, "resemblance": resemblance, **values})
    _elect(conn, group)
    return group


def _elect(conn: Connection, group: int) -> None:
    """Mark the article whose page has most claim to be the first source."""
    copies = _copies(conn, _articles(conn, group))
    owners = {copy.url: article_id for article_id, found in copies.items() for copy in found}
    if owners:
        first = first_source([copy for found in copies.values() for copy in found])
        _ELECT.change(conn, {"group_id": group, "id": owners[first.url]})


def _articles(conn: Connection, group: int) -> list[int]:
    return [row.article_id for row in _ARTICLES.run(conn, {"group_id": group, "most": MOST_WEIGHED})]


def _copies(conn: Connection, articles: Iterable[int]) -> dict[int, list[Copy]]:
    found: dict[int, list[Copy]] = {}
    for row in rows_among(conn, _COPIES, articles):
        copy = Copy(row.url, row.site, row.source, row.published_ts, row.added_at, row.priority)
        found.setdefault(row.article_id, []).append(copy)
    return found


def _forget(conn: Connection, prints: Fingerprints, gone: Iterable[int]) -> None:
    left: list[dict[str, Any]] = [{"value": value, "id": number} for number in sorted(gone) for value in prints.asked]
    _UNINDEX.change_many(conn, left)
