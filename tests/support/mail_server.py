"""A mail server on loopback that keeps what it takes."""

import socketserver
import threading
from collections.abc import Callable
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, Self


class MailServer:
    """Keeps the mails that it took, with their addresses; ``refuses`` says which addresses it does not serve, ``stall``
    is called before it takes a mail and (``True``) after that, before it says so, and ``farewell`` is its answer to QUIT, empty: none."""

    def __init__(
        self, refuses: Callable[[str], bool] = lambda address: False, farewell: str = "221 bye", stall: Callable[[bool], object] = bool
    ) -> None:
        self.mails: list[tuple[list[str], EmailMessage]] = []
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                with suppress(ConnectionError):
                    self.talk()

            def talk(self) -> None:
                self.say("220 here")
                addresses: list[str] = []
                while line := self.rfile.readline().decode().strip():
                    match line.split(":")[0].upper():
                        case "RCPT TO":
                            address = line.partition("<")[2].partition(">")[0]
                            if refuses(address):
                                self.say("550 nobody of this name")
                                continue
                            addresses.append(address)
                        case "DATA":
                            stall(False)
                            self.say("354 go on")
                            lines = []
                            while (sent := self.rfile.readline()) != b".\r\n":
                                if not sent:
                                    return  # the sender died
                                lines.append(sent)
                            data = b"".join(lines).replace(b"\r\n..", b"\r\n.")
                            server.mails.append((addresses, message_from_bytes(data, policy=policy.default)))  # type: ignore[arg-type]
                            stall(True)
                        case "QUIT":
                            self.say(farewell)
                            self.rfile.read()
                            return
                    self.say("250 ok")

            def say(self, line: str) -> None:
                self.wfile.write(f"{line}\r\n".encode() if line else b"")

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def channel(self, *addresses: str) -> str:
        """The channel that sends to these addresses."""
        return f"mailto://127.0.0.1:{self.port}?from=news@a.cn&to={','.join(addresses)}&mode=insecure"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
