"""Assistants that ask the tools."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp import Client
from sqlalchemy import Engine

from newsspider.features.mcp.local_console import local_console
from newsspider.features.mcp.tools import mcp_of
from tests.features.console.conftest import Morning


def asked(client: Client | Callable[[], AbstractAsyncContextManager[Client]], *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The answers of an assistant's calls, each the tool's JSON, or its sentence of refusal."""
    answers: list[Any] = []

    async def ask() -> None:
        async with client() if callable(client) else client as session:
            for name, arguments in calls:
                result = await session.call_tool(name, arguments)
                text = "".join(part.text for part in result.content)
                answers.append(text if result.is_error else json.loads(text))

    anyio.run(ask)
    return answers


def local(engine: Engine, settings: Any, *, may_write: bool = False) -> Client:
    """An assistant beside the store."""
    console = local_console(engine, settings, may_write=may_write)
    console.state.clock = Morning()
    return Client(mcp_of(lambda: console, may_write=may_write))
