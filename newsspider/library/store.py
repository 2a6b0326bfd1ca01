"""Opens a store to read its articles, one by one or as a table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from sqlalchemy import URL, Engine

from newsspider.core.query.query_dates import ZONE, moment_of
from newsspider.core.text.regions import region_name
from newsspider.store.articles.article_filters import Filters
from newsspider.store.articles.article_records import export_records
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import open_store, reading
from newsspider.store.engine.errors import StoreUnusableError

if TYPE_CHECKING:
    import pandas as pd

    from newsspider.library.records import StoredRecord

Day = str | date | datetime


class Store:
    """The store in a file of SQLite, or at a database URL such as ``postgresql://user@host/name``.

    Raises :exc:`~newsspider.StoreUnusableError` with one sentence if it is not there or cannot be used. Close it, or
    use it in a ``with`` statement.

    >>> Store("/no/such/newsspider.db")
    Traceback (most recent call last):
    ...
    newsspider.store.engine.errors.StoreUnusableError: /no/such/newsspider.db: there is no such file
    """

    def __init__(self, database: str | os.PathLike[str]) -> None:
        name = os.fspath(database)
        if "://" not in name and not Path(name).is_file():
            raise StoreUnusableError(f"{name}: there is no such file")
        self.engine: Engine = open_store(name if "://" in name else _url_of(name), readable=True)

    def articles(
        self,
        *,
        since: Day | None = None,
        until: Day | None = None,
        site: str | None = None,
        topic: str | None = None,
        subtopic: str | None = None,
        region: str | None = None,
        about: str | None = None,
        limit: int | None = None,
    ) -> Articles:
        """The articles that all of these let through, oldest stored first; nothing is read before they are asked for.

        ``since`` and ``until`` are dates of publication, or of the crawl where the page has none: ``"2026-11-01"``,
        ``"2026-11-01T08:30"``, a date or a datetime, in China's time unless they have an offset. The day or minute of
        ``until`` counts to its end; a datetime is the moment itself. ``region`` is a province or city of the site,
        ``about`` one that an article is about. Raises :exc:`ValueError` for a date or a place that is none.
        """
        return Articles(
            self.engine,
            Filters(
                _moment(since, last=False),
                _moment(until, last=True),
                site,
                topic,
                subtopic,
                *map(_place, (region, about)),
            ),
            limit,
        )

    def close(self) -> None:
        """Close the connections to the database."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Articles:
    """Articles of a store: iterate over them, as often as you like, or take them as a table.

    Each iteration sees the store as it was when it began.
    """

    engine: Engine
    filters: Filters
    limit: int | None

    def __iter__(self) -> Iterator[StoredRecord]:
        with reading(self.engine) as conn:
            for record in export_records(conn, self.filters, self.limit):
                yield cast("StoredRecord", record)

    def to_pandas(self) -> pd.DataFrame:
        """All of them as a table, moments in China's time; needs ``pip install 'newsspider[dataframes]'``."""
        from newsspider.library.export_formats import pandas_frame

        return pandas_frame(self)

    def to_parquet(self, path: str | os.PathLike[str]) -> int:
        """Write them to a Parquet file, a few at a time, and return how many they were; needs the same extra. A reader
        gets the whole new file, or what was there before."""
        from newsspider.library.export_formats import write_table

        return write_table("parquet", self, Path(path)).rows


def _url_of(file: str) -> str:
    return URL.create("sqlite", database=file).render_as_string()


def _place(word: str | None) -> str | None:
    name = None if word is None else region_name(word)
    if word is not None and name is None:
        raise ValueError(f"{word!r} is no province or city")
    return name


def _moment(day: Day | None, *, last: bool) -> datetime | None:
    if isinstance(day, datetime):
        return day if day.tzinfo else day.replace(tzinfo=ZONE)
    return None if day is None else moment_of(str(day), datetime.fromtimestamp(Clock().now(), UTC), last=last)
