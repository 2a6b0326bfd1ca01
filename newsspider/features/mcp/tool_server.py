"""A server of the package ``mcp`` that says what clients and models need to call its tools right, in few words. The
instructions for a model stand in ``tools.py``."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib.metadata import version
from inspect import getdoc, signature
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from pydantic import ValidationError

CLIENTS_OWN = {"wait_for_previous"}  # Gemini CLI adds it to the arguments of each tool, and sends it on
Tool = Callable[..., Awaitable[dict[str, Any]]]


class ToolServer(MCPServer[Any]):
    """Refuses arguments that a tool does not have, which the package ignores: a search for ``q`` would show the newest
    articles as its hits. Each refusal is one sentence; each text is compact JSON, as some clients show a model the text
    and not the structured content."""

    def __init__(self, instructions: str) -> None:
        super().__init__("newsspider", instructions=instructions, version=version("newsspider"), log_level="WARNING")
        self._arguments: dict[str, list[str]] = {}

    def offer(self, annotations: ToolAnnotations) -> Callable[[Tool], Tool]:
        """A decorator: the function is a tool, described by its docstring."""

        def add(tool: Tool) -> Tool:
            self.add_tool(tool, description=" ".join((getdoc(tool) or "").split()), annotations=annotations)
            self._arguments[tool.__name__] = [name for name in signature(tool).parameters if name != "context"]
            return tool

        return add

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        known = self._arguments.get(name)
        if known is not None and (unknown := sorted(set(arguments) - set(known) - CLIENTS_OWN)):
            has = f"its arguments are {', '.join(known)}" if known else "it takes none"
            raise ToolError(f"{name} has no argument {', '.join(unknown)}: {has}")
        try:
            result = await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            wrong = error.__cause__
            sentence = sentence_of(wrong.errors()) if isinstance(wrong, ValidationError) else str(error)
            raise ToolError(sentence.removeprefix(f"Error executing tool {name}: ")) from None
        if isinstance(result, CallToolResult) and result.structured_content is not None:
            text = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
            return result.model_copy(update={"content": [TextContent(type="text", text=text)]})
        return result


def sentence_of(errors: Iterable[Mapping[str, Any]]) -> str:
    """What is wrong with which arguments, by the errors of pydantic.

    >>> sentence_of([{"loc": ("limit",), "msg": "Input should be less than 51"}])
    'limit: Input should be less than 51'
    """
    return "; ".join(f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}" for wrong in errors)
