"""Writes the reference pages that follow from the code: ``python tools/docs.py``, or ``make docs``."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import Column, Index, Table

import newsspider.core
from newsspider.core.article_fields import FIELDS, OF_PAGE, READ
from newsspider.core.fetching.politeness import DelayReason
from newsspider.core.model import Described, Reason, State
from newsspider.store.articles.export import DERIVED
from newsspider.store.tables import metadata
from newsspider.store.tables.columns import Json, Moment, Number, Seconds

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.settings_page import settings_page
from tools.stats_page import stats_page

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
        lines += _module(import_module(name))
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


ARTICLES = """
An article is one record: a row of the table [`articles`](tables.md#articles) and one line of `scrapy export`. `scrapy extract`
prints those of its fields that the reader reads on the page. The [JSON Schema](article.schema.json) describes a line of the export.
"""


def articles_page() -> str:
    """The fields of an article, as declared in ``core/model.py``, and those that the export adds."""
    rows = [
        (f"`{name}`", f"`{field.key}`", "page" if name in OF_PAGE else "", field.declared.meaning)
        for name, field in FIELDS.items()
    ]
    derived = [("", f"`{name}`", "", field.meaning) for name, field in DERIVED.items()]
    head = ("column", "in the export", "read on the", "meaning")
    return "\n".join([NOTE, f"# Articles\n{ARTICLES}", *table(head, [*rows, *derived])])


def article_schema() -> str:
    """The JSON Schema of a line of ``scrapy export``."""
    properties = {"id": {"type": "integer", "description": "its number, which it keeps"}}
    properties |= {field.key: field.schema for field in FIELDS.values()}
    properties["parts"]["items"] = {"type": "string"}
    properties |= {name: {**field.schema, "description": field.meaning} for name, field in DERIVED.items()}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A line of scrapy export", "type": "object",
        "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


TABLES = """
The store is one database: SQLite in WAL mode, or PostgreSQL with the same tables. You may read it with any tool, also during a crawl;
write to it with the commands only. A store of an earlier release is upgraded when it is opened; one from before the first release is
refused.

A *key* is the signed 64-bit number of a canonical URL ([`url_key`](core.md#newsspidercoreurl)); tables can be joined by their keys. A
*moment* is a number of seconds since the epoch (UTC), *JSON* a text that holds a list or an object, "empty" NULL or an empty text.
`published_at`, `modified_at` and `crawled_at` of articles are ISO 8601 with an offset.
"""
KINDS = (("moment", Moment), ("seconds", Seconds), ("number", Number), ("JSON", Json))


def tables_page() -> str:
    """Every table and view with its columns and indexes."""
    lines = [NOTE, f"# Tables\n{TABLES}"]
    for one in metadata.tables.values():
        lines += _table(one)
    for view in import_module("newsspider.store.migrations.versions.0100_first_release").VIEWS:
        lines += _view(" ".join(view.split()))
    return "\n".join(lines)


def _table(one: Table) -> Iterator[str]:
    keys = ", ".join(f"`{column.name}`" for column in one.primary_key)
    parents = sorted({f"`{key.column.table.name}`" for key in one.foreign_keys})
    yield f"## `{one.name}`\n"
    yield f"{one.info['meaning']} Primary key: {keys}." + (f" Rows go with those of {' and '.join(parents)}." if parents else "") + "\n"
    yield from table(("column", "type", "meaning"), [(f"`{column.name}`", _kind(column), column.doc or "") for column in one.columns])
    indexes = [_index(index) for index in sorted(one.indexes, key=lambda index: str(index.name))]
    if indexes:
        yield f"Indexes: {'; '.join(indexes)}.\n"


def _kind(column: Column[Any]) -> str:
    named = next((name for name, kind in KINDS if column.type is kind), str(column.type.compile()).lower())
    named = {"float": "number", "bigint": "integer", "smallint": "integer", "blob": "bytes"}.get(named, named)
    return named + (" or empty" if column.nullable else "")


def _index(index: Index) -> str:
    columns = ", ".join(str(column).rpartition(".")[2] for column in index.expressions)
    where = index.dialect_options["sqlite"]["where"]
    return f"`{index.name}` ({columns}{'' if where is None else f'; where `{where}`'})"


def _view(sql: str) -> Iterator[str]:
    _, name, columns, _ = re.fullmatch(r"(CREATE VIEW (\w+) AS SELECT )(.*)( FROM .*)", sql).groups()
    parts = re.split(r", (?![^(]*\))", columns)
    yield f"## `{name}`\n\nA view for users of the tables of classical focused crawlers.\n"
    pairs = (part.rpartition(" AS ") for part in parts)
    yield from table(("column", "is"), [(f"`{column.strip(chr(34))}`", f"`{source or column}`") for source, _, column in pairs])


RECORDS = '''"""The records of articles as types. Written by ``make docs`` from the declaration of their fields; edit that."""

from __future__ import annotations

from typing import Annotated, TypedDict

MOMENT = "ISO 8601 with an offset"
Moment = Annotated[str, MOMENT]


class ImageRecord(TypedDict):
    """A picture of an article."""

    url: str
    caption: str


class ArticleRecord(TypedDict):
    """What was read on a page, ready for JSON; moments are ISO 8601 with their offset."""

    url: str
{read}
    keywords: list[str]
    charset: str
    charset_reason: str
    kind: str
    kind_probability: float
    truncated: bool


class StoredRecord(TypedDict):
    """What the store knows of an article; docs/reference/articles.md says what each field means."""

    id: int
{stored}
'''
PYTHON_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def records_module() -> str:
    """The types of the records that ``newsspider`` gives as a library."""
    read = [f"    {FIELDS[name].key}: {_annotation(name, FIELDS[name].schema, read=True)}" for name in READ]
    fields = {field.key: field.schema for field in FIELDS.values()} | {name: field.schema for name, field in DERIVED.items()}
    stored = [f"    {name}: {_annotation(name, schema)}" for name, schema in fields.items()]
    return RECORDS.format(read="\n".join(read), stored="\n".join(stored))


def _annotation(name: str, schema: dict[str, Any], *, read: bool = False) -> str:
    if name == "images":
        return "list[ImageRecord]"
    if schema["type"] == "array":
        return "list[str]"
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    of = "Moment" if name.endswith("_at") and not read else PYTHON_TYPES[kinds[0]]
    maybe = "null" in kinds or (read and of == "str")
    return f"{of} | None" if maybe and name != "body_md5" else of


PAGES: dict[str, Callable[[], str]] = {
    "../../newsspider/library/records.py": records_module,
    "articles.md": articles_page,
    "article.schema.json": article_schema,
    "core.md": core_page,
    "reasons.md": reasons_page,
    "settings.md": settings_page,
    "stats.md": stats_page,
    "tables.md": tables_page,
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
