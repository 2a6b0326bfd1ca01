"""Derives the stored fields from their declarations in :class:`~newsspider.core.model.StoredArticle`.

The columns of the store, the export, its JSON Schema, revisions and the reference all derive from :data:`FIELDS`.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import datetime
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from newsspider.core.model import Article, Image, PageType, Part, Stored, StoredArticle

JSON_TYPES = {int: "integer", float: "number", bool: "boolean", Image: "object", Part: "object"}  # others are strings


class ArticleField(NamedTuple):
    """A stored field: its name, its declaration, and its type, which is that of the items if it is a list."""

    name: str
    declared: Stored
    type: type
    is_list: bool = False
    is_optional: bool = False

    @property
    def key(self) -> str:
        """Its name in JSON."""
        return self.declared.exported_as or self.name

    @property
    def schema(self) -> dict[str, Any]:
        """What its value is in JSON, in the terms of JSON Schema."""
        name = JSON_TYPES.get(self.type, "string")
        if self.is_list:
            return {"type": "array", "items": {"type": name}, "description": self.declared.meaning}
        kind = [name, "null"] if self.is_optional or self.declared.unique else name
        moment = {"format": "date-time"} if self.type is datetime else {}
        return {"type": kind, **moment, "description": self.declared.meaning}


def field_of(name: str, hint: Any) -> ArticleField:
    """A field by its annotation.

    >>> field_of("tags", Annotated[tuple[str, ...], Stored("its tags")]).schema
    {'type': 'array', 'items': {'type': 'string'}, 'description': 'its tags'}
    """
    of, declared = get_args(hint)
    is_list = get_origin(of) is tuple
    kinds = [kind for kind in get_args(of) or (of,) if kind not in (NoneType, Ellipsis)]
    return ArticleField(name, declared, kinds[0], is_list, NoneType in get_args(of))


def plain(value: Any) -> Any:
    """The value of a field as JSON has it.

    >>> plain((Image("http://a.cn/1.jpg"),))
    [{'url': 'http://a.cn/1.jpg', 'caption': ''}]
    """
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return [asdict(item) if isinstance(item, Image | Part) else item for item in value]
    return value.value if isinstance(value, PageType) else value


_hints = get_type_hints(StoredArticle, localns={"Fingerprints": object, "PageResult": object}, include_extras=True)
FIELDS = {name: field_of(name, hint) for name, hint in _hints.items() if get_origin(hint) is Annotated}
MOMENTS = tuple(name for name, field in FIELDS.items() if field.type is datetime)
REVISED = tuple(name for name, field in FIELDS.items() if field.declared.revised)
OF_PAGE = tuple(field.name for field in fields(Article) if field.name in _hints)  # the reader reads them on the page
CORRECTABLE = (  # a spider may give them a value of its own
    *(name for name in OF_PAGE if name in FIELDS and name != "canonical_url"),
    "keywords",
    "kind",
    "attachments",
    "channel",
    "media_class",
    "site",
)
READ = tuple(name for name in OF_PAGE if name in FIELDS and FIELDS[name].declared.read)  # and printed
