"""The reference page of the stats, from the comments where they are counted.

A comment ``# stat: meaning`` stands behind the call that counts, or ``# stat NAME: meaning`` above it.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from newsspider.core.crawling.outcome import FAILURES
from newsspider.core.model import Reason

ROOT = Path(__file__).parents[1]
NOTE = "<!-- Written by `make docs` from the code. Edit the comments where the stats are counted, not this page. -->"
BEHIND = re.compile(r'"(\w+/\w+)".*  # stat: (.+)$', re.MULTILINE)
ABOVE = re.compile(r"^( *)# stat (\w+/\w+): (.+(?:\n\1#   .+)*)", re.MULTILINE)
INTRO = """
What newsspider counts during a crawl. Scrapy prints all stats at the end of a crawl ("Dumping Scrapy stats"), its own among them.
A stat that was never counted is not there.

Every settled lease counts in exactly one `outcome/REASON`, whatever happened; the [reasons](reasons.md#reasons) are those of the
ledger. `lists/watched` and `lists/unread` are written once, when a round of watched sites ends by itself, `writer/` when the
crawl ends.
"""


def stats() -> dict[str, tuple[str, str]]:
    """Every stat by its name: what it means, and the file that counts it."""
    stats_by_name = {f"outcome/{reason}": (reason.sentence, "newsspider/crawl/counters.py") for reason in Reason}
    failed, where = "visits that failed, those tried again too", "newsspider/crawl/counters.py"
    stats_by_name |= {f"errors/{reason}": (f"{failed}: {reason.sentence}", where) for reason in FAILURES}
    for path in sorted((ROOT / "newsspider").rglob("*.py")):
        text, file = path.read_text("utf-8"), str(path.relative_to(ROOT))
        stats_by_name |= {name: (meaning, file) for name, meaning in BEHIND.findall(text)}
        stats_by_name |= {
            name: (" ".join(re.sub(r"\n *#", "", meaning).split()), file) for _, name, meaning in ABOVE.findall(text)
        }
    return stats_by_name


def stats_page() -> str:
    """Every stat in a table for each group."""
    lines = [NOTE, f"\n# Stats\n{INTRO}"]
    for group, items in groupby(sorted(stats().items()), key=lambda item: item[0].partition("/")[0]):
        lines += [f"## `{group}/`\n", "| stat | meaning | counted in |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {meaning} | `{file}` |" for name, (meaning, file) in items]
        lines += [""]
    return "\n".join(lines)
