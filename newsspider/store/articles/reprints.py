"""Finds the near reprints of a new article among the stored ones, keeps them in one group with a first source, and
reports the groups.

The index holds a few fingerprints of each article as hints; the texts decide which articles are reprints of each other.
So a fingerprint left over from a former text does no harm; it is removed when it is found.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.duplicates.first_source import ChainStep, Copy, first_source, reprint_chain
from newsspider.core.duplicates.reprints import (
    Fingerprints,
    Likeness,
    ReprintCandidates,
    fingerprints_of,
    reprint_likeness,
)
from newsspider.core.model import Version
from newsspider.core.text.text_comparison import normalise_text
from newsspider.core.url import url_key
from newsspider.store.articles.article_records import article_at
from newsspider.store.articles.batch_jobs import REGROUP, Pass, advance_pass, begin_pass, next_rows, unfinished_pass
from newsspider.store.engine.statement import Inserts, Statement, rows_among
from newsspider.store.tables import fingerprints

POSTINGS = "SELECT value, article_id FROM fingerprints WHERE value IN ({keys})"
_REPRINTS = "SELECT article_id FROM reprints WHERE group_id IN ({keys})"
_TEXTS = """
    SELECT a.id, a.title, a.text, COALESCE(r.group_id, a.id) AS group_id
    FROM articles a LEFT JOIN reprints r ON r.article_id = a.id WHERE a.id IN ({keys})
    """
_TEXT = Statement("SELECT title, text FROM articles WHERE id = :id")
_INDEX = Inserts(
    "INSERT INTO fingerprints (value, article_id) VALUES (:value, :article_id) ON CONFLICT DO NOTHING", fingerprints
)
_UNINDEX = Statement("DELETE FROM fingerprints WHERE value = :value AND article_id = :id")
_DROP_GROUPS = Statement("DELETE FROM reprints")
_DROP_FINGERPRINTS = Statement("DELETE FROM fingerprints")
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
_LARGEST = Statement(
    """
    SELECT max(u.article_id) AS article_id
    FROM article_urls u LEFT JOIN reprints r ON r.article_id = u.article_id
    GROUP BY COALESCE(r.group_id, -u.article_id)
    HAVING min(u.article_id) < max(u.article_id) OR min(u.site) < max(u.site)
    ORDER BY count(*) DESC, max(u.article_id) DESC LIMIT :most
    """
)
_TITLE = Statement("SELECT title FROM article_urls WHERE key = :key")
_LIKENESS = """
    SELECT u.url, r.containment, r.resemblance FROM article_urls u JOIN reprints r ON r.article_id = u.article_id
    WHERE u.key IN ({keys}) AND r.containment IS NOT NULL
    """

MOST_WEIGHED = 200  # earliest stored articles of a group that are compared to find the first source


@dataclass(frozen=True, slots=True)
class NearReprint:
    """A stored article that is a near reprint of another one, and how similar they are."""

    article_id: int
    group_id: int
    likeness: Likeness

    def closeness(self) -> tuple[float, int]:
        """A sort key: the higher, the closer; among equals the first stored is closest."""
        return self.likeness.resemblance, -self.article_id


@dataclass(frozen=True, slots=True)
class ReprintGroup:
    """The pages of one text and its reprints: the first source, then the others in the order of copying."""

    title: str
    steps: tuple[ChainStep, ...]
    likeness: dict[str, tuple[float, float]]  # by URL: containment and resemblance, where it is a near reprint

    def record(self) -> dict[str, Any]:
        """The group as JSON."""
        return {"title": self.title, "chain": [self._step(step) for step in self.steps]}

    def _step(self, step: ChainStep) -> dict[str, Any]:
        copy = step.copy
        containment, resemblance = self.likeness.get(copy.url, (None, None))
        return {
            "url": copy.url,
            "site": copy.site,
            "source": copy.source,
            "published_at": copy.published_at,
            "found_at": copy.found_at,
            "taken_from": step.taken_from,
            "outlet": step.outlet,
            "containment": containment,
            "resemblance": resemblance,
        }


class Placement(NamedTuple):
    """An article to be indexed and joined with its reprints; without fingerprints it stays alone."""

    article_id: int
    written: Version
    prints: Fingerprints | None


def place(conn: Connection, placements: Sequence[Placement]) -> None:
    """Index articles and join each with its reprints, also with those before it. Postings are read and written once for
    all of them."""
    long_enough = [(placed, placed.prints) for placed in placements if placed.prints and placed.prints.enough]
    holders: defaultdict[int, dict[int, None]] = defaultdict(dict)  # the articles that have a fingerprint, in order
    asked = {value for _, prints in long_enough for value in prints.asked}
    for value, article_id in rows_among(conn, POSTINGS, asked):
        holders[value][article_id] = None
    added: list[tuple[int, int]] = []
    for placed, prints in long_enough:
        article_id, values = placed.article_id, dict.fromkeys(prints.asked)
        held = ((value, text) for value in values for text in holders.get(value, ()))
        candidates = ReprintCandidates.by(held, prints.title)
        near_reprints = compare(
            conn, placed.written, prints, [number for number in candidates.texts if number != article_id]
        )
        members = {other.article_id for other in near_reprints} | {
            row.article_id for row in rows_among(conn, _REPRINTS, {other.group_id for other in near_reprints})
        }
        for value in candidates.indexed(prints, members):
            holders[value][article_id] = None
            added.append((value, article_id))
        if near_reprints:
            _join(conn, article_id, near_reprints)
    _INDEX.change(conn, [{"value": value, "article_id": article_id} for value, article_id in added])


def compare(conn: Connection, written: Version, prints: Fingerprints, candidates: Sequence[int]) -> list[NearReprint]:
    """The candidates that are near reprints of the text, the first of each group."""
    rows = {row.id: row for row in rows_among(conn, _TEXTS, candidates)}
    if len(rows) < len(candidates):
        _forget(conn, prints, set(candidates) - rows.keys())
    of_group: dict[int, NearReprint] = {}
    for row in (rows[number] for number in candidates if number in rows):
        if row.group_id not in of_group:
            likeness = reprint_likeness(prints, written, Version(row.title, row.text))
            if likeness is not None:
                of_group[row.group_id] = NearReprint(row.id, row.group_id, likeness)
    return list(of_group.values())


def leave(conn: Connection, article_id: int) -> None:
    """Remove an article from the index and from its group, before it is dropped or gets another text."""
    row = _TEXT.run(conn, {"id": article_id}).first()
    if row is not None:
        _forget(conn, fingerprints_of(normalise_text(row.text), row.title), [article_id])
    group = _GROUP_OF.run(conn, {"id": article_id}).scalar()
    if group is None:
        return
    _LEAVE.change(conn, {"id": article_id})
    members = _MEMBERS.run(conn, {"group_id": group})
    if len(members) == 1:
        _LEAVE.change(conn, {"id": members[0].article_id})
    elif members:
        if group == article_id:  # with another text it may start a group with its own number
            group = members[0].article_id
            _MERGE.change(conn, {"group_id": group, "other": article_id})
        _elect(conn, group)


def elect_again(conn: Connection, article_id: int) -> None:
    """Elect the first source of an article's group again, after its URLs have changed."""
    group = _GROUP_OF.run(conn, {"id": article_id}).scalar()
    if group is not None:
        _elect(conn, group)


