"""Writes answers as they came to WARC 1.1 files (ISO 28500), each with a CDXJ index beside it: what web archives
replay."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import responses
from importlib.metadata import version
from pathlib import Path
from typing import Any

NOT_KEPT = frozenset({"transfer-encoding"})  # the body is kept without its chunks
DATE, STAMP, HOUR = "%Y-%m-%dT%H:%M:%SZ", "%Y%m%d%H%M%S", "%Y%m%d%H"


@dataclass(frozen=True, slots=True)
class ArchivedResponse:
    """What a host answered, with the body as it was sent, and when it was there."""

    url: str
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    protocol: str
    address: str | None
    at: datetime


def cdxj_line(answer: ArchivedResponse, key: str, digest: str, offset: int, length: int, file: str) -> str:
    """The line of the index for a record; ``key`` is the URL in the form by which archives sort.

    >>> at = datetime(2026, 11, 28, 14, tzinfo=UTC)
    >>> headers = [("Content-Type", "text/html; charset=gbk")]
    >>> page = ArchivedResponse("http://a.cn/1", 200, headers, b"", "HTTP/1.1", None, at)
    >>> cdxj_line(page, "cn,a)/1", "ABC", 300, 99, "x.warc.gz").partition(" {")[0]
    'cn,a)/1 20261128140000'
    """
    types = [value for name, value in answer.headers if name.lower() == "content-type"]
    facts = {
        "url": answer.url,
        "mime": types[0].partition(";")[0].strip().lower() if types else "unk",
        "status": str(answer.status),
        "digest": digest,
        "length": str(length),
        "offset": str(offset),
        "filename": file,
    }
    return f"{key} {answer.at.astimezone(UTC).strftime(STAMP)} {json.dumps(facts, ensure_ascii=False)}"


class WarcFiles:
    """The files of one worker in a folder: a new one each hour, one record in each gzip member.

    The index of a file is sorted when the file ends; that of a worker that was killed is whole, but not sorted. Needs
    the extra ``archive``.
    """

    def __init__(self, folder: Path, worker: str, robots: str) -> None:
        self.folder, self.worker, self.robots = folder, worker, robots
        self._hour = ""
        self._file: Any = None
        self._index: Any = None
        self._packed = io.BytesIO()  # the record that is being written
        self._writer: Any = None

    def write(self, answer: ArchivedResponse) -> None:
        """Add a record of an answer, and its line of the index; raises :exc:`OSError`, and :exc:`ValueError` for an
        answer of which there can be no record."""
        from surt import surt
        from warcio.statusandheaders import StatusAndHeaders

        moment = answer.at.astimezone(UTC)
        if moment.strftime(HOUR) != self._hour:
            self.close()
            self._open(moment)
        headers = [(name, value) for name, value in answer.headers if name.lower() not in NOT_KEPT and name.isascii()]
        status = f"{answer.status} {responses.get(answer.status, '')}".rstrip()
        more = {"WARC-Date": moment.strftime(DATE)} | ({"WARC-IP-Address": answer.address} if answer.address else {})
        record = self._writer.create_warc_record(
            answer.url,
            "response",
            io.BytesIO(answer.body),
            warc_headers_dict=more,
            http_headers=StatusAndHeaders(status, headers, protocol=answer.protocol),
        )
        offset = self._file.tell()
        self._write(record)
        digest = (record.rec_headers.get_header("WARC-Payload-Digest") or "").removeprefix("sha1:")
        name = Path(self._file.name).name
        line = cdxj_line(answer, surt(answer.url), digest, offset, self._file.tell() - offset, name)
        self._index.write(f"{line}\n")
        self._index.flush()

    def close(self) -> None:
        """End the file of this hour, if there is one, and sort its index."""
        if self._file is None:
            return
        file, self._file, self._hour = self._file, None, ""
        file.close()
        self._index.close()
        index = Path(self._index.name)
        lines = sorted(index.read_bytes().splitlines(keepends=True))
        whole = index.with_name(f"{index.name}.sorted")
        whole.write_bytes(b"".join(lines))
        whole.replace(index)

    def _open(self, moment: datetime) -> None:
        from warcio.warcwriter import WARCWriter

        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"newsspider-{moment.strftime(STAMP)}-{self.worker}"
        self._index = (self.folder / f"{name}.cdxj").open("x", encoding="utf-8")
        self._file = (self.folder / f"{name}.warc.gz").open("xb", buffering=0)
        self._writer = WARCWriter(self._packed, gzip=True, warc_version="1.1")
        about = {
            "software": f"newsspider {version('newsspider')}",
            "format": "WARC File Format 1.1",
            "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            "robots": self.robots,
        }
        self._hour = moment.strftime(HOUR)
        self._write(self._writer.create_warcinfo_record(f"{name}.warc.gz", about))

    def _write(self, record: Any) -> None:
        """Write a record whole, or not at all, as on a full disk: records after half a one could not be read."""
        self._packed.seek(0)
        self._packed.truncate()
        self._writer.write_record(record)
        offset, rest = self._file.tell(), memoryview(self._packed.getvalue())
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._file.truncate(offset)
            self._file.seek(offset)
            raise
