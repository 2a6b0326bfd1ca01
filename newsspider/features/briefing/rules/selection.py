"""Decides what a briefing tells: which titles name a policy document, whether an event that was told has grown, and
whether two sentences say the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from newsspider.sites.model import MediaClass

LEAST_GROWN, SHARE_GROWN = 2, 0.25  # new pages of an event that was told, and their share in those it had then
SAME = 0.5  # pairs of characters that two sentences share, of those of the shorter one

_DOCUMENTS = "通知|意见|办法|规定|条例|方案|规划|纲要|细则|决定|批复|公告|指南"
_NAMED = re.compile(rf"关于[^》]{{2,80}}的?(?:{_DOCUMENTS})(?:[》（(]|$)|(?:{_DOCUMENTS})(?:[（(][^）)]*[）)])?》")
_ENDS = re.compile(rf"(?:{_DOCUMENTS})(?:[（(][^）)]*[）)])?$")


def is_policy(title: str, media_class: str) -> bool:
    """Whether a title names a policy document; that of an office may just end with the word for one.

    >>> is_policy("教育部印发《关于加强体育工作的意见》", "local"), is_policy("家长对食堂有意见", "local")
    (True, False)
    >>> is_policy("2027年招生工作规定", "official"), is_policy("局长调研学校", "official")
    (True, False)
    """
    return _NAMED.search(title) is not None or (media_class == MediaClass.OFFICIAL and _ENDS.search(title) is not None)


def has_grown(pages: int, told: int) -> bool:
    """Whether an event with so many pages is told again, of which ``told`` were there when it was told last.

    >>> has_grown(5, 4), has_grown(6, 4), has_grown(44, 40), has_grown(50, 40)
    (False, True, False, True)
    """
    return pages - told >= max(LEAST_GROWN, SHARE_GROWN * told)


def says_the_same(sentence: str, others: Iterable[str]) -> bool:
    """Whether most of a sentence stands in one of the others, or the other way round.

    >>> says_the_same("杭州一小学昨日起火。", ["昨日，杭州一小学起火！"]), says_the_same("原因不明。", ["杭州一小学起火。"])
    (True, False)
    """
    pairs = set(pairwise(sentence))
    several = (set(pairwise(other)) for other in others)
    return any(len(pairs & other) >= SAME * max(min(len(pairs), len(other)), 1) for other in several)


def adds_to(title: str, sentence: str) -> bool:
    """Whether a sentence says something that the title above it does not.

    >>> adds_to("杭州一小学起火", "杭州一小学起火。"), adds_to("杭州一小学起火", "昨日上午，杭州一小学起火，无人受伤。")
    (False, True)
    """
    pairs = set(pairwise(sentence))
    return len(pairs & set(pairwise(title))) < SAME * len(pairs)
