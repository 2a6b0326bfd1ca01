"""The reference page of ``newsspider.core``, from its docstrings."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

import newsspider.core
from tools.markdown import NOTE, first_paragraph, markdown

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
        lines += _module(import_module(name))
    return "\n".join(lines).rstrip() + "\n"


def _module(module: ModuleType) -> Iterator[str]:
    yield f"## `{module.__name__}`\n"
    yield markdown(inspect.getdoc(module) or "") + "\n"
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
    text = first_paragraph(inspect.getdoc(target) or "")
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