def largest_groups(conn: Connection, limit: int) -> list[ReprintGroup]:
    """The groups with the most pages, among equals the latest first: near reprints, and articles that several sites
    show word for word."""
    return [_group_of(conn, row.article_id) for row in _LARGEST.run(conn, {"most": limit})]


def group_of_url(conn: Connection, url: str) -> ReprintGroup | None:
    """The group of the article with this canonical URL, even if it is alone; ``None`` if there is no article."""
    number = article_at(conn, url)
    return None if number is None else _group_of(conn, number)


def _group_of(conn: Connection, article_id: int) -> ReprintGroup:
    group = _GROUP_OF.run(conn, {"id": article_id}).scalar()
    copies = _copies(conn, [article_id] if group is None else _articles(conn, group))
    steps = reprint_chain([copy for pages in copies.values() for copy in pages])
    keys = [url_key(step.copy.url) for step in steps]
    likeness = {row.url: (row.containment, row.resemblance) for row in rows_among(conn, _LIKENESS, keys)}
    return ReprintGroup(_TITLE.run(conn, {"key": keys[0]}).scalar() or "", tuple(steps), likeness)


def _join(conn: Connection, article_id: int, near_reprints: Sequence[NearReprint]) -> int:
    closest = max(near_reprints, key=NearReprint.closeness)
    groups = {other.group_id for other in near_reprints}
    group = min(groups)
    for other in sorted(groups - {group}):
        _MERGE.change(conn, {"group_id": group, "other": other})
    for number in sorted(other.article_id for other in near_reprints):
        _FOUND.change(conn, {"id": number, "group_id": group})
    values = {"like_id": closest.article_id, "containment": closest.likeness.containment}
    resemblance = closest.likeness.resemblance
    _ADD.change(conn, {"id": article_id, "group_id": group, "resemblance": resemblance, **values})
    _elect(conn, group)
    return group


def _elect(conn: Connection, group: int) -> None:
    """Mark the article whose page is most likely the first source of its group."""
    copies = _copies(conn, _articles(conn, group))
    owners = {copy.url: article_id for article_id, pages in copies.items() for copy in pages}
    if owners:
        first = first_source([copy for pages in copies.values() for copy in pages])
        _ELECT.change(conn, {"group_id": group, "id": owners[first.url]})


def _articles(conn: Connection, group: int) -> list[int]:
    return [row.article_id for row in _ARTICLES.run(conn, {"group_id": group, "most": MOST_WEIGHED})]


def _copies(conn: Connection, articles: Iterable[int]) -> dict[int, list[Copy]]:
    copies: dict[int, list[Copy]] = {}
    for row in rows_among(conn, _COPIES, articles):
        copy = Copy(row.url, row.site, row.source, row.published_ts, row.added_at, row.priority)
        copies.setdefault(row.article_id, []).append(copy)
    return copies


def _forget(conn: Connection, prints: Fingerprints, articles: Iterable[int]) -> None:
    _UNINDEX.change_many(
        conn, [{"value": value, "id": number} for number in sorted(articles) for value in prints.asked]
    )


def begin_regrouping(conn: Connection, now: float) -> Pass:
    """The unfinished regrouping, or a new one, which first drops all groups and their index: until it is finished, most
    groups may be missing."""
    run = unfinished_pass(conn, REGROUP)
    if run is not None:
        return run
    _DROP_GROUPS.change(conn, {})
    _DROP_FINGERPRINTS.change(conn, {})
    return begin_pass(conn, REGROUP, "{}", now)


def regroup_next(conn: Connection, run: Pass, count: int) -> Pass | None:
    """Place the next articles; returns the pass after them, ``None`` at its end. Raises :exc:`OvertakenError`."""
    rows = next_rows(conn, run, count)
    if not rows:
        return None
    next_pass = advance_pass(conn, run, rows[-1]["id"], Counter(placed=len(rows)))
    texts = ((row["id"], Version(row["title"], row["text"])) for row in rows)
    place(
        conn,
        [Placement(number, text, fingerprints_of(normalise_text(text.text), text.title)) for number, text in texts],
    )
    return next_pass
