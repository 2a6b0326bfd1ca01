"""Tells the language of an article: by the script of its text or, where that says little, as the page declares."""

from __future__ import annotations

import re

from newsspider.core.extraction.dom.page import Page

_HAN = re.compile(r"[\u4e00-\u9fff]+")
_KANA = re.compile(r"[\u3041-\u30ff]+")
_HANGUL = re.compile(r"[\uac00-\ud7af]+")
_NOT_CHINESE = re.compile(r"[\u3041-\u30ff\uac00-\ud7af]")


def language_of(page: Page, title: str | None, text: str) -> str | None:
    """The code of the language, such as ``zh``, of a title and the beginning of a text; ``None`` if it is unknown."""
    sample = f"{title or ''}{text[:600]}"
    if not sample.strip():
        return None
    han = sum(map(len, _HAN.findall(sample)))
    if _NOT_CHINESE.search(sample):
        kana, hangul = (sum(map(len, script.findall(sample))) for script in (_KANA, _HANGUL))
        if kana > 0.15 * (han + kana):
            return "ja"
        if hangul > han:
            return "ko"
    if han * 5 > len(sample):
        return "zh"
    declared = (page.tree.get("lang") or page.metas.get("content-language") or "").strip().lower()[:2]
    return declared if declared.isalpha() and declared != "zh" else "en" if sample.isascii() else None
