"""``scrapy dupes``: which texts are the same."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from newsspider.commandline import DataCommand, emit, wrong_use


class Command(DataCommand):
    """Compares each text with those before it, by the MD5 of its letters; a text without any is like no other."""

    examples = """\
  scrapy dupes < articles.jsonl
  scrapy export | scrapy dupes

a line is {id, title, text}; back comes {id, duplicate_of, kind, containment}: the id of the first
line with the same text, or null"""

    def syntax(self) -> str:
        return "< JSONL"

    def short_desc(self) -> str:
        return "Find the same texts among JSON lines {id, title, text}"

    def work(self, args: list[str], opts: Namespace) -> int | None:
        if args:
            raise wrong_use("dupes reads its lines from stdin and takes no arguments")
        from newsspider.core.fingerprint import body_md5, normalised
        from newsspider.records import records

        first: dict[str, Any] = {}
        for record in records(sys.stdin):
            if record.error:
                emit({"id": record.id, "error": record.error})
                continue
            fingerprint = body_md5(record.text) if normalised(record.text) else None
            if fingerprint is not None and fingerprint in first:
                emit({"id": record.id, "duplicate_of": first[fingerprint], "kind": "exact", "containment": 1.0})
            else:
                emit({"id": record.id, "duplicate_of": None, "kind": None, "containment": 0.0})
                if fingerprint is not None:
                    first[fingerprint] = record.id
            sys.stdout.flush()
        return None
