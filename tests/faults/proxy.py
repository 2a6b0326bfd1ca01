"""A proxy between a worker and a server, which can play a network that is cut in two."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CHUNK = 65_536


class Proxy:
    """Forwards connections to a port of this machine, as long as nobody says :meth:`hold`."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._flows = threading.Event()
        self._flows.set()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self) -> None:
        """Forward nothing any more, close nothing: what is sent goes nowhere, and nobody is told."""
        self._flows.clear()

    def go_on(self, *, cut: bool = False) -> None:
        """Forward what was held, and what comes; ``cut``: drop the connections that there are instead."""
        if cut:
            for end in list(self._open):
                _close(end)
        self._flows.set()

    def close(self) -> None:
        """Drop everything."""
        _close(self._listener)
        self.go_on(cut=True)

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._target), 5)
                except OSError:
                    near.close()
                    continue
                far.settimeout(None)
                self._open |= {near, far}
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                self._flows.wait()
                target.sendall(data)
        self._flows.wait()
        for end in (source, target):
            self._open.discard(end)
            _close(end)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def proxy(port: int) -> Iterator[Proxy]:
    """A proxy before a port, gone at the end."""
    forwarder = Proxy(port)
    try:
        yield forwarder
    finally:
        forwarder.close()
