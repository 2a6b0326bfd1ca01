"""One scrapyd, asked over its API."""

from __future__ import annotations

import http.client
import json
import re
import urllib.parse
import urllib.request
from base64 import b64encode
from typing import Any
from urllib.error import URLError

SECONDS = 5.0  # for an answer: a node that takes longer counts as down
LONGEST_END = 4000  # bytes at the end of a log
START_SECONDS = 40.0  # to start a job: for the first one of a version scrapyd lists its spiders
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class NodeDown(Exception):  # noqa: N818 -- reads as what it says
    """The node does not answer, or refuses; the text says why."""


class ScrapydNode:
    """``url`` may hold a name and a password."""

    def __init__(self, url: str, project: str) -> None:
        parts = urllib.parse.urlsplit(url)
        self.shown = shown(url)
        self.project = project
        self._headers = {}
        if parts.username is not None:
            secret = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            self._headers["Authorization"] = f"Basic {b64encode(secret.encode()).decode()}"

    def jobs(self) -> dict[str, str]:
        """The state of every job that it knows, by its id: ``pending``, ``running`` or ``finished``."""
        answer = self._ask(f"listjobs.json?{urllib.parse.urlencode({'project': self.project})}")
        states = ("pending", "running", "finished")
        try:
            return {str(job["id"]): state for state in states for job in answer.get(state, [])}
        except (KeyError, TypeError):
            raise NodeDown(f"{self.shown} does not answer as scrapyd does") from None

    def start(self, spider: str, job_id: str, arguments: dict[str, str], settings: dict[str, str]) -> None:
        """Put a job into the queue of the node."""
        form: list[tuple[str, str]] = [("project", self.project), ("spider", spider), ("jobid", job_id)]
        form += [*arguments.items(), *(("setting", f"{name}={value}") for name, value in settings.items())]
        self._ask("schedule.json", urllib.parse.urlencode(form).encode(), START_SECONDS)

    def last_line(self, spider: str, job_id: str) -> str:
        """The last line of a job's log; empty if the node has none."""
        path = "/".join(urllib.parse.quote(part, safe="") for part in (self.project, spider, f"{job_id}.log"))
        headers = {**self._headers, "Range": f"bytes=-{LONGEST_END}"}
        request = urllib.request.Request(f"{self.shown}/logs/{path}", headers=headers)
        try:
            with _OPENER.open(request, timeout=SECONDS) as response:
                lines = response.read()[-LONGEST_END:].decode("utf-8", "replace").split("\n")
        except (URLError, OSError, http.client.HTTPException):
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def _ask(self, path: str, body: bytes | None = None, seconds: float = SECONDS) -> dict[str, Any]:
        request = urllib.request.Request(f"{self.shown}/{path}", body, self._headers)
        try:
            with _OPENER.open(request, timeout=seconds) as response:
                answer = json.load(response)
        except (URLError, OSError, ValueError, http.client.HTTPException) as error:
            raise NodeDown(f"{self.shown} does not answer: {getattr(error, 'reason', error)}") from None
        if not isinstance(answer, dict):
            raise NodeDown(f"{self.shown} does not answer as scrapyd does")
        if answer.get("status") != "ok":
            raise NodeDown(f"{self.shown} refused: {answer.get('message', answer)}")
        return answer


def shown(url: str) -> str:
    """The URL of a node without name and password, also where they hold what should be escaped.

    >>> shown("http://name:password@a.cn:6800/"), shown("http://name:pass#word?@a.cn")
    ('http://a.cn:6800', 'http://a.cn')
    """
    return re.sub(r"//.*@", "//", url, flags=re.DOTALL).rstrip("/")
