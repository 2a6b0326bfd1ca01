"""Reads stored articles: those that match filters, each as the record that search and export give."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from sqlalchemy import Boolean, ColumnElement, Connection, Select, func, literal_column, or_, select

from newsspider.core.model import ARTICLE_FIELDS, Reason, StoredArticle, is_cut
from newsspider.core.query.query_dates import DAY_SECONDS, OFFSET_SECONDS
from newsspider.core.text.regions import regions_within
from newsspider.core.url import url_key
from newsspider.store.articles import article_rows
from newsspider.store.articles.article_rows import row_of
from newsspider.store.engine.statement import Statement, batched, rows_among
from newsspider.store.tables import articles, reprints, subtopics

ARTICLES_AT_ONCE = 200  # articles read together: memory stays flat whatever is exported
MOMENT = func.coalesce(articles.c.published_ts, articles.c.crawled_ts)  # without a date: when the article was read
# The day in China of a moment, counted from 1970-01-01, as SQL, which would round the days before it up.
_DAYS = date(1970, 1, 1).toordinal()
CHINA_DAY = f"({{moment}} + {OFFSET_SECONDS + _DAYS * DAY_SECONDS}) / {DAY_SECONDS} - {_DAYS}"

_ARTICLES = "SELECT * FROM articles WHERE id IN ({keys})"
_ARTICLE_AT = Statement("SELECT article_id FROM article_urls WHERE key = :key AND url = :url")
_URLS = """
    SELECT u.article_id, u.url, u.noindex, a.vanished_at, a.absence, l.reason
    FROM article_urls u LEFT JOIN missing_articles a ON a.key = u.key LEFT JOIN urls l ON l.key = u.key
    WHERE u.article_id IN ({keys}) ORDER BY u.added_at, u.key
    """
_GROUPS = """
    SELECT r.article_id, r.group_id, r.is_first,
           (SELECT count(*) FROM reprints n WHERE n.group_id = r.group_id) AS articles,
           (SELECT a.url FROM reprints n JOIN articles a ON a.id = n.article_id
            WHERE n.group_id = r.group_id AND n.is_first) AS first
    FROM reprints r WHERE r.article_id IN ({keys})
    """


class Derived(NamedTuple):
    """A field of the export that is no column: its JSON Schema, and what it means."""

    schema: dict[str, Any]
    meaning: str


_TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_MAYBE: dict[str, Any] = {"type": ["string", "null"]}
DERIVED = {
    "truncated": Derived({"type": "boolean"}, "the title or the text was cut to its limit"),
    "urls": Derived(_TEXTS, "every URL that shows this text, in the order of storing"),
    "noindex": Derived({"type": "boolean"}, "every page of it asks not to be indexed: `scrapy search` leaves it out"),
    "vanished_at": Derived(_MAYBE, "when the last of its pages vanished; null while one is there"),
    "absence": Derived(_MAYBE, "what stands there instead, as in `missing_articles`"),
    "keywords": Derived(_TEXTS, "at most ten keywords, the strongest first"),
    "subtopics": Derived(_TEXTS, "the parts of the topic's field that it belongs to"),
    "reprint_of": Derived(_MAYBE, "the first source of which it is a near reprint"),
    "reprints": Derived({"type": "integer"}, "how many other articles are near reprints of each other with it"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """Which articles to read; ``since`` is inclusive, ``until`` exclusive, ``None`` lets everything through."""

    since: datetime | None = None
    until: datetime | None = None
    site: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    region: str | None = None  # the short name of a province or city of the site
    about: str | None = None  # of one that the article is about

    def conditions(self) -> list[ColumnElement[bool]]:
        """The same as SQL."""
        conditions: list[ColumnElement[bool]] = []
        if self.since is not None:
            conditions.append(int(self.since.timestamp()) <= MOMENT)
        if self.until is not None:
            conditions.append(int(self.until.timestamp()) > MOMENT)
        if self.site is not None:
            conditions.append(articles.c.site == self.site)
        if self.topic is not None:
            conditions.append(articles.c.topic == self.topic)
        if self.region is not None:
            conditions.append(articles.c.region.in_(regions_within(self.region)))
        if self.about is not None:
            named = (articles.c.places.contains(f'"{place}"') for place in regions_within(self.about))
            conditions.append(or_(*named))
        if self.subtopic is not None:
            # a join: one row an article
            conditions += [subtopics.c.name == self.subtopic, subtopics.c.article_id == articles.c.id]
        return conditions

    def following(self, after_id: int, count: int) -> Select[Any]:
        """The query for the next ``count`` matching rows of ``articles`` after a number, ordered by an index."""
        number = articles.c.id if self.subtopic is None else subtopics.c.article_id
        return select(articles).where(number > after_id, *self.conditions()).order_by(number).limit(count)


NO_FILTERS = Filters()
GROUP = func.coalesce(reprints.c.group_id, -articles.c.id)  # one number for an article and its reprints
GROUPED = articles.outerjoin(reprints, reprints.c.article_id == articles.c.id)
# As text, because the search runs them once a query. IS_THERE: one of its pages has not vanished; pages that redirect
# count only if there are no others.
IS_FINDABLE = "EXISTS (SELECT 1 FROM article_urls p WHERE p.article_id = articles.id AND NOT p.noindex)"
_STAYS = f"COALESCE((SELECT reason FROM urls WHERE urls.key = {{page}}.key), '') <> '{Reason.REDIRECT}'"
IS_THERE = f"""EXISTS (
    SELECT 1 FROM article_urls p WHERE p.article_id = articles.id
    AND NOT EXISTS (SELECT 1 FROM missing_articles m WHERE m.key = p.key AND m.vanished_at IS NOT NULL)
    AND ({_STAYS.format(page="p")} OR NOT EXISTS (
        SELECT 1 FROM article_urls o WHERE o.article_id = p.article_id AND {_STAYS.format(page="o")}))
)"""
# The articles that are not findable or not there: of the few that may be, so that a list of many need not be tested.
_SUSPECTS = """
SELECT article_id FROM article_urls WHERE noindex
UNION ALL SELECT u.article_id FROM missing_articles m JOIN article_urls u ON u.key = m.key
WHERE m.vanished_at IS NOT NULL
"""
_HIDDEN = f"SELECT id FROM articles WHERE {{named}} IN ({_SUSPECTS}) AND NOT ({IS_FINDABLE} AND {IS_THERE})"
HIDDEN = _HIDDEN.format(named="id")
# Those among the rows of ``hits``: with the plus SQLite begins with these, however many articles the store hides.
HIDDEN_HITS = f"{_HIDDEN.format(named='+id')} AND id IN (SELECT article_id FROM hits)"
_ALL_SUSPECTS = Statement(_SUSPECTS)
_SHOWN = f"SELECT id FROM articles WHERE id IN ({{keys}}) AND {IS_FINDABLE} AND {IS_THERE}"
FINDABLE: ColumnElement[bool] = literal_column(IS_FINDABLE, Boolean)
THERE: ColumnElement[bool] = literal_column(IS_THERE, Boolean)


def hidden_among(conn: Connection, numbers: Set[int]) -> Set[int]:
    """Those of these articles that are not findable or not there."""
    suspects = numbers & {article for (article,) in _ALL_SUSPECTS.bare(conn, {})}
    return suspects - {row.id for row in rows_among(conn, _SHOWN, suspects)}


def export(conn: Connection, filters: Filters = NO_FILTERS, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """The records of all articles that match the filters, the first stored first."""
    last, remaining = 0, limit
    while remaining is None or remaining > 0:
        count = ARTICLES_AT_ONCE if remaining is None else min(ARTICLES_AT_ONCE, remaining)
        rows = conn.execute(filters.following(last, count)).mappings().all()
        yield from records(conn, rows)
        if len(rows) < count:
            return
        last, remaining = rows[-1]["id"], None if remaining is None else remaining - len(rows)


def article_of(conn: Connection, article_id: int) -> dict[str, Any] | None:
    """The record of the article with this number; ``None`` if there is none."""
    return next(articles_of(conn, [article_id]), None)


def articles_of(conn: Connection, ids: Iterable[int]) -> Iterator[dict[str, Any]]:
    """The records of the articles with these numbers, in no order."""
    for part in batched(list(ids), ARTICLES_AT_ONCE):
        yield from records(conn, [row._asdict() for row in rows_among(conn, _ARTICLES, part)])


def article_at(conn: Connection, url: str) -> int | None:
    """The number of the article that this canonical URL shows; ``None`` if it shows none."""
    number: int | None = _ARTICLE_AT.run(conn, {"key": url_key(url), "url": url}).scalar()
    return number


def records(conn: Connection, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The rows of ``articles`` as records: with their URLs, keywords and sub-topics, lists as lists, ready for JSON."""
    ids = [row["id"] for row in rows]
    urls = rows_among(conn, _URLS, ids)
    addresses = _grouped([(row.article_id, row.url) for row in urls])
    pages: dict[int, list[Any]] = {}
    for row in urls:
        pages.setdefault(row.article_id, []).append(row)
    findable = {row.article_id for row in urls if not row.noindex}
    words, parts_of_topic = article_rows.keywords.of_articles(conn, ids), article_rows.subtopics.of_articles(conn, ids)
    groups = {row.article_id: row for row in rows_among(conn, _GROUPS, ids)}
    for row in rows:
        record = {"id": row["id"], **_record(row)}
        record["urls"] = addresses.get(row["id"], [])
        record["noindex"] = row["id"] not in findable
        record |= _vanished(pages.get(row["id"], []))
        record["keywords"] = list(words.get(row["id"], ()))
        record["subtopics"] = list(parts_of_topic.get(row["id"], ()))
        group = groups.get(row["id"])
        record["reprint_of"] = None if group is None or group.is_first else group.first
        record["reprints"] = 0 if group is None else group.articles - 1
        yield record


