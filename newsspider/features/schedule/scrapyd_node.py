"""One scrapyd, asked over its API."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

from newsspider.store.http_call import call_http, login_headers, without_login

ANSWER_SECONDS = 5.0  # for an answer: a node that takes longer counts as down
LONGEST_END = 4000  # bytes at the end of a log
FORM = "application/x-www-form-urlencoded"
START_SECONDS = 40.0  # to start a job: for the first one of a version scrapyd lists its spiders


class NodeDownError(Exception):
    """The node does not answer, or refuses; the text says why."""


class ScrapydNode:
    """``url`` may hold a name and a password."""

    def __init__(self, url: str, project: str) -> None:
        self.shown = url_without_login(url)
        self.project = project
        self._headers = login_headers(url)

    def jobs(self) -> dict[str, str]:
        """The state of every job that it knows, by its id: ``pending``, ``running`` or ``finished``."""
        answer = self._ask(f"listjobs.json?{urlencode({'project': self.project})}")
        states = ("pending", "running", "finished")
        try:
            return {str(job["id"]): state for state in states for job in answer.get(state, [])}
        except (KeyError, TypeError):
            raise NodeDownError(f"{self.shown} does not answer as scrapyd does") from None

    def start(self, spider: str, job_id: str, arguments: dict[str, str], settings: dict[str, str]) -> None:
        """Put a job into the queue of the node."""
        form: list[tuple[str, str]] = [("project", self.project), ("spider", spider), ("jobid", job_id)]
        form += [*arguments.items(), *(("setting", f"{name}={value}") for name, value in settings.items())]
        self._ask("schedule.json", urlencode(form).encode(), START_SECONDS)

    def last_line(self, spider: str, job_id: str) -> str:
        """The last line of a job's log; empty if the node has none."""
        path = "/".join(quote(part, safe="") for part in (self.project, spider, f"{job_id}.log"))
        url, at_end = f"{self.shown}/logs/{path}", {**self._headers, "Range": f"bytes=-{LONGEST_END}"}
        try:
            answer = call_http("GET", url, headers=at_end, seconds=ANSWER_SECONDS)
            if answer.status == 500:  # so Twisted answers if the file is shorter than that
                answer = call_http("GET", url, headers=self._headers, seconds=ANSWER_SECONDS, most_bytes=LONGEST_END)
        except OSError:
            return ""
        if answer.status >= 300:
            return ""
        lines = answer.body[-LONGEST_END:].decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def _ask(self, path: str, body: bytes | None = None, seconds: float = ANSWER_SECONDS) -> dict[str, Any]:
        method = "GET" if body is None else "POST"
        headers = self._headers if body is None else {**self._headers, "Content-Type": FORM}
        try:
            response = call_http(method, f"{self.shown}/{path}", body, headers, seconds=seconds)
            if response.status >= 300:
                raise NodeDownError(f"{self.shown} answers HTTP {response.status}")
            answer = json.loads(response.body)
        except (OSError, ValueError) as error:
            raise NodeDownError(f"{self.shown} does not answer: {error or type(error).__name__}") from None
        if not isinstance(answer, dict):
            raise NodeDownError(f"{self.shown} does not answer as scrapyd does")
        if answer.get("status") != "ok":
            raise NodeDownError(f"{self.shown} refused: {answer.get('message', answer)}")
        return answer


def url_without_login(url: str) -> str:
    """The URL of a node without name and password."""
    return without_login(url).rstrip("/")
