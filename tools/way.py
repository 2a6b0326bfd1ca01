"""Follows articles through the package: ``python tools/way.py`` crawls five on this machine and prints what they met.

A profile hook in every thread counts the files and functions of the package that a crawl runs from the opening of its
spider to the last commit, its calls, and how often a call goes from one file into another. ``article_files`` and
``article_functions`` are those from the response of the first article to the commit of the last, features left out:
what an article meets from the claim of its lease to its commit. ``tools/house.py`` has a limit for each figure.
``python tools/way.py -v`` also prints the files, those with most functions first; a star marks those of an article.
``python tools/way.py -vv`` also prints the functions of each file, and how often the crawl called them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = f"{ROOT / 'newsspider'}{os.sep}"
HOST = "127.0.0.1"
ARTICLES = 5
UNNAMED = {"<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
LONGEST_SECONDS = 120.0
SITE = """name = "way"
home = "{base}/"
weight = 5
media_class = "portal"
delay_seconds = 0.01
delay_reason = "this machine"
[[channels]]
name = "news"
url = "{base}/news/"
kind = "list"
"""
PAGE = "<html><head><meta charset=utf-8><title>{title}</title></head><body>{body}</body></html>"
SENTENCE = (
    "<p>第{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法。</p>"
)


class Way(NamedTuple):
    """What a crawl of a few articles ran: files and functions of the package, calls an article, switches between files."""

    articles: int
    files: int
    functions: int
    calls: int
    switches: int
    article_files: int
    article_functions: int
    functions_by_file: dict[str, int]
    functions_by_article_file: dict[str, int]
    calls_by_function: dict[str, dict[str, int]]


class _Calls:
    """The profile hook: counts calls of the package's functions while it is ``on``, those of articles while
    ``on_articles``."""

    def __init__(self) -> None:
        self.on = self.on_articles = False
        self.codes: Counter[CodeType] = Counter()
        self.article_codes: set[CodeType] = set()
        self.articles = self.calls = self.switches = 0

    def response_received(self, response: Any) -> None:
        """The lists are read before the articles."""
        self.on_articles = self.on_articles or response.url.endswith(".html")

    def item_scraped(self) -> None:
        """Its page is committed."""
        self.articles += 1
        self.on_articles = self.articles < ARTICLES

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not self.on or not code.co_filename.startswith(PACKAGE) or code.co_name in UNNAMED:
            return
        self.codes[code] += 1
        if self.on_articles:
            self.article_codes.add(code)
        self.calls += 1
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(PACKAGE):
            caller = caller.f_back
        self.switches += caller is None or caller.f_code.co_filename != code.co_filename


def follow() -> Way:
    """Crawl the articles in a process of its own and return what they met."""
    with _pages() as base, tempfile.TemporaryDirectory() as folder:
        Path(folder, "way.toml").write_text(SITE.format(base=base), encoding="utf-8")
        environment = {
            **os.environ,
            "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8",
            "SCRAPY_SETTINGS_MODULE": "newsspider.settings",
        }
        command = [sys.executable, __file__, "--crawl", folder]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Way(**json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def _pages() -> Iterator[str]:
    links = "".join(
        f'<li><a href="/2026/0501/1000{n}.html">学校教育改革座谈会第{n}场举行</a></li>' for n in range(ARTICLES)
    )

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = self.path[-6:-5]
            title = f"学校教育改革座谈会第{number}场举行"
            text = "".join(SENTENCE.format(n=f"{number}-{line}") for line in range(12))
            body = (
                f"<ul>{links}</ul>"
                if self.path == "/news/"
                else f"<h1>{title}</h1><p>2026-05-01 08:0{number}　来源：教育报</p>{text}"
            )
            answer = PAGE.format(title=title, body=body).encode()
            self.send_response(404 if self.path == "/robots.txt" else 200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{HOST}:{server.server_address[1]}"
        server.shutdown()


def _crawl(folder: str) -> None:
    sys.path.insert(0, str(ROOT))
    from scrapy import signals
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.utils.project import get_project_settings

    settings = get_project_settings()
    # what a timer runs is on no article's way, but falls into it on a slow machine
    timers = {"MEMUSAGE_CHECK_INTERVAL_SECONDS": 3600, "SITES_WATCH_SECONDS": 0, "PROGRESS_SECONDS": 0}
    store = {"DATABASE_URL": f"sqlite:///{folder}/way.db", "LOG_ENABLED": False}
    settings.setdict({**store, **timers}, "cmdline")
    calls = _Calls()
    threading.setprofile(calls)
    sys.setprofile(calls)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler("education")
    crawler.signals.connect(lambda: setattr(calls, "on", True), signal=signals.spider_opened, weak=False)
    crawler.signals.connect(lambda: setattr(calls, "on", False), signal=signals.spider_closed, weak=False)
    crawler.signals.connect(calls.response_received, signal=signals.response_received)
    crawler.signals.connect(calls.item_scraped, signal=signals.item_scraped)
    process.crawl(crawler, topic="any", sites=f"{folder}/way.toml")
    process.start()
    sys.setprofile(None)
    files, of_articles = _by_file(calls.codes), _by_file(calls.article_codes)
    functions: dict[str, dict[str, int]] = {name: {} for name in files}
    for code, times in calls.codes.most_common():
        star = "* " if code in calls.article_codes else "  "
        functions[code.co_filename.removeprefix(PACKAGE)][f"{star}{code.co_qualname}:{code.co_firstlineno}"] = times
    of_articles = Counter({name: number for name, number in of_articles.items() if not name.startswith("features")})
    way = Way(
        articles=calls.articles,
        files=len(files),
        functions=len(calls.codes),
        calls=calls.calls // ARTICLES,
        switches=calls.switches // ARTICLES,
        article_files=len(of_articles),
        article_functions=of_articles.total(),
        functions_by_file=dict(files.most_common()),
        functions_by_article_file=dict(of_articles.most_common()),
        calls_by_function=functions,
    )
    print(json.dumps(way._asdict()))


def _by_file(codes: Iterable[CodeType]) -> Counter[str]:
    """How many of these functions stand in each file."""
    return Counter(code.co_filename.removeprefix(PACKAGE) for code in codes)


def main() -> int:
    """Print the figures, one a line."""
    way = follow()
    for name, value in way._asdict().items():
        if not isinstance(value, dict):
            print(f"{value:7} {name}")
    if {"-v", "-vv"} & set(sys.argv):
        for file, functions in way.functions_by_file.items():
            print(f"{functions:7} {'*' if file in way.functions_by_article_file else ' '} {file}")
            for name, calls in way.calls_by_function[file].items() if "-vv" in sys.argv else ():
                print(f"{calls:15} {name}")
    return way.articles != ARTICLES


if __name__ == "__main__":
    if sys.argv[1:2] == ["--crawl"]:
        _crawl(sys.argv[2])
    else:
        sys.exit(main())
