"""``scrapy dupes``: finds equal and nearly equal texts."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from newsspider.cli.command import DataCommand, emit
from newsspider.crawl.wrong_use import wrong_use


class Command(DataCommand):
    """Compares each text with those before it; a text without letters matches none. Back comes {id, duplicate_of, kind,
    containment, resemblance}, with the id of the first line of its group, or null.

    ``kind`` is exact where the letters and figures are the same (spaces, punctuation and width make no difference, but
    3.5 is not 35); texts below 200 letters that point to a list or a file (见附件) also need the same title, or one
    without a title, or 50 letters and what makes a reprint. It is near for a reprint that was cut, edited, shuffled or
    added to, else null. ``containment`` is the share of the smaller text's fingerprints that the closest text of the
    group has, or the other way round; ``resemblance`` the share of those of both together. Notices on one form with
    other numbers or names, a shared lead and digests are not the same."""

    summary = "Find reprints among JSON lines {id, title, text}"
    usage = "< JSONL"
    examples = """\
  scrapy dupes < articles.jsonl
  scrapy export | scrapy dupes
"""

    def work(self, args: list[str], opts: Namespace) -> int | None:
        if args:
            raise wrong_use("dupes reads its lines from stdin and takes no arguments")
        from newsspider.cli.json_lines import records
        from newsspider.core.duplicates.known_texts import KnownTexts
        from newsspider.pipelines.fingerprint import method_of

        index = KnownTexts(method_of(self.settings))
        ids: list[Any] = []
        for record in records(sys.stdin):
            if record.error:
                emit({"id": record.id, "error": record.error})
                continue
            ids.append(record.id)
            match = index.add(record.title, record.text)
            like = match.likeness
            emit(
                {
                    "id": record.id,
                    "duplicate_of": ids[match.first] if like else None,
                    "kind": ("exact" if match.exact else "near") if like else None,
                    "containment": round(like.containment, 4) if like else 0.0,
                    "resemblance": round(like.resemblance, 4) if like else 0.0,
                }
            )
            sys.stdout.flush()
        return None
