"""The languages of the console: Chinese as it is written in the templates, and English beside it.

Sentences of newsspider are known by their English, with places for their values, and not by gettext: what raises them
knows no languages, and a test names each sentence that has no Chinese, as after it was reworded."""

from __future__ import annotations

import re
from functools import cache

from newsspider.hooks import folders

LANGUAGES = {"zh": "中文", "en": "English"}
VALUE = re.compile(r"\{(?:\.\.\.)?\}")  # of a sentence; {...} is a sentence itself
QUOTED = re.compile(r"(['\"])(.*)\1", re.DOTALL)
LONGEST_SENTENCE = 1000  # characters of a sentence; a longer one has a value that somebody made up


def translate_text(text: str, language: str) -> str:
    """A text of a template in this language; Chinese where nobody has translated it.

    >>> translate_text("今日", "en"), translate_text("今日", "zh")
    ('Today', '今日')
    """
    return _table("english.tsv").get(text, text) if language == "en" else text


def name_of(code: str, language: str) -> str:
    """What people call a code of the store (a state, a reason, a class of media, a kind of page).

    >>> name_of("off_topic", "zh"), name_of("off_topic", "en")
    ('与主题无关', 'off topic')
    """
    return _table("codes.tsv").get(code, code) if language == "zh" else code.replace("_", " ")


def field_name(field: str, language: str) -> str:
    """What people call a field of the audit trail.

    >>> field_name("next_page", "zh"), field_name("next_page", "en")
    ('下一页', 'next page')
    """
    return _table("fields.tsv").get(field, field) if language == "zh" else field.replace("_", " ")


def localise_message(sentence: str, language: str) -> str:
    """A sentence of newsspider, for one an error, in this language, with its values; as it is if it is very long, or
    nobody has translated it.

    >>> localise_message("the query, at character 5: a word is missing at the end", "zh")
    '检索式第 5 个字起：最后少一个词'
    >>> localise_message("there is no site 'X'", "zh"), localise_message("there is no site 'X'", "en")
    ('没有站点“X”', "there is no site 'X'")
    """
    if language != "zh" or len(sentence) > LONGEST_SENTENCE:
        return sentence
    for pattern, chinese in _sentences():
        if match := pattern.fullmatch(sentence):
            inner = {name: localise_message(value, language) for name, value in match.groupdict().items()}
            values = [inner.get(f"part{number}", value) for number, value in enumerate(match.groups())]
            return chinese.format(*(QUOTED.sub(r"“\2”", value) for value in values))
    return name_of(sentence, language)


@cache  # cache: a few hundred patterns
def _sentences() -> list[tuple[re.Pattern[str], str]]:
    """Those that begin with a value last, else those with the most letters of their own first."""
    table = _table("sentences.tsv")
    ordered = sorted(table, key=lambda english: (english.startswith("{}"), -len(VALUE.sub("", english))))
    return [(re.compile(_pattern(english), re.DOTALL), table[english]) for english in ordered]


def _pattern(english: str) -> str:
    """Each value ends at the first place where what stands behind it does: no other choice is tried (atomic groups), so
    matching takes time in proportion to the sentence."""
    begin, *others = map(re.escape, VALUE.split(english))
    values = [
        "(.*?)" if value == "{}" else f"(?P<part{number}>.*?)" for number, value in enumerate(VALUE.findall(english))
    ]
    parts = list(map("".join, zip(values, others, strict=True)))
    return "".join([begin, *(f"(?>{part})" for part in parts[:-1]), *parts[-1:]])


@cache  # cache: four small tables
def _table(name: str) -> dict[str, str]:
    """That of the console with those of plug-ins, which replace none of its texts."""
    files = (folder / name for folder in reversed(folders("texts")))
    lines = (line for file in files if file.is_file() for line in file.read_text("utf-8").splitlines())
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))
