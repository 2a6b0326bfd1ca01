"""One TOML table while it is read: hands out proven values and collects what is wrong with the others."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, TypeVar

import ada_url

from newsspider.sites.model import HEAVIEST, LIGHTEST
from newsspider.sites.xpath import xpath_problem

LONGEST_NAME = 80
LONGEST_DELAY_SECONDS = 3600.0

Choice = TypeVar("Choice", bound=StrEnum)


class Table:
    """One TOML table while it is read: collects the problems, and knows at the end which keys nobody asked for."""

    def __init__(self, values: dict[str, Any], prefix: str = "", problems: list[tuple[str, str]] | None = None) -> None:
        self.values = values
        self.prefix = prefix
        self.problems = [] if problems is None else problems
        self.asked: set[str] = set()

    def bad(self, key: str, reason: str) -> None:
        self.problems.append((self.prefix + key, reason))

    def take(self, key: str) -> Any:
        self.asked.add(key)
        return self.values.get(key)

    def finish(self) -> None:
        for key in self.values.keys() - self.asked:
            self.bad(key, f"is not a key; known are {', '.join(sorted(self.asked))}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self.take(key)
        if value is None and default is not None:
            return default
        if value is None:
            self.bad(key, "is missing")
        elif not isinstance(value, str):
            self.bad(key, f"must be a text, not {value!r}")
        elif not value.strip():
            self.bad(key, "is empty")
        else:
            return value.strip()
        return default or ""

    def name(self) -> str:
        name = self.text("name")
        if len(name) > LONGEST_NAME or not name.isprintable():
            self.bad("name", f"must be one line of at most {LONGEST_NAME} characters")
        return name

    def url(self, key: str) -> str:
        text = self.text(key)
        if text and not is_web_url(text):
            self.bad(key, f"{text!r} is not an http or https URL")
        return text

    def weight(self, default: int | None) -> int:
        value = self.take("weight")
        if value is None and default is not None:
            return default
        if value is None:
            self.bad("weight", "is missing")
        elif type(value) is int and LIGHTEST <= value <= HEAVIEST:
            return value
        else:
            self.bad("weight", f"must be a whole number from {LIGHTEST} to {HEAVIEST}, not {value!r}")
        return LIGHTEST

    def delay(self) -> float | None:
        value = self.take("delay_seconds")
        if value is None:
            return None
        if type(value) in (int, float) and 0 <= value <= LONGEST_DELAY_SECONDS:
            return float(value)
        self.bad("delay_seconds", f"must be a number from 0 to {LONGEST_DELAY_SECONDS:g}, not {value!r}")
        return None

    def switch(self, key: str, default: bool) -> bool:
        value = self.take(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.bad(key, f"must be true or false, not {value!r}")
        return default

    def choice(self, key: str, choices: type[Choice], default: Choice | None) -> Choice:
        word = self.text(key, default)
        if word in set(choices):
            return choices(word)
        if word:
            self.bad(key, f"must be one of {', '.join(choices)}, not {word!r}")
        return next(iter(choices))

    def pattern(self, key: str) -> re.Pattern[str] | None:
        text = self.text(key, "")
        try:
            return re.compile(text) if text else None
        except re.error as error:
            self.bad(key, f"{text!r} is not a regular expression: {error}")
            return None

    def xpath(self, key: str) -> str | None:
        text = self.text(key, "")
        return self.proven(key, text) if text else None

    def regions(self) -> tuple[str, ...]:
        values = self.take("regions")
        if values is None:
            return ()
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            self.bad("regions", f"must be a list of XPaths, not {values!r}")
            return ()
        return tuple(self.proven(f"regions[{number}]", value, elements=True) for number, value in enumerate(values, 1))

    def proven(self, key: str, text: str, elements: bool = False) -> str:
        reason = xpath_problem(text, elements)
        if reason:
            self.bad(key, f"{text!r} {reason}")
        return text

    def table(self, key: str) -> Table:
        value = self.take(key)
        if value is not None and not isinstance(value, dict):
            self.bad(key, f"must be a table, not {value!r}")
            value = None
        return Table(value or {}, f"{self.prefix}{key}.", self.problems)

    def tables(self, key: str) -> list[Table]:
        values = self.take(key)
        if values is None:
            return []
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            self.bad(key, f"must be tables, written [[{key}]]")
            return []
        return [Table(value, f"{key}[{number}].", self.problems) for number, value in enumerate(values, 1)]


def is_web_url(text: str) -> bool:
    """Whether a text is an absolute http or https URL without user and password.

    >>> is_web_url("https://www.example.cn/edu/"), is_web_url("ftp://example.cn/"), is_web_url("www.example.cn")
    (True, False, False)
    """
    try:
        url = ada_url.URL(text)
    except ValueError:
        return False
    return url.protocol in ("http:", "https:") and not url.username and not url.password
