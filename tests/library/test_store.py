"""``Store``: the articles that ``scrapy export`` gives."""

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from newsspider import Store, StoredRecord, StoreUnusableError
from newsspider.library.store import Articles
from newsspider.store.articles.article_filters import NO_FILTERS
from newsspider.store.articles.article_records import export_records
from newsspider.store.engine.database import reading
from newsspider.store.engine.errors import StoreFailedError
from tests.support.commands import FIRST, SECOND, database

__all__ = ["database"]


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def test_the_records_are_those_of_scrapy_export_and_have_the_declared_fields(database: str) -> None:
    with Store(path_of(database)) as store:
        articles = store.articles()
        with reading(store.engine) as conn:
            assert list(articles) == list(export_records(conn)) == list(articles)
        assert all(set(record) == set(StoredRecord.__annotations__) for record in articles)
        assert [record["url"] for record in Store(database).articles()] == [FIRST, SECOND]


def test_filters_select_articles(database: str) -> None:
    with Store(path_of(database)) as store:
        (published,) = {record["published_at"][:10] for record in store.articles() if record["published_at"]}
        day = date.fromisoformat(published)
        for since in (published, day, datetime.fromisoformat(published)):
            assert len(list(store.articles(since=since))) == 2
        assert len(list(store.articles(since=published, until=published))) == 2
        assert list(store.articles(until="2000-01-01")) == []
        assert [record["url"] for record in store.articles(site="乙")] == [SECOND]
        assert [record["url"] for record in store.articles(subtopic="留学")] == [SECOND]
        assert [record["url"] for record in store.articles(limit=1)] == [FIRST]
        with pytest.raises(ValueError, match="soon"):
            store.articles(since="soon")


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusableError, match="there is no such file"):
        Store(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_store_opens_whatever_characters_its_file_name_has(database: str, tmp_path: Path) -> None:
    for name in ("a?b.db", "a%20b.db", "a#b.db"):
        path_of(database).with_name(name).write_bytes(b"")
        Store(path_of(database).with_name(name)).close()
    assert {path.name for path in path_of(database).parent.iterdir() if path.suffix == ".db" and path.name.startswith("a")} == {
        "a?b.db", "a%20b.db", "a#b.db",
    }  # fmt: skip


def test_a_table_has_a_row_an_article_and_moments_in_china_s_time(database: str) -> None:
    pytest.importorskip("pandas", exc_type=ImportError)
    with Store(path_of(database)) as store:
        frame = store.articles().to_pandas()
        empty_frame = store.articles(site="nowhere").to_pandas()
    assert list(frame["url"]) == [FIRST, SECOND]
    assert list(frame["subtopics"])[1] == ["留学", "中小学"]
    assert str(frame["published_at"].dt.tz) == "Asia/Shanghai"
    assert list(empty_frame.columns) == list(frame.columns)
    assert empty_frame.dtypes["published_at"] == frame.dtypes["published_at"]


def test_a_parquet_file_has_the_same_types_whatever_is_in_it(database: str, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", exc_type=ImportError)
    with Store(path_of(database)) as store:
        records = list(store.articles())
        assert store.articles().to_parquet(tmp_path / "all.parquet") == 2
        assert store.articles(site="nowhere").to_parquet(tmp_path / "none.parquet") == 0
    table, empty_table = (pq.read_table(tmp_path / name) for name in ("all.parquet", "none.parquet"))
    assert table.schema == empty_table.schema
    rows = table.to_pylist()
    plain = [name for name in StoredRecord.__annotations__ if not name.endswith("_at")]
    assert [{name: row[name] for name in plain} for row in rows] == [{name: record[name] for name in plain} for record in records]
    assert [row["published_at"] for row in rows] == [datetime.fromisoformat(record["published_at"] or "") for record in records]


def test_a_parquet_file_that_cannot_be_finished_leaves_the_one_that_is_there(database: str, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", exc_type=ImportError)
    file = tmp_path / "all.parquet"
    with Store(path_of(database)) as store:
        store.articles().to_parquet(file)

        class Broken(Articles):
            def __iter__(self) -> Iterator[StoredRecord]:
                yield from super().__iter__()
                assert pq.read_table(file).num_rows == 2  # a concurrent reader
                raise StoreFailedError("the network is gone")

        with pytest.raises(StoreFailedError):
            Broken(store.engine, NO_FILTERS, None).to_parquet(file)
    assert pq.read_table(file).num_rows == 2
    assert list(tmp_path.glob("all.parquet*")) == [file]
