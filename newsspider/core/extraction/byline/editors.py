"""Reads the editors of an article: who signed for the page, not who wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from newsspider.core.extraction.body.nearby_lines import ABOVE, Surroundings
from newsspider.core.extraction.byline.source import SHORT_LINE
from newsspider.core.extraction.lines.person_names import is_latin_name, is_pen_name, is_person, unspaced

MOST_EDITORS = 4
# lines of the text in which the editor may sign below the writer, and characters of such a line
OPENING, SIGNED = 4, 24
_EDITOR = re.compile(
    r"(?<![总主])(?:(?:责任|責任|执行|值班|本文|网络|新媒体|栏目|文字)?(?:编辑|編輯)|责编|責編|选稿)"
    r"(?:[/／][\u4e00-\u9fff]{2,4})?\s?[:：︰﹕/／|｜丨]\s?[(（]?"
    r"(?P<names>(?:(?!\s(?:责任|責任)?(?:编辑|編輯|责编|責編))[^:：︰﹕(（)）\]】\n。；;|｜]){2,40})"
)
_BARE_EDITOR = re.compile(
    r"(?<![\u4e00-\u9fff])(?:(?:责任|責任)?(?:编辑|編輯)|责编|責編)\s(?P<name>[\u4e00-\u9fff]{2,4})(?![\u4e00-\u9fff])"
)
_ON_DUTY = re.compile(r"责任编辑|責任編輯|责编|責編")
_BREAK = re.compile(r"[\s、,，/／&＆]+")
_CODE = re.compile(r"[_ -]?[A-Z]{1,5}\d{2,}$")  # the editor's number in the newsroom's system


def editors_of(around: Surroundings) -> tuple[str, ...]:
    """The duty editors that the page names, in its order.

    They usually stand below the text, in Taiwan in brackets after its last sentence, on some sites above it. The
    responsible editors (责任编辑) come before others.
    """
    opening = (text for text in around.body_lines[:OPENING] if len(text) < SIGNED and _EDITOR.match(text))
    texts = (*around.below, *reversed(around.body_lines[-2:]), *around.above, *opening)
    for text in sorted(texts, key=lambda text: _ON_DUTY.search(text) is None):
        named = sorted(
            _EDITOR.finditer(text if len(text) < ABOVE else text[-SHORT_LINE:]),
            key=lambda match: _ON_DUTY.match(match[0]) is None,
        )
        if names := tuple(dict.fromkeys(name for match in named for name in _editors(match["names"]))):
            return names[:MOST_EDITORS]
        if (bare := _BARE_EDITOR.search(text)) and len(text) < SHORT_LINE and is_person(bare["name"]):
            return (bare["name"],)
    return ()


def _editors(text: str) -> Iterator[str]:
    """The names behind the label, up to the first part that is no name: the next label, a number."""
    if is_latin_name(text.strip()):
        yield text.strip()
        return
    for place, part in enumerate(_BREAK.split(unspaced(text.strip()))):
        name = _CODE.sub("", part).removeprefix("实习生")
        if not is_pen_name(name) or (place and not is_person(name)):
            return
        yield name
