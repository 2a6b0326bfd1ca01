"""A host that accepts a connection and ends it at once, while the event loop is busy with something else."""

import asyncio
import socket
import struct
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadFailedError

from newsspider.download.handler import HttpHandler
from tests.support.crawler import crawler_of
from tests.support.events import until

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: what is closed is reset


def has_no_peer(connection: socket.socket) -> bool:
    try:
        connection.getpeername()
    except OSError:
        return True
    return False


def test_a_connection_that_is_reset_before_it_is_used_is_a_failed_download(tmp_path: Path) -> None:
    async def run() -> None:
        handler, loop = HttpHandler(crawler_of(tmp_path, ALLOWED_ADDRESSES=["127.0.0.0/8"])), asyncio.get_running_loop()
        create = loop.create_connection

        async def create_late(*args: Any, sock: socket.socket, **options: Any) -> Any:
            accepted, _ = listener.accept()
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            accepted.close()
            until(lambda: has_no_peer(sock))
            return await create(*args, sock=sock, **options)

        loop.create_connection = create_late  # type: ignore[assignment,method-assign]
        try:
            with pytest.raises(DownloadFailedError):
                await handler.download_request(Request(f"http://127.0.0.1:{listener.getsockname()[1]}/"))
        finally:
            await handler.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        asyncio.run(run())
