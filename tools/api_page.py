"""Writes ``docs/reference/api.md`` from the description that the API gives of itself."""

from __future__ import annotations

from typing import Any, cast

from newsspider.web.app import create_app
from tools.markdown import NOTE

HEAD = f"""{NOTE}
# The JSON API

`scrapy web` serves it; [How to use the JSON API](../how-to/use-the-api.md) says how to call it.
`/api/v1/openapi.json` is the same for programs, with the types of all values.
"""


def api_page() -> str:
    """Every route with its parameters and the fields of what it is sent."""
    described = create_app(cast(Any, None), hosts=[]).openapi()
    schemas = described.get("components", {}).get("schemas", {})
    parts = [HEAD]
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            parts.append(f"## {method.upper()} `{path}`\n\n**{route['summary']}.** {' '.join(route['description'].split())}\n")
            rows = [f"- `{one['name']}`{_about(one)}" for one in route.get("parameters", ())]
            body = route.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "")
            fields = schemas.get(body.rpartition("/")[2], {}).get("properties", {})
            rows += [f"- in the body: `{name}`{_about(field)}" for name, field in fields.items()]
            if rows:
                parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def _about(one: dict[str, Any]) -> str:
    text = one.get("description") or ""
    return f": {text}" if text else ""
