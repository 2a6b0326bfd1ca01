"""``scrapy dupes``: finds equal and nearly equal texts."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from newsspider.cli.command import DataCommand, print_record
from newsspider.crawl.wrong_use import wrong_use


class Command(DataCommand):
    """Compares each text with those before it; a text without letters matches none. Prints {id, duplicate_of, kind,
    containment, resemblance} for each; ``duplicate_of`` is the id of the first line of its group, or null.

    ``kind`` is exact if letters and figures are the same (spaces, punctuation and width do not count, but 3.5 is not
    35). Texts below 200 letters that only point to a list or a file also need equal titles, or one of them has none, or
    50 letters and the marks of a reprint. ``kind`` is near for a reprint that was cut, edited, shuffled or
    extended, else null. ``containment`` and ``resemblance`` compare a text with the closest one of its group: the
    larger share of fingerprints that one of the two has of the other, and the share that both have in common. Notices
    on one form with other numbers or names, a shared lead and digests are not duplicates."""

    summary = "Find reprints among JSON lines {id, title, text}"
    usage = "< JSONL"
    examples = """\
  scrapy dupes < articles.jsonl
  scrapy export | scrapy dupes
"""

    def work(self, args: list[str], opts: Namespace) -> int | None:
        if args:
            raise wrong_use("dupes reads its lines from stdin and takes no arguments")
        from newsspider.cli.json_lines import read_records
        from newsspider.core.duplicates.reprints import KnownTexts

        index = KnownTexts()
        ids: list[Any] = []
        for record in read_records(sys.stdin.buffer):
            if record.error:
                print_record({"id": record.id, "error": record.error})
                continue
            ids.append(record.id)
            match = index.add(record.title, record.text)
            like = match.likeness
            print_record(
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
