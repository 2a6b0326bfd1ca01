"""A mail server on loopback that keeps what it takes."""

import socketserver
import threading
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, Self


class MailServer:
    """Keeps the mails that it took, with their addresses; ``refuses`` says which addresses it does not serve,
    ``farewell`` what it answers to QUIT."""

    def __init__(self, refuses: Callable[[str], bool] = lambda address: False, farewell: str = "221 bye") -> None:
        self.mails: list[tuple[list[str], EmailMessage]] = []
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
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
                            self.say("354 go on")
                            data = b"".join(iter(self.rfile.readline, b".\r\n")).replace(b"\r\n..", b"\r\n.")
                            server.mails.append((addresses, message_from_bytes(data, policy=policy.default)))  # type: ignore[arg-type]
                        case "QUIT":
                            self.say(farewell)
                            return
                    self.say("250 ok")

            def say(self, line: str) -> None:
                self.wfile.write(f"{line}\r\n".encode())

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def channel(self, *addresses: str) -> str:
        """The channel that sends to these addresses."""
        return f"mailto://127.0.0.1:{self._server.server_address[1]}?from=news@a.cn&to={','.join(addresses)}&mode=insecure"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
