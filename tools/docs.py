"""Writes the reference pages that follow from the code: ``python tools/docs.py``, or ``make docs``."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import newsspider.core
from newsspider.core.fetching.politeness import DelayReason
from newsspider.core.model import Described, Reason, State

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.settings_page import settings_page

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
NOTE = "<!-- Written by `make docs` from the code. Edit the docstrings, not this page. -->\n"
ROLE = re.compile(r":(?:\w+:)+`~?([^`]+)`")
ENUM_MEMBER = re.compile(r"^    (\w+) = .*?(?:  # (.*))?$", re.MULTILINE)


def core_page() -> str:
    """Every module of ``core`` with its public functions, classes and methods, and the members of its enumerations."""
    lines = [
        NOTE,
        "# `newsspider.core`\n",
        "Plain functions and values: no Scrapy, no database, no network, no clock. "
        "[How to use it as a library](../how-to/use-core-as-a-library.md).\n",
    ]
    for name in sorted(module.name for module in pkgutil.walk_packages(newsspider.core.__path__, "newsspider.core.")):
        lines += _module(importlib.import_module(name))
    return "\n".join(lines).rstrip() + "\n"


def _module(module: ModuleType) -> Iterator[str]:
    yield f"## `{module.__name__}`\n"
    yield _markdown(inspect.getdoc(module) or "") + "\n"
    entries = [line for name, thing in public(module) for line in _entry(name, thing)]
    yield from entries
    if entries:
        yield ""


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The public functions and classes of a module in the order of its text, each class followed by its public methods."""
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__ or not callable(thing):
            continue
        yield name, thing
        if inspect.isclass(thing):
            own = (method for method in vars(thing) if not method.startswith("_"))
            yield from ((f"{name}.{method}", vars(thing)[method]) for method in own if _is_method(vars(thing)[method]))


def _is_method(thing: object) -> bool:
    return isinstance(thing, staticmethod | classmethod) or inspect.isfunction(thing)


def _entry(name: str, thing: Any) -> Iterator[str]:
    target = getattr(thing, "__func__", thing)
    text = _first_paragraph(inspect.getdoc(target) or "")
    yield f"- `{name}{_call(target)}`" + (f": {text}" if text else "")
    if inspect.isclass(target) and issubclass(target, Enum):
        yield from _members(target)


def _members(enumeration: type[Enum]) -> Iterator[str]:
    remarks = dict(ENUM_MEMBER.findall(inspect.getsource(enumeration)))
    for member in enumeration:
        remark = getattr(member, "sentence", "") or remarks.get(member.name, "")
        yield f"    - `{member.value}`" + (f": {remark}" if remark else "")


def _call(target: Callable[..., Any]) -> str:
    if inspect.isclass(target) and issubclass(target, Enum | Exception):
        return ""
    parameters = [parameter for parameter in inspect.signature(target).parameters.values() if parameter.name not in ("self", "cls")]
    return f"({', '.join(map(_parameter, parameters))})"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.default is inspect.Parameter.empty:
        return stars + parameter.name
    default = repr(parameter.default)
    return f"{parameter.name}={default if len(default) <= 30 and ' at 0x' not in default and '<' not in default else '...'}"


def _first_paragraph(text: str) -> str:
    return _markdown(" ".join(text.split("\n\n", maxsplit=1)[0].split()))


def _markdown(text: str) -> str:
    """A docstring as Markdown: without doctests, roles as code, double backticks as single ones."""
    text = text.split("\n>>> ", maxsplit=1)[0].rstrip()
    return ROLE.sub(lambda match: f"`{match[1].removeprefix('newsspider.')}`", text).replace("``", "`")


REASONS = """
Every URL of the ledger is in one state for one reason: the columns `state` and `reason` of [`urls`](tables.md#urls). The stats
count the reasons of settled leases as [`outcome/REASON`](stats.md), `scrapy explain URL` prints both in words, and `urls.detail`
has more: the exception, the target of a redirect, the URL of the article that has the text.

A page that was fetched well once stays `done` when a later visit fails; the reason then tells of that visit. `retry`,
`rate_limited`, `no_robots` and `put_off` are put back to be fetched at `due_at`. `redirect` and `duplicate` are rechecked now and
then, unless an article of their own stands there. What is `done` as a `trap` may be fetched after all once a page like it yields
something: see [`url_patterns`](tables.md#url_patterns).
"""


def reasons_page() -> str:
    """The states and reasons of URLs, and what sets the delay of a host."""
    return "\n".join(
        [
            NOTE,
            f"# States and reasons\n{REASONS}",
            *_words("States", "state", State),
            *_words("Reasons", "reason", Reason),
            *_words("What sets the delay of a host", "`hosts.delay_reason`", DelayReason),
        ]
    )


def _words(heading: str, column: str, words: type[Described]) -> Iterator[str]:
    yield f"## {heading}\n"
    yield from table((column, "meaning"), [(f"`{word}`", word.sentence) for word in words])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


PAGES: dict[str, Callable[[], str]] = {
    "core.md": core_page,
    "reasons.md": reasons_page,
    "settings.md": settings_page,
}


def stale() -> list[str]:
    """The generated pages that are not what the code says now."""
    return [name for name, page in PAGES.items() if not (REFERENCE / name).exists() or (REFERENCE / name).read_text("utf-8") != page()]


def main() -> int:
    for name in stale():
        (REFERENCE / name).write_text(PAGES[name](), "utf-8")
        print(f"docs/reference/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
