"""Records of articles as an answer in a format of ``scrapy export``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import HTTPException
from fastapi.responses import Response, StreamingResponse

from newsspider.library.export_formats import TABLES, TEXTS, csv_head, csv_line, markdown_section, writer_of

FORMATS = (*TEXTS, *TABLES)
TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8"}


def exported(form: str, name: str, records: Iterable[dict[str, Any]], more: Sequence[str] = ()) -> Response:
    """A file of this name with the records, which may have ``more`` fields; texts are sent as they are read. Status 400
    for another format."""
    if form not in FORMATS:
        raise HTTPException(400, f"the format is one of {', '.join(FORMATS)}")
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    if form in TEXTS:
        return StreamingResponse(_pieces(form, records, more), media_type=TYPES[form], headers=headers)
    with TemporaryDirectory(prefix="newsspider-export-") as folder:
        path = Path(folder, "articles")
        writer_of(form, str(path), more)(records)
        return Response(path.read_bytes(), media_type="application/octet-stream", headers=headers)


def _pieces(form: str, records: Iterable[dict[str, Any]], more: Sequence[str]) -> Iterator[str]:
    if form == "csv":
        yield csv_head(more)
    for record in records:
        if form == "csv":
            yield csv_line(record, more)
        else:
            yield markdown_section(record, more) if form == "md" else json.dumps(record, ensure_ascii=False) + "\n"
