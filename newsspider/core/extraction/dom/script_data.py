"""Reads the data that a page carries for its scripts: JSON blocks, variables, escaped strings, Nuxt's functions. What
WeChat's scripts say is read in ``core/extraction/body/user_posts.py``.

Nothing is run. A value is JSON, or a literal of JavaScript, whose keys and strings need no double quotation marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any
from urllib.parse import unquote

from lxml.html import HtmlElement

from newsspider.core.extraction.dom.page import Page

MOST_VALUES = 40  # of one page
MOST_TRIED = 1_000  # assignments of one script: the decoder's error costs a count of all lines before it
LONGEST_VALUE = 2_000_000  # characters of one value
DEEPEST_VALUE = 60  # values within values
SHORTEST_VALUE = 40  # characters of a value that says something

_ASSIGNED = re.compile(r"""[\w$\])"']\s*=\s*(?=[{\[]|JSON\.parse\(|\(function\()""")
_PARSED = re.compile(r"""JSON\.parse\(\s*(?:decodeURIComponent\(\s*)?(?=["'])""")
_FUNCTION = re.compile(r"\(function\(([\w$,\s]{0,4000})\)\s*\{\s*return\s*(?=[{\[])")
_END_OF_FUNCTION = re.compile(r"\s*;?\s*\}\s*\)?\s*\(")
_TOKEN = re.compile(
    r"""\s*+(?:([{}\[\],:])|"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)'|(-?\d[\d.eE+-]*+)|(!?[\w$.]++(?:\s\d)?+))""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
_WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None, "undefined": None, "!0": True, "!1": False}
_DECODER = json.JSONDecoder(strict=False)


def script_values(page: Page) -> Iterator[Any]:
    """The objects and lists in the scripts and hidden fields of a page, in order."""
    remaining = MOST_VALUES
    for element in page.tree.iter("script", "textarea"):
        for value in _values(element):
            yield value
            remaining -= 1
            if not remaining:
                return


def with_packed_data(page: Page) -> Page:
    """The page with its packed data (URL-encoded, a string for ``JSON.parse``, or in a hidden field) written out in a
    further script; the same page if it has none."""
    values = [value for element in page.tree.iter("script", "textarea") for value in _packed(element)]
    if not values:
        return page
    written = json.dumps(values[:MOST_VALUES], ensure_ascii=False).replace("</", "<\\/")
    return replace(page, text=f"{page.text}<script>{written}</script>")


def read_literal(text: str, at: int = 0, names: Mapping[str, Any] = _WORDS) -> tuple[Any, int]:
    """The JSON or JavaScript literal at a place of a text, and where it ends; raises :exc:`ValueError`. ``names`` are
    the words that stand for values.

    >>> read_literal("{a: 'b', c: [1, x,]}", names={"x": 2})
    ({'a': 'b', 'c': [1, 2]}, 20)
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return _Literal(text, names).value(at, 0)
    return value, end


def _values(element: HtmlElement) -> Iterator[Any]:
    text = (element.text or "").strip()
    if not SHORTEST_VALUE <= len(text) <= LONGEST_VALUE:
        return
    if text[0] == "%":
        text = unquote(text)
    kind = (element.get("type") or "").lower()
    if text[0] in "{[" and ("json" in kind or element.tag == "textarea"):
        value = _value(text)
        yield revived(value) if element.get("id") == "__NUXT_DATA__" and isinstance(value, list) else value
    elif element.tag == "script" and "json" not in kind:
        yield from _assigned(text)


def _packed(element: HtmlElement) -> Iterator[Any]:
    text = (element.text or "").strip()
    if not SHORTEST_VALUE <= len(text) <= LONGEST_VALUE:
        return
    if element.tag == "textarea" or text[0] == "%":
        value = _inner(text) if text[0] in "{[%" else {"content": text}
        if value is not None:
            yield value
    for match in islice(_PARSED.finditer(text), MOST_TRIED) if element.tag == "script" else ():
        if (value := _inner(_value(text, match.end()))) is not None:
            yield value


def _assigned(script: str) -> Iterator[Any]:
    end = tried = 0
    for match in _ASSIGNED.finditer(script):
        if match.end() < end:
            continue
        if tried == MOST_TRIED:
            return
        tried += 1
        at, names = match.end(), _WORDS
        if function := _FUNCTION.match(script, at):
            at, names = function.end(), _arguments(script, function)
        if parsed := _PARSED.match(script, at):
            value = _inner(_value(script, parsed.end()))
        else:
            value, end = _literal_at(script, at, names)
        if isinstance(value, dict | list) and value:
            yield value


def _inner(text: Any) -> Any:
    if not isinstance(text, str):
        return None
    return _value(unquote(text) if text[:1] == "%" else text)


def _arguments(script: str, function: re.Match[str]) -> Mapping[str, Any]:
    """The values of a function's parameters: those of its call, which stands behind its body."""
    names = [name.strip() for name in function[1].split(",")]
    _, end = _literal_at(script, function.end(), dict.fromkeys(names))
    call = _END_OF_FUNCTION.match(script, end)
    if call is None:
        return _WORDS
    close = script.rfind(")", call.end())
    values, _ = _literal_at(f"[{script[call.end() : close].rstrip(')')}]", 0, _WORDS)
    return {**_WORDS, **dict(zip(names, values if isinstance(values, list) else (), strict=False))}


def _value(text: str, at: int = 0) -> Any:
    return _literal_at(text, at, _WORDS)[0]


def _literal_at(text: str, at: int, names: Mapping[str, Any]) -> tuple[Any, int]:
    try:
        return read_literal(text, at, names)
    except ValueError:
        return None, at


def revived(flat: list[Any]) -> Any:
    """The value that a flat array of Nuxt 3 holds, in which numbers are references to other places.

    >>> revived([{"a": 1}, [2], "x"])
    {'a': ['x']}
    """

    built: dict[int, Any] = {}  # a place that several name is built once

    def value_at(at: Any, depth: int) -> Any:
        if not isinstance(at, int) or not 0 <= at < len(flat) or depth > DEEPEST_VALUE:
            return None
        value = flat[at]
        if at in built or not isinstance(value, dict | list):
            return built.get(at, value)
        if isinstance(value, dict):
            fields: dict[Any, Any] = {}
            built[at] = fields
            fields |= {key: value_at(place, depth + 1) for key, place in value.items()}
        elif value and isinstance(value[0], str):  # ["Reactive", 1]
            built[at] = None
            built[at] = value_at(value[1], depth + 1) if len(value) > 1 else None
        else:
            items: list[Any] = []
            built[at] = items
            items += [value_at(place, depth + 1) for place in value]
        return built[at]

    return value_at(0, 0)


class _Literal:
    """Reads one literal of JavaScript."""

    def __init__(self, text: str, names: Mapping[str, Any]) -> None:
        self.text = text
        self.names = names

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        """The value at a place and where it ends."""
        match = _TOKEN.match(self.text, at)
        if match is None or depth > DEEPEST_VALUE:
            raise ValueError(f"no value at {at}")
        mark, double, single, number, word = match.groups()
        if mark == "{":
            return self._object(match.end(), depth)
        if mark == "[":
            return self._array(match.end(), depth)
        if double is not None or single is not None:
            return unescaped_string(double if single is None else single), match.end()
        if number is not None:
            return _number(number), match.end()
        if word is None:
            raise ValueError(f"no value at {at}")
        return self.names.get(word), match.end()

    def _array(self, at: int, depth: int) -> tuple[list[Any], int]:
        result: list[Any] = []
        while (end := self._closed(at, "]")) is None:
            value, at = self.value(at, depth + 1)
            result.append(value)
            at = self._behind_comma(at, "]")
        return result, end

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        result: dict[str, Any] = {}
        while (end := self._closed(at, "}")) is None:
            key = _TOKEN.match(self.text, at)
            colon = _TOKEN.match(self.text, key.end()) if key else None
            if key is None or key[1] or colon is None or colon[1] != ":":
                raise ValueError(f"no key at {at}")
            result[next(part for part in key.groups() if part is not None)], at = self.value(colon.end(), depth + 1)
            at = self._behind_comma(at, "}")
        return result, end

    def _closed(self, at: int, mark: str) -> int | None:
        match = _TOKEN.match(self.text, at)
        return match.end() if match and match[1] == mark else None

    def _behind_comma(self, at: int, mark: str) -> int:
        match = _TOKEN.match(self.text, at)
        if match and match[1] == ",":
            return match.end()
        if match and match[1] == mark:
            return at
        raise ValueError(f"neither a comma nor {mark} at {at}")


def _number(text: str) -> float | int | None:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return None


def unescaped_string(text: str) -> str:
    """What a string of JavaScript with these characters between its quotation marks says."""
    if "\\" not in text:
        return text
    unescaped = _ESCAPE.sub(
        lambda match: chr(int(match[1] or match[2], 16)) if match[3] is None else _LETTERS.get(match[3], match[3]), text
    )
    return unescaped.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
