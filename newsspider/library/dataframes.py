"""Articles as a pandas data frame or a Parquet file, with the same columns and types whatever the articles hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from newsspider.core.query.moments import ZONE
from newsspider.library.records import MOMENT, ImageRecord, StoredRecord
from newsspider.store.articles.export import ARTICLES_AT_ONCE

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_TYPES = get_type_hints(StoredRecord, include_extras=True)
MOMENTS = tuple(name for name, kind in _TYPES.items() if MOMENT in str(kind))


def pandas_frame(records: Iterable[StoredRecord]) -> pd.DataFrame:
    """A row a record, a column a field."""
    import pandas as pd

    frame = pd.DataFrame(list(records), columns=list(_TYPES))
    for name in MOMENTS:
        frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601").dt.tz_convert(ZONE.key).dt.as_unit("us")
    return frame


def write_parquet(records: Iterable[StoredRecord], path: str | os.PathLike[str], more: Sequence[str] = ()) -> int:
    """Write a row a record, some of them at a time, and return how many there were; with ``more`` columns of texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, count, remaining = _schema(more), 0, iter(records)
    with pq.ParquetWriter(os.fspath(path), schema) as writer:
        while rows := [_row(record) for record in islice(remaining, ARTICLES_AT_ONCE)]:
            writer.write_table(pa.Table.from_pylist(rows, schema))
            count += len(rows)
    return count


def _row(record: StoredRecord) -> dict[str, Any]:
    moments = {name: record[name] for name in MOMENTS}  # type: ignore[literal-required] # names of its fields
    return {**record, **{name: at and datetime.fromisoformat(at) for name, at in moments.items()}}


def _schema(more: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    plain = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    image = pa.struct([(name, pa.string()) for name in ImageRecord.__annotations__])
    kinds = {**plain, list[str]: pa.list_(pa.string()), list[ImageRecord]: pa.list_(image)}

    def column(name: str, kind: Any) -> pa.DataType:
        if name in MOMENTS:
            return pa.timestamp("us", ZONE.key)
        return kinds[kind] if kind in kinds else kinds[get_args(kind)[0]]  # `str | None`

    texts = [(name, pa.string()) for name in more]
    return pa.schema([(name, column(name, kind)) for name, kind in _TYPES.items()] + texts)
