"""What follows from the fields of an article: the reference page, the JSON Schema, the types of the library."""

from __future__ import annotations

import json
from typing import Any

from newsspider.core.model import ARTICLE_FIELDS, PAGE_FIELDS, READ_FIELDS
from newsspider.store.articles.article_records import DERIVED
from tools.markdown import NOTE, table

ARTICLES = """
An article is one record: a row of the table [`articles`](tables.md#articles) and one line of `scrapy export`. `scrapy extract`
prints those of its fields that the reader reads on the page. The [JSON Schema](article.schema.json) describes a line of the export.
"""


def articles_page() -> str:
    """The fields of an article, as declared in ``core/model.py``, and those that the export adds."""
    rows = [
        (f"`{name}`", f"`{field.key}`", "page" if name in PAGE_FIELDS else "", field.declared.meaning)
        for name, field in ARTICLE_FIELDS.items()
    ]
    derived = [("", f"`{name}`", "", field.meaning) for name, field in DERIVED.items()]
    head = ("column", "in the export", "read on the", "meaning")
    return "\n".join([NOTE, f"# Articles\n{ARTICLES}", *table(head, [*rows, *derived])])


def article_schema() -> str:
    """The JSON Schema of a line of ``scrapy export``."""
    properties = {"id": {"type": "integer", "description": "its number, which it keeps"}}
    properties |= {field.key: field.schema for field in ARTICLE_FIELDS.values()}
    properties["parts"]["items"] = {"type": "string"}
    properties |= {name: {**field.schema, "description": field.meaning} for name, field in DERIVED.items()}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of scrapy export",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


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
    read = [
        f"    {ARTICLE_FIELDS[name].key}: {_annotation(name, ARTICLE_FIELDS[name].schema, read=True)}"
        for name in READ_FIELDS
    ]
    fields = {field.key: field.schema for field in ARTICLE_FIELDS.values()} | {
        name: field.schema for name, field in DERIVED.items()
    }
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
