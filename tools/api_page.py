"""Writes ``docs/reference/api.md`` and ``openapi.json`` from the description that the API gives of itself."""

from __future__ import annotations

import json
from typing import Any, cast

from newsspider.features.console.app import create_app
from tools.markdown import NOTE

HEAD = f"""{NOTE}
# The JSON API

`scrapy web` serves it; [How to use the JSON API](../how-to/use-the-api.md) says how to call it.
[openapi.json](openapi.json), also at `/api/v1/openapi.json`, is the same for programs, with the types of all values.
"""


def api_page() -> str:
    """Every route with its parameters and the fields of what it is sent."""
    described = _description()
    schemas = described.get("components", {}).get("schemas", {})
    parts = [HEAD]
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            parts.append(
                f"## {method.upper()} `{path}`\n\n**{route['summary']}.** {' '.join(route['description'].split())}\n"
            )
            rows = [f"- `{parameter['name']}`{_about(parameter)}" for parameter in route.get("parameters", ())]
            body = (
                route.get("requestBody", {})
                .get("content", {})
                .get("application/json", {})
                .get("schema", {})
                .get("$ref", "")
            )
            fields = schemas.get(body.rpartition("/")[2], {}).get("properties", {})
            rows += [f"- in the body: `{name}`{_about(field)}" for name, field in fields.items()]
            if rows:
                parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def openapi() -> str:
    """The same as an OpenAPI 3.1 document."""
    return json.dumps(_description(), ensure_ascii=False, indent=1) + "\n"


def _description() -> dict[str, Any]:
    return create_app(cast(Any, None), hosts=[]).openapi()


def _about(schema: dict[str, Any]) -> str:
    text = schema.get("description") or ""
    return f": {text}" if text else ""
