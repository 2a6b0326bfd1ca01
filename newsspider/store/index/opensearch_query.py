"""Translates queries to the query language of OpenSearch."""

from __future__ import annotations

from typing import Any

from newsspider.core.query.tree import All, Either, Every, Node, Not, Text, Value
from newsspider.core.text.tokenizer import PLACES, fields_of, is_run, pairs, tokens
from newsspider.store.index.backend import Choice


def query_of(node: Node) -> tuple[dict[str, Any], bool]:
    """A query of OpenSearch that finds at least what the node matches, and whether it finds nothing else.

    >>> query_of(All((Text(("新高考",), "title"), Value("site＝教育部"))))[0]["bool"]["filter"]
    [{'match_phrase': {'title': '新高 高考'}}, {'term': {'meta': 'site＝教育部'}}]
    """
    if isinstance(node, Text):
        return _text(node)
    if isinstance(node, Value):
        return {"term": {"meta": node.token}}, True
    if isinstance(node, Every):
        return {"match_all": {}}, True
    if isinstance(node, Not):
        query, exact = query_of(node.inner)
        return ({"bool": {"must_not": [query]}}, True) if exact else ({"match_all": {}}, False)
    assert isinstance(node, All | Either)
    parts = [query_of(part) for part in node.sides]
    queries, exact = [query for query, _ in parts], all(exact for _, exact in parts)
    if isinstance(node, Either):
        return {"bool": {"should": queries, "minimum_should_match": 1}}, exact
    return {"bool": {"filter": queries}}, exact


def _text(node: Text) -> tuple[dict[str, Any], bool]:
    *inner, last = node.units
    if not inner and is_run(last) and len(last) == 1:
        return {"terms": {"meta": [PLACES[field] + last for field in fields_of(node.field)]}}, True
    ending = pairs(last) if is_run(last) else [last]
    begins = (node.prefix and not is_run(last)) or not ending  # the last token may go on
    words = tokens(inner) + (ending[:-1] if begins else ending)
    fields = []
    for field in fields_of(node.field):
        conditions: list[dict[str, Any]] = [{"match_phrase": {field: " ".join(words)}}] if words else []
        conditions += [{"prefix": {field: {"value": last}}}] if begins else []
        fields.append(conditions[0] if len(conditions) == 1 else {"bool": {"filter": conditions}})
    query = fields[0] if len(fields) == 1 else {"bool": {"should": fields, "minimum_should_match": 1}}
    return query, not (begins and words)


def ranges_of(choice: Choice) -> list[dict[str, Any]]:
    """The other conditions of a choice; they also exclude the document with the position, which is no entry."""
    ranges: list[dict[str, Any]] = [{"exists": {"field": "number" if choice.revisions else "article"}}]
    if choice.since is not None:
        ranges.append({"range": {"moment": {"gte": choice.since}}})
    if choice.until is not None:
        ranges.append({"range": {"moment": {"lt": choice.until}}})
    if choice.after_article is not None:
        ranges.append({"range": {"article": {"gt": choice.after_article}}})
    if choice.known_article is not None:
        late = {"range": {"article": {"gt": choice.known_article}}}
        ranges.append({"bool": {"must_not": [late]}})
    return ranges
