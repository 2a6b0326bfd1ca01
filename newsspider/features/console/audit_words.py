"""Describes in words what a change of the audit trail changed."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from newsspider.features.console.language import field_name, name_of

CODED = frozenset(("role", "scope", "verdict", "kind"))  # fields whose values are codes
LONGEST_IN_LINE = 200  # characters of a value that stands in the line of its change


class FieldChange(NamedTuple):
    """A field that a change is about: what it was and what it is; empty: nothing. One without a name is the subject
    itself, such as the file of a site."""

    name: str
    before: str
    after: str

    @property
    def is_long(self) -> bool:
        """Whether it is shown only on request."""
        text = self.before + self.after
        return len(text) > LONGEST_IN_LINE or "\n" in text


def field_changes(before: str, after: str, language: str) -> list[FieldChange]:
    """The fields of two JSON texts of the audit trail that differ; those that the change left empty stay out.

    >>> field_changes('{"role": "reader"}', '{"role": "editor"}', "zh")
    [FieldChange(name='角色', before='读者', after='编辑')]
    >>> field_changes("", '{"query": "高考", "kind": "query", "owner": ""}', "en")
    [FieldChange(name='query', before='', after='高考'), FieldChange(name='kind', before='', after='query')]
    >>> field_changes("5", "8", "zh"), field_changes("false", "true", "zh")
    ([FieldChange(name='', before='5', after='8')], [])
    """
    old, new = _fields(before), _fields(after)
    changes = (
        FieldChange(field_name(key, language), *(_words(key, fields.get(key), language) for fields in (old, new)))
        for key in dict.fromkeys((*old, *new))
    )
    return [change for change in changes if change.before != change.after]


def _fields(text: str) -> dict[str, Any]:
    """The fields of a JSON object; any other value is a field without a name, but the action says what was switched."""
    value = json.loads(text) if text else {}
    if isinstance(value, dict):
        return value
    return {} if isinstance(value, bool) else {"": value}


def _words(key: str, value: Any, language: str) -> str:
    """A value as people read it."""
    match value:
        case None:
            return ""
        case bool():
            return name_of("yes" if value else "no", language)
        case float():
            return f"{value:.3f}".rstrip("0").rstrip(".")
        case list():
            return "\n".join(_words(key, part, language) for part in value)
        case dict():
            pairs = (f"{field_name(name, language)} {_words(name, part, language)}" for name, part in value.items())
            return "\n".join(pairs)
    return name_of(str(value), language) if key in CODED else str(value)
