"""Reads the JSON-LD of a page as objects."""

from __future__ import annotations

import json
from typing import Any

from newsspider.core.extraction.dom.outline import Outline

FRAMES = frozenset(("WebSite", "WebPage", "CollectionPage", "ItemList"))  # JSON-LD types of what surrounds an article


def linked_data_of(outline: Outline) -> list[dict[str, Any]]:
    """The JSON-LD objects of the page, graphs and lists flattened; broken JSON is left out."""
    results: list[dict[str, Any]] = []
    for text in outline.ld_json:
        try:
            stack = [_loaded(text.strip().rstrip(";"))]
        except (ValueError, RecursionError):
            continue
        while stack:
            value = stack.pop()
            if isinstance(value, list):
                stack.extend(reversed(value))
            elif isinstance(value, dict):
                results.append(value)
                if isinstance(graph := value.get("@graph"), list):
                    stack.extend(reversed(graph))
    return results


def is_frame(item: dict[str, Any]) -> bool:
    """Whether a JSON-LD object describes the page or the site around the article."""
    types = item.get("@type")
    return any(name in FRAMES for name in (types if isinstance(types, list) else [types]) if isinstance(name, str))


def _loaded(text: str) -> Any:
    """The parsed JSON; an escape that spells half a character becomes a question mark."""
    value = json.loads(text, strict=False)
    if "\\u" not in text:
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
