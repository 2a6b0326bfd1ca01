"""Summarises an article by its first two or three sentences, because news says the main thing first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from newsspider.core.text.characters import HAN_EXTENDED

SUMMARY_SENTENCES = 3
ENOUGH_LETTERS = 40  # characters that two sentences must lack for a third
SHORTEST_PARAGRAPH = 18  # characters from which a line may be a paragraph and not a caption or byline
SHORTEST_UNENDED = 22  # the same of a line that ends without a mark: shorter ones are subtitles
SHORTEST_SENTENCE = 6  # characters of a sentence

_SENTENCE = re.compile(r"[^。！？!?]+(?:[。！？!?]+[”’」』）)]*|$)")
DATELINE = re.compile(
    r"^(?:[^，。]{0,24}?(?:[讯訊]|\d日[电電])(?:\s*[（(][^）)]{1,40}[）)]\s*|\s+)|[（(〔【][^）)〕】]{0,30}(?:记者|記者|"
    r"通讯员)[^）)〕】]{0,30}[）)〕】]\s*)"
)
_CREDIT_OR_CAPTION = re.compile(
    r"^[（(【\[]?(?:本文)?(?:图为|資料圖|资料图|图片来源|▲|△|原标题|原標題|原题|作者|来源|來源|编者按|文[/／]|记者\s)|摄[）)]?$|供图"
    r"|下[载載][^，。]{0,6}(?:客户端|客戶端|APP)|关注[^，。]{0,12}公众号|(?:长按|扫描?)[^，。]{0,10}二维码|点击[^，。]{0,6}(?:订阅|关注)"
)
_RUNNING = re.compile(r"[。！？!?，,]")
_ENDED = re.compile(r"[。！？!?…][”’」』）)]*$")


def summary_of(lines: Sequence[str], description: str | None = None, title: str | None = None) -> str:
    """The first two sentences of the text without dateline and byline, three if they are short.

    A text that consists of captions, subtitles and lines in another script than the title's gives no sentences; then
    the summary is the page's own description, or else such lines.
    """
    chinese = title is not None and HAN_EXTENDED.search(title) is not None
    sentences = _first_sentences(
        line for line in lines if line != title and _is_paragraph(line) and (not chinese or HAN_EXTENDED.search(line))
    )
    return (
        sentences
        or description
        or _first_sentences(
            line for line in lines if line != title and len(line) >= SHORTEST_PARAGRAPH and _RUNNING.search(line)
        )
    )


def _is_paragraph(line: str) -> bool:
    """Whether a line is a paragraph, and no caption, byline or subtitle."""
    enough = len(line) >= (SHORTEST_PARAGRAPH if _ENDED.search(line) else SHORTEST_UNENDED)
    return enough and _CREDIT_OR_CAPTION.search(line) is None and _RUNNING.search(line) is not None


def _first_sentences(lines: Iterable[str]) -> str:
    sentences = (match.strip() for line in lines for match in _SENTENCE.findall(DATELINE.sub("", line, count=1)))
    chosen: list[str] = []
    for sentence in sentences:
        if len(sentence) < SHORTEST_SENTENCE:
            continue
        if len(chosen) == SUMMARY_SENTENCES or (
            len(chosen) == SUMMARY_SENTENCES - 1 and sum(map(len, chosen)) >= ENOUGH_LETTERS
        ):
            break
        chosen.append(sentence)
    return "".join(chosen)
