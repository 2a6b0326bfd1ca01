"""Serves the console until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence

import uvicorn
from sqlalchemy import Engine

from newsspider.web.app import create_app


def serve(engine: Engine, host: str, port: int, names: Sequence[str], prefix: str, note: Callable[[str], None]) -> None:
    """Serve the store on this address for requests to these host names; ``note`` is told the address of the console.
    ``prefix`` is the path that a reverse proxy has taken away from the requests that it passes on.

    Raises :exc:`OSError` if the address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        note(f"console at http://{shown}:{listening.getsockname()[1]}{prefix}/ (Ctrl-C ends it)")
        config = uvicorn.Config(
            create_app(engine, hosts=names), root_path=prefix, log_level="warning", access_log=False,
            server_header=False, lifespan="off",
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listening])
