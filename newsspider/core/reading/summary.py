"""Tells an article in two or three of its own sentences: news says the main thing first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SENTENCES = 3
ENOUGH = 40  # characters that two sentences must lack for a third
PARAGRAPH = 18  # characters from which a line may be a paragraph and not a caption or byline
SHORTEST = 6  # characters of a sentence

_SENTENCE = re.compile(r"[^。！？!?]+(?:[。！？!?]+[”’」』）)]*|$)")
_DATELINE = re.compile(
    r"^(?:[^，。]{0,24}?(?:[讯訊]|\d日[电電])(?:\s*[（(][^）)]{1,40}[）)]\s*|\s+)|[（(〔【][^）)〕】]{0,30}(?:记者|記者|通讯员)[^）)〕】]{0,30}[）)〕】]\s*)"
)
_BESIDE = re.compile(r"^(?:图为|资料图|图片来源|▲|△|原标题|作者|来源|编者按|文[/／]|记者\s)|摄[）)]?$|供图")
_RUNNING = re.compile(r"[。！？!?，,]")


def summary_of(lines: Iterable[str], description: str | None = None, title: str | None = None) -> str:
    """The first two sentences of the text, three where they are short, without dateline and byline; else the page's own description."""
    chosen: list[str] = []
    for sentence in _sentences(line for line in lines if line != title):
        if len(chosen) == SENTENCES or (len(chosen) == SENTENCES - 1 and sum(map(len, chosen)) >= ENOUGH):
            break
        chosen.append(sentence)
    return "".join(chosen) or (description or "")


def _sentences(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if len(line) < PARAGRAPH or _BESIDE.search(line) or not _RUNNING.search(line):
            continue
        for sentence in _SENTENCE.findall(_DATELINE.sub("", line, count=1)):
            if len(text := sentence.strip()) >= SHORTEST:
                yield text
