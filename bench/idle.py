"""``python -m bench.idle``: the memory of a worker around the clock and of the console, when they have worked and when they rest, and
the CPU that commands take.

One worker has a single list that is not due for a while; another one has read 150 articles. The console has shown pages of that store.
Both rest a minute after their last work. The peer of the commands is ``scrapy version`` in an empty folder: what Scrapy itself
takes to start. The exit code is 1 if a limit is exceeded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

from newsspider.extensions.memory import REST_SECONDS
from newsspider.features.console.server import NOTES_SECONDS

WAIT_SECONDS = 30  # the worker has begun long before
LOOK_SECONDS = 10  # that may pass until it is seen that a process may rest
MOST_WORKER_MB, MOST_CONSOLE_MB, MOST_SECONDS = 150.0, 200.0, 1.0  # at rest; of the first request afterwards
WORDS = ("教育部", "高考 改革", "试点 名单", "家长")
RUNS = 3  # of each command; the least counts
HOST = "127.0.0.91"
ARTICLES = 150
NEWS = "".join(
    f"<li><a href='/2026/1125/c1-{number}.html'>教育部公布第{number}批高考改革试点名单</a></li>"
    for number in range(ARTICLES)
)
TEXT = "".join(
    f"<p>各地要做好高考改革第{line}项工作，教育部将继续指导各省份完善方案，保障考生权益。</p>" for line in range(12)
)
TITLE = "教育部公布第{number}批高考改革试点名单"
ARTICLE = f"<html><title>{TITLE}</title><body><h1>{TITLE}</h1><p>2026-11-25 08:00</p><p>{{number}}号公告</p>{{text}}</body></html>"
LIST = "".join(f"<li><a href='/about/{number}'>关于{number}</a></li>" for number in range(8))
SITE = """
name = "甲"
home = "{base}/"
media_class = "trade"
weight = 5
[[channels]]
name = "要闻"
url = "{base}/{page}.html"
kind = "list"
weight = 5
"""


class Portal(BaseHTTPRequestHandler):
    """A list without articles, another one with articles, and no robots.txt."""

    def do_GET(self) -> None:
        if self.path.startswith("/2026/"):
            text = ARTICLE.format(number=self.path.partition("-")[2].removesuffix(".html"), text=TEXT)
        else:
            text = f"<html><body><ul>{NEWS if self.path == '/news.html' else LIST}</ul></body></html>"
        body = text.encode()
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *values: object) -> None:
        """Nothing."""


def cpu_seconds(command: list[str], folder: str, environment: dict[str, str]) -> float:
    """The CPU time of a command that has run to its end in a folder."""
    spent = []
    for _ in range(RUNS):
        times_before = os.times()
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        after = os.times()
        spent.append(
            after.children_user + after.children_system - times_before.children_user - times_before.children_system
        )
    return min(spent)


def resident(process: subprocess.Popen[Any]) -> float:
    """The megabytes of a process."""
    status = Path(f"/proc/{process.pid}/status").read_text("ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def worker_memory(crawl: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """The megabytes of a worker that has worked, and of the same at rest."""
    with subprocess.Popen([*crawl, "-a", "forever=1"], env=environment) as worker:
        time.sleep(WAIT_SECONDS)
        worked = resident(worker)
        time.sleep(REST_SECONDS + LOOK_SECONDS)
        rested = resident(worker)
        worker.terminate()
    return worked, rested


def console_memory(scrapy: list[str], environment: dict[str, str]) -> tuple[float, float, float]:
    """The megabytes of the console when it has shown pages, and at rest; the seconds of the first request afterwards."""
    command = [*scrapy, "web", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as console:
        assert console.stderr is not None
        base = next(line for line in console.stderr if "http://" in line).partition("http://")[2].split("/")[0]
        for word in WORDS * 5:
            for path in (
                "/",
                f"/search?q={quote(word)}",
                f"/search?q={quote(word)}&sort=relevance",
                "/articles/1",
                "/sites",
            ):
                urlopen(f"http://{base}{path}").read()
        worked = resident(console)
        time.sleep(2 * NOTES_SECONDS + LOOK_SECONDS)
        rested = resident(console)
        began = time.monotonic()
        urlopen(f"http://{base}/search?q={quote(WORDS[0])}&sort=relevance").read()
        took = time.monotonic() - began
        console.terminate()
    return worked, rested, took


def main() -> int:
    """Poll the list once, then print what a worker takes that waits for it, and what commands take."""
    server = ThreadingHTTPServer((HOST, 0), Portal)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with TemporaryDirectory() as folder:
        site, news = Path(folder) / "site.toml", Path(folder) / "news.toml"
        for file, page in ((site, "list"), (news, "news")):
            file.write_text(SITE.format(base=f"http://{HOST}:{server.server_port}", page=page), "utf-8")
        environment = {**os.environ, "NEWSSPIDER_DATABASE_URL": f"sqlite:///{folder}/idle.db"}
        scrapy = [sys.executable, "-m", "scrapy"]
        crawl = [
            *scrapy,
            "crawl",
            "education",
            "-a",
            f"sites={site}",
            "-s",
            "ALLOWED_ADDRESSES=127.0.0.0/8",
            "-s",
            "LOG_LEVEL=ERROR",
        ]
        subprocess.run(crawl, env=environment, check=True)
        _, idle = worker_memory(crawl, environment)
        quick = ["-s", "DELAY_FACTOR=0", "-s", "DELAY_MIN_SECONDS=0.01"]
        busy_environment = {**environment, "NEWSSPIDER_DATABASE_URL": f"sqlite:///{folder}/news.db"}
        worked, rested = worker_memory(
            [*(word if word != f"sites={site}" else f"sites={news}" for word in crawl), *quick], busy_environment
        )
        console, resting, seconds = console_memory(scrapy, busy_environment)
        peer = cpu_seconds([*scrapy, "version"], folder, environment)
        url = f"http://{HOST}:{server.server_port}/list.html"
        for command in (
            crawl,
            *([*scrapy, *words] for words in (["status"], ["search", "教育"], ["explain", url], ["health"])),
        ):
            spent = cpu_seconds(command, ".", environment)
            print(
                f"CPU of scrapy {command[3]}: {spent:.2f} s, {spent / peer:.1f} times Scrapy's own start ({peer:.2f} s)"
            )
    print(f"MB of a worker that has read nothing: {idle:.0f}; after {ARTICLES} articles: {worked:.0f}", end="")
    print(f", at rest {rested:.0f}: {rested / MOST_WORKER_MB:.2f} times the limit of {MOST_WORKER_MB:g}")
    print(f"MB of the console after {5 * len(WORDS) * 5} pages: {console:.0f}", end="")
    print(f", at rest {resting:.0f}: {resting / MOST_CONSOLE_MB:.2f} times the limit of {MOST_CONSOLE_MB:g}")
    print(f"seconds of the first search afterwards: {seconds:.2f}, {seconds / MOST_SECONDS:.2f} times the limit")
    server.shutdown()
    return int(rested > MOST_WORKER_MB or resting > MOST_CONSOLE_MB or seconds > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
