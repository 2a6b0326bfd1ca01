"""A search query as a tree of conditions on an article."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """A word or phrase: units of :mod:`~newsspider.core.text.tokenizer` in this order. ``field`` is one of its
    ``PLACES``, or empty for title and body; with ``prefix`` the last word may be the beginning of a longer one."""

    units: tuple[str, ...]
    field: str = ""
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A field has this value, written as its token."""

    token: str


@dataclass(frozen=True, slots=True)
class Every:
    """Any article."""


@dataclass(frozen=True, slots=True)
class All:
    """Every side."""

    sides: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of the sides."""

    sides: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Not this."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Near:
    """Both sides in one field with at most ``within`` characters between; with ``ordered`` the left one first. A side
    is a :class:`Text` or an :class:`Either` of texts."""

    left: Node
    right: Node
    within: int
    ordered: bool = False


Node: TypeAlias = Text | Value | Every | All | Either | Not | Near


def has_near(node: Node) -> bool:
    """Whether a query asks how near texts are, which an index cannot tell."""
    return any(isinstance(part, Near) for part in parts_of_query(node))


def widen_query(node: Node, *, near: bool = False) -> Node:
    """A query that lets at least the same texts through, without :class:`Not` of :class:`Near`, and without
    :class:`Near` at all unless ``near``.

    >>> widen_query(Near(Text(("高考",)), Text(("作弊",)), 3))
    All(sides=(Text(units=('高考',), field='', prefix=False), Text(units=('作弊',), field='', prefix=False)))
    """
    if isinstance(node, Near):
        return node if near else All((node.left, node.right))
    if isinstance(node, Not):
        return Every() if has_near(node) else node
    if isinstance(node, All | Either):
        return type(node)(tuple(widen_query(part, near=near) for part in node.sides))
    return node


def alternatives(node: Node) -> Iterator[Text]:
    """The texts of a side of :class:`Near`, from left to right."""
    return (part for part in parts_of_query(node) if isinstance(part, Text))


def parts_of_query(node: Node) -> Iterator[Node]:
    """The node and all below it, from left to right."""
    yield node
    for inner in _below(node):
        yield from parts_of_query(inner)


def wanted_texts(node: Node) -> Iterator[Text]:
    """The texts that an article must have, not those that it must not have, from left to right."""
    if isinstance(node, Text):
        yield node
    elif not isinstance(node, Not):
        for inner in _below(node):
            yield from wanted_texts(inner)


def _below(node: Node) -> tuple[Node, ...]:
    if isinstance(node, All | Either):
        return node.sides
    if isinstance(node, Near):
        return node.left, node.right
    return (node.inner,) if isinstance(node, Not) else ()
