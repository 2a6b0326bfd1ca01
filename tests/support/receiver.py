"""A receiver of webhooks on loopback, and alerts for it."""

import json
import random
import secrets
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from sqlalchemy import Connection

from newsspider.features.alerts import stored_alerts
from newsspider.features.alerts.channels import check_channel
from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
from newsspider.features.alerts.stored_alerts import Alert, AlertKind
from tests.support.samples import NOW

Answer = Callable[[str], int]  # the status for a key; 0: the connection breaks although the message was taken


class Receiver:
    """Keeps the messages that it accepted, by key. ``answer`` says how it answers."""

    def __init__(self, answer: Answer = lambda key: 200) -> None:
        self.answer = answer
        self.taken: dict[str, dict[str, Any]] = {}
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.times: Counter[str] = Counter()
        self.location = ""
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.take(self.path, dict(self.headers.items()), body)
                if not status:
                    self.connection.close()
                    return
                self.send_response(status)
                if receiver.location:
                    self.send_header("Location", receiver.location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def take(self, path: str, headers: dict[str, str], body: bytes) -> int:
        key = headers["webhook-id"]
        with self._lock:
            self.requests.append((path, headers, body))
            status = self.answer(key)
            if status == 0 or 200 <= status < 300:
                self.times[key] += 1
                self.taken[key] = json.loads(body)
        return status

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    def titles(self) -> list[str]:
        """Of every story that was told, in the order of the messages."""
        return [story["title"] for message in self.taken.values() for story in message["data"]["stories"]]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def failing_a_third(seed: int) -> Answer:
    """Fails every third request, by an error, or by breaking the connection after it took the message."""
    chance = random.Random(seed)
    return lambda key: chance.choice([500, 503, 0]) if chance.random() < 1 / 3 else 200


def alert(conn: Connection, *channels: str, **values: Any) -> Alert:
    """Adds an alert."""
    defaults = {
        "owner": "", "name": f"a{secrets.token_hex(4)}", "kind": AlertKind.QUERY, "query": "高考", "pages": 0, "once": "event",
        "rhythm": Rhythm(), "muted_until": 0.0, "token": secrets.token_urlsafe(16), "created_at": NOW,
    }  # fmt: skip
    new_alert = Alert(id=0, channels=tuple(map(check_channel, channels)), **{**defaults, **values})
    assert stored_alerts.add(conn, new_alert) is not None
    stored_alert = stored_alerts.named(conn, new_alert.name, new_alert.owner)
    assert stored_alert is not None
    return stored_alert
