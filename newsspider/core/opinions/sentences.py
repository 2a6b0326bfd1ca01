"""Splits comments and articles into sentences; a quotation stays with whom it quotes."""

from __future__ import annotations

import re

SHORTEST, LONGEST = 4, 200  # characters; what is longer is no sentence
# up to a mark that ends it; a quotation ends it only behind a colon
_SENTENCE = re.compile(
    r"(?:“[^”\n]{0,300}”|[^。！？!?…\n])+?(?:(?<=[：:])“[^”\n]{0,300}[。！？!?…]”|[。！？!?…]+[”’）)]*|(?=\n)|$)"
)


def sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order, without those that are too short or too long to judge.

    >>> sentences("“好。”他说。他又说：“不行！”散会了。\\n嗯")
    ['“好。”他说。', '他又说：“不行！”', '散会了。']
    """
    stripped = (part.strip() for part in _SENTENCE.findall(text))
    return [part for part in stripped if SHORTEST <= len(part) <= LONGEST]
