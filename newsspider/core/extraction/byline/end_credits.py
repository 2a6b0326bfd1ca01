"""Removes the lines at both ends of a text that only say who wrote it or where it comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from newsspider.core.extraction.byline.source import QUOTED_ACCOUNT

MOST_LINES = 2  # at each end

_LABELLED = re.compile(r"[\W_]*(?:from|source)\s?[:：|｜]\s?[《“]?(?P<name>[^《》“”]{2,30}?)[\W_]*", re.IGNORECASE)
_BRACKETED = re.compile(  # "[宣传部 李红玉]"
    r"[\[【(（〔]\s?(?P<unit>[\u4e00-\u9fff]{2,16})(?P<names>(?:[\s、]+[\u4e00-\u9fff·]{2,8}){1,4})\s?[\]】)）〕]"
)


def without_end_credits(lines: list[str], source: str | None, authors: Sequence[str]) -> list[str]:
    """The lines without those at the beginning and the end that hold nothing but the source or the authors.

    >>> without_end_credits(["开学了。", "[宣传部 李红玉]"], None, ["李红玉"])
    ['开学了。']
    >>> without_end_credits(["开学了。", "[宣传部 李红玉]"], None, [])
    ['开学了。', '[宣传部 李红玉]']
    """
    start, end = 0, len(lines)
    while start < min(MOST_LINES, end - 1) and _is_credit(lines[start], source, authors):
        start += 1
    while end > max(start + 1, len(lines) - MOST_LINES) and _is_credit(lines[end - 1], source, authors):
        end -= 1
    return lines[start:end]


def _is_credit(text: str, source: str | None, authors: Sequence[str]) -> bool:
    """Whether a line names the source or the authors, and nothing else."""
    if match := QUOTED_ACCOUNT.fullmatch(text) or _LABELLED.fullmatch(text):
        return source is not None and match["name"].strip() == source
    bracketed = _BRACKETED.fullmatch(text)
    return bracketed is not None and set(re.split(r"[\s、]+", bracketed["names"].strip("、 "))) <= set(authors)