def record_of(article: StoredArticle) -> dict[str, Any]:
    """The record of an article without what only the store knows: its number, its other URLs, its reprints."""
    derived = {"noindex": article.noindex, "keywords": list(article.keywords), "subtopics": list(article.subtopics)}
    return _record(row_of(0, article)) | derived


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    record = {field.key: _list(row[name]) if field.is_list else row[name] for name, field in ARTICLE_FIELDS.items()}
    record["parts"] = [part["url"] for part in record["parts"]]
    record["truncated"] = is_cut(row["title"], row["text"])
    return record


def _list(written: str) -> list[Any]:
    return json.loads(written) if written != "[]" else []  # as most are


def _vanished(pages: Sequence[Any]) -> dict[str, str | None]:
    """When the last of an article's pages vanished, and what it shows instead; ``None`` while one is there, by the rule
    of :data:`THERE`."""
    pages = [page for page in pages if page.reason != Reason.REDIRECT] or pages
    if not pages or any(page.vanished_at is None for page in pages):
        return {"vanished_at": None, "absence": None}
    last = max(pages, key=lambda page: page.vanished_at)
    return {
        "vanished_at": datetime.fromtimestamp(last.vanished_at, UTC).isoformat(timespec="seconds"),
        "absence": last.absence,
    }


def _grouped(rows: Sequence[Any]) -> dict[int, list[str]]:
    values_of_article: dict[int, list[str]] = {}
    for article_id, value in rows:
        values_of_article.setdefault(article_id, []).append(value)
    return values_of_article
