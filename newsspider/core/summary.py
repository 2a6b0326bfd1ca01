"""Tells an article in two or three of its own sentences: news says the main thing first."""

from __future__ import annotations

import re
from collections.abc import Iterable

SENTENCES = 3
CHARACTERS = 220  # a third sentence is left out if it would make the summary longer
PARAGRAPH = 18  # characters from which a line may be a paragraph and not a caption or byline

_SENTENCE = re.compile(r"[^。！？!?]+(?:[。！？!?]+[”’」』）)]*|$)")
_DATELINE = re.compile(
    r"^(?:[^，。]{0,24}?(?:[讯訊]|\d日[电電])(?:\s*[（(][^）)]{1,40}[）)]\s*|\s+)|[（(〔【][^）)〕】]{0,30}(?:记者|記者|通讯员)[^）)〕】]{0,30}[）)〕】]\s*)"
)
_BESIDE = re.compile(r"^(?:图为|资料图|图片来源|▲|△|原标题|作者|来源|编者按|文[/／]|记者\s)|摄[）)]?$|供图")


def summary_of(lines: Iterable[str], description: str | None = None, title: str | None = None) -> str:
    """The first two or three sentences of the text, without dateline and byline; else the page's own description."""
    chosen: list[str] = []
    length = 0
    for line in lines:
        if len(line) < PARAGRAPH or _BESIDE.search(line) or line == title or not re.search("[。！？!?，,]", line):
            continue
        for sentence in _SENTENCE.findall(_DATELINE.sub("", line, count=1)):
            text = sentence.strip()
            if len(text) < 6:
                continue
            if (len(chosen) >= 2 and length + len(text) > CHARACTERS) or length > CHARACTERS:
                return "".join(chosen)
            chosen.append(text)
            length += len(text)
            if len(chosen) == SENTENCES:
                return "".join(chosen)
    return "".join(chosen) or (description or "")
