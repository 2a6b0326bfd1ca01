"""``python -m bench.idle``: the memory of a worker around the clock whose only list is not due for a while, the same after it has read
150 articles, and the CPU that commands take.

The peer of the commands is ``scrapy version`` in an empty folder: what Scrapy itself takes to start.
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

WAIT_SECONDS = 30  # the worker has begun long before
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


def resident(crawl: list[str], environment: dict[str, str]) -> float:
    """The megabytes of a worker that has worked and waits."""
    worker = subprocess.Popen([*crawl, "-a", "forever=1"], env=environment)
    time.sleep(WAIT_SECONDS)
    status = Path(f"/proc/{worker.pid}/status").read_text("ascii")
    worker.terminate()
    worker.wait()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


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
        idle = resident(crawl, environment)
        quick = ["-s", "DELAY_FACTOR=0", "-s", "DELAY_MIN_SECONDS=0.01"]
        busy_environment = {**environment, "NEWSSPIDER_DATABASE_URL": f"sqlite:///{folder}/news.db"}
        worked = resident(
            [*(word if word != f"sites={site}" else f"sites={news}" for word in crawl), *quick], busy_environment
        )
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
    print(f"memory of an idle worker: {idle:.0f} MB; after {ARTICLES} articles: {worked:.0f} MB")
    server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
