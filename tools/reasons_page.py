"""The reference page of states and reasons, from the sentences that they carry."""

from __future__ import annotations

from collections.abc import Iterator

from newsspider.core.fetching.politeness import DelayReason
from newsspider.core.model import Described, Reason, State
from tools.markdown import NOTE, table

REASONS = """
Every URL of the ledger is in one state for one reason: the columns `state` and `reason` of [`urls`](tables.md#urls). The stats
count the reasons of settled leases as [`outcome/REASON`](stats.md), `scrapy explain URL` prints both in words, and `urls.detail`
has more: the exception, the target of a redirect, the URL of the article that has the text.

A page that was fetched well once stays `done` when a later visit fails; the reason then tells of that visit. `retry`,
`rate_limited`, `no_robots` and `put_off` are put back to be fetched at `due_at`. `redirect` and `duplicate` are rechecked now and
then, unless an article of their own stands there. What is `done` as a `trap` may be fetched after all once a page like it yields
something: see [`url_patterns`](tables.md#url_patterns).
"""


def reasons_page() -> str:
    """The states and reasons of URLs, and what sets the delay of a host."""
    return "\n".join(
        [
            NOTE,
            f"# States and reasons\n{REASONS}",
            *_words("States", "state", State),
            *_words("Reasons", "reason", Reason),
            *_words("What sets the delay of a host", "`hosts.delay_reason`", DelayReason),
        ]
    )


def _words(heading: str, column: str, words: type[Described]) -> Iterator[str]:
    yield f"## {heading}\n"
    yield from table((column, "meaning"), [(f"`{word}`", word.sentence) for word in words])
