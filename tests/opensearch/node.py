"""Real OpenSearch nodes on free loopback ports, from the server's own jars, and a proxy that fails when it is told to.

Maven brings the jars once. Without ``java`` and ``mvn`` the tests are skipped.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.events import until
from tests.support.servers import HOST, free_port

HERE = Path(__file__).parent
JARS = Path(sys.prefix) / "opensearch"
START_SECONDS = 240
JAVA = ("-Dlog4j2.level=ERROR", "-cp", f"{JARS}/*", str(HERE / "LocalNode.java"))
# Copies are searched as soon as they are written, and a test makes several in a second.
SMALL = {"number_of_shards": 1, "refresh_interval": "20ms"}


def jars() -> None:
    """Fetch the jars, once an environment; skip the test where that cannot be done."""
    if not (shutil.which("java") and shutil.which("mvn")):
        pytest.skip("OpenSearch needs java and mvn, which this machine does not have")
    JARS.mkdir(exist_ok=True)
    with (JARS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (JARS / "pom.xml").is_file() and (JARS / "pom.xml").read_bytes() == (HERE / "pom.xml").read_bytes():
            return
        command = ("mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies", f"-DoutputDirectory={JARS}")
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=JARS)
        shutil.copy(HERE / "pom.xml", JARS)


class Node:
    """A node with a name, its files in a folder; several nodes with the same ``seeds`` make one cluster."""

    def __init__(self, folder: Path, name: str = "a", seeds: Iterable[Node] = (), *, heap: str = "512m", **settings: str) -> None:
        jars()
        self.folder, self.name, self.heap = folder, name, heap
        self.port, self.transport = free_port(), free_port()
        others = list(seeds)
        self.settings = {
            "path.home": str(folder), "node.name": name, "cluster.name": "newsspider",
            "network.host": HOST, "http.port": str(self.port), "transport.port": str(self.transport),
            "discovery.seed_hosts": ",".join(f"{HOST}:{node.transport}" for node in (*others, self)),
            "cluster.initial_cluster_manager_nodes": (others[0].name if others else name),
            "cluster.routing.allocation.disk.threshold_enabled": "false",  # the disk of a test machine may be nearly full
        } | settings  # fmt: skip
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / "output"
        with log.open("ab") as output:
            command = ("java", "-Xms256m", f"-Xmx{self.heap}", *JAVA, *(f"{name}={value}" for name, value in self.settings.items()))
            self.process = subprocess.Popen(command, stdout=output, stderr=output, cwd=self.folder)

        def answers() -> bool:
            assert self.process is not None
            assert self.process.poll() is None, log.read_text("utf-8", "replace")[-3000:]
            try:
                return bool(self.ask("GET", "/_cluster/health")["number_of_nodes"])
            except (OSError, ValueError, LookupError):
                return False

        until(answers, self.process, START_SECONDS)
        self.ask("PUT", "/_index_template/small", {"index_patterns": ["*"], "template": {"settings": SMALL}})

    def kill(self) -> None:
        """End it as a lost machine does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What it answers, as JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def indexes(self) -> list[str]:
        """The names of its indexes."""
        return [row["index"] for row in self.ask("GET", "/_cat/indices?format=json")]

    def entries(self) -> list[int]:
        """The numbers of the entries in all indexes."""
        self.ask("POST", "/_refresh")
        hits = self.ask("GET", "/_search?size=10000&docvalue_fields=number")["hits"]["hits"]
        return sorted(hit["fields"]["number"][0] for hit in hits if "fields" in hit)


class Proxy(ThreadingHTTPServer):
    """Hands requests on to a node. ``is_down`` answers 503, ``answers`` holds other answers than the node's, by the
    last part of the path; ``calls`` are counted."""

    daemon_threads = True

    def __init__(self, node: Node) -> None:
        super().__init__((HOST, 0), _Handler)
        self.node = node
        self.forget()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def forget(self) -> None:
        """Delete all indexes, and answer as the node does."""
        self.is_down = False
        self.answers: dict[str, Any] = {}
        self.calls: list[str] = []
        self.authorization = ""
        for name in self.node.indexes():
            self.node.ask("DELETE", f"/{name}")

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_port}/news"


class _Handler(BaseHTTPRequestHandler):
    server: Proxy
    protocol_version = "HTTP/1.1"

    def _handle(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.authorization = self.headers.get("Authorization", "")
        _, *rest = self.path.partition("?")[0].strip("/").split("/")
        self.server.calls.append(f"{self.command} {'/'.join(rest)}")
        if self.server.is_down:
            status, answer = 503, b'{"error": "down"}'
        elif rest and rest[-1] in self.server.answers:
            status, answer = 200, json.dumps(self.server.answers[rest[-1]]).encode()
        else:
            status, answer = self._answer_of_node(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    def _answer_of_node(self, body: bytes) -> tuple[int, bytes]:
        headers = {name: self.headers[name] for name in ("Content-Type",) if name in self.headers}
        request = urllib.request.Request(self.server.node.url + self.path, body or None, headers, method=self.command)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _handle  # noqa: N815 - names of http.server

    def log_message(self, *_: object) -> None:
        pass
