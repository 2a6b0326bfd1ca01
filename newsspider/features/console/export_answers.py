"""Records of articles as an answer in a format of ``scrapy export``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import BoundedSemaphore
from typing import Any

from fastapi import HTTPException
from fastapi.responses import Response, StreamingResponse

from newsspider.library.export_formats import (
    NEEDS,
    RECORD_COLUMNS,
    TABLES,
    TEXT_FORMATS,
    ExportError,
    pieces_of,
    write_table,
)

FORMATS = (*TEXT_FORMATS, *TABLES)
PIECE_BYTES = 1 << 16  # bytes
TABLES_AT_ONCE = BoundedSemaphore(2)  # that are made, by all requests

TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8"}


def offered_formats() -> list[str]:
    """The formats that can be made here: pages show no other ones."""
    return [form for form in FORMATS if form not in NEEDS or find_spec(NEEDS[form][0]) is not None]


def export_answer(
    form: str, name: str, records: Iterable[dict[str, Any]], more: Sequence[str] = (), *, fields: str = ""
) -> Response:
    """A file of this name with the records, which may have ``more`` fields; texts are sent as they are read,
    tables from a file. A sheet of Excel has every field only if ``fields`` is ``all``. Status 400 for another format,
    or too many records for it; 429 if two tables are being made."""
    if form not in FORMATS:
        raise HTTPException(400, f"the format is one of {', '.join(FORMATS)}")
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    if form in TEXT_FORMATS:
        return StreamingResponse(pieces_of(form, records, more), media_type=TYPES[form], headers=headers)
    if not TABLES_AT_ONCE.acquire(blocking=False):
        raise HTTPException(429, "two tables are being made; try again", {"Retry-After": "10"})
    try:
        with TemporaryDirectory(prefix="newsspider-export-") as folder:
            path = Path(folder, "articles")
            write_table(form, records, path, more, RECORD_COLUMNS if fields == "all" else ())
            headers["Content-Length"] = str(path.stat().st_size)
            file = path.open("rb")  # it is there until it is closed, and its folder is not
    except (ExportError, ImportError) as error:
        raise HTTPException(400, str(error)) from None
    finally:
        TABLES_AT_ONCE.release()
    pieces = iter(partial(file.read, PIECE_BYTES), b"")
    return StreamingResponse(pieces, media_type="application/octet-stream", headers=headers)
