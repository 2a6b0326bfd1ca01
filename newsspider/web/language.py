"""The languages of the console: Chinese as it is written in the templates, and English beside it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

LANGUAGES = {"zh": "中文", "en": "English"}
TEXTS = Path(__file__).parent / "texts"


def translated(text: str, language: str) -> str:
    """A text of a template in this language; Chinese where nobody has translated it.

    >>> translated("今日", "en"), translated("今日", "zh")
    ('Today', '今日')
    """
    return _table("english.tsv").get(text, text) if language == "en" else text


def name_of(code: str, language: str) -> str:
    """What people call a code of the store (a state, a reason, a class of media, a kind of page).

    >>> name_of("off_topic", "zh"), name_of("off_topic", "en")
    ('与主题无关', 'off topic')
    """
    return _table("codes.tsv").get(code, code) if language == "zh" else code.replace("_", " ")


@cache  # cache: two small tables
def _table(name: str) -> dict[str, str]:
    lines = (TEXTS / name).read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))
