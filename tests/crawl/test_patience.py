"""Hosts that ask for patience, robots.txt that moved, a store that is full: what the crawl does then."""

from __future__ import annotations

import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.crawl.portal import ROOT, Portal, command, environment, rows, scrapy

Answer = tuple[int, str, dict[str, str]]
TEXT = "<p>第{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法。</p>"


def article(n: int) -> Answer:
    text = "".join(TEXT.format(n=f"{n}-{line}") for line in range(12))
    title = f"学校教育改革座谈会第{n}场举行"
    return 200, f"<html><head><meta charset=utf-8><title>{title}</title></head><body><h1>{title}</h1>{text}</body></html>", {}


def listing(*numbers: int) -> Answer:
    items = "".join(f'<li><a href="/2024/0501/1{n:04}.html">学校教育改革座谈会第{n}场举行</a></li>' for n in numbers)
    return 200, f"<html><head><meta charset=utf-8><title>教育新闻</title></head><body><ul>{items}</ul></body></html>", {}


@contextmanager
def served(host: str, play: Callable[[str, int], Answer]) -> Iterator[tuple[str, Counter[str]]]:
    """A server that answers as ``play(path, times asked)`` says; its base URL and what it was asked for."""
    asked: Counter[str] = Counter()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked[self.path] += 1
            status, text, headers = play(self.path, asked[self.path])
            self.send_response(status)
            body = text.encode()
            for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
            pass

    with ThreadingHTTPServer((host, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{host}:{server.server_address[1]}", asked
        server.shutdown()


def site(folder: Path, base: str, channels: dict[str, int]) -> Path:
    """A site file with these channels (path: weight)."""
    head = f'name = "s"\nhome = "{base}/"\nweight = 5\nmedia_class = "portal"\ndelay_seconds = 0.01\ndelay_reason = "a test"\n'
    body = [f'[[channels]]\nname = "c{path}"\nurl = "{base}{path}"\nweight = {n}\nkind = "list"\n' for path, n in channels.items()]
    file = folder / "site.toml"
    file.write_text(head + "".join(body), encoding="utf-8")
    return file


QUICK = ("-s", "RETRY_BASE_SECONDS=0.05", "-s", "RETRY_TIMES=2", "-s", "ROUND_PATIENCE_SECONDS=5")


def test_a_robots_file_that_moved_is_followed_and_obeyed(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 301, "", {"Location": "/rules/robots.txt"}
            case "/rules/robots.txt":
                return 200, "User-agent: *\nDisallow: /2024/", {"Content-Type": "text/plain"}
        return listing(1, 2, 3)

    with served("127.0.0.81", play) as (base, asked):
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]
    assert asked["/rules/robots.txt"] == 1
    assert not [path for path in asked if path.startswith("/2024/")]


def test_a_list_that_always_answers_503_does_not_starve_its_host(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/a/":
                return 503, "", {}
            case "/b/":
                return listing(1, 2, 3)
        return article(int(path[-9:-5]))

    with served("127.0.0.82", play) as (base, asked):
        sites = site(tmp_path, base, {"/a/": 9, "/b/": 3})
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={sites}", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM articles") == [(3,)]
    assert 2 <= asked["/a/"] <= 4


def test_a_known_list_that_fails_is_tried_again_within_the_round(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/a/":
                return (500, "", {}) if times == 2 else listing(*range(times))
            case "/b/":
                return listing(7)
        return article(int(path[-9:-5]))

    with served("127.0.0.83", play) as (base, asked):
        arguments = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/a/': 9, '/b/': 3})}", *QUICK)
        assert scrapy(tmp_path / "n.db", *arguments).returncode == 0
        assert scrapy(tmp_path / "n.db", *arguments).returncode == 0
    assert asked["/a/"] == 3
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM articles") == [(4,)]


def test_a_patience_longer_than_the_round_ends_it_as_postponed(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/b/":
                return listing(1, 2)
        return 429, "", {"Retry-After": "3600"}

    with served("127.0.0.84", play) as (base, asked):
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/b/': 3})}", *QUICK)
    assert done.returncode == 6, done.stderr[-2000:]
    assert "put off" in done.stderr.splitlines()[-1]
    assert sum(asked[path] for path in asked if path.startswith("/2024/")) == 1


def test_a_full_disk_stops_the_crawl_loudly(quiet: Portal, tmp_path: Path) -> None:
    limited = ["bash", "-c", 'ulimit -f 1500; exec "$0" "$@"', *command("crawl", "education", "-a", f"sites={quiet.sites}")]
    done = subprocess.run(
        limited, cwd=ROOT, env=environment(tmp_path / "n.db"), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 8, done.stderr[-3000:]
    assert "the store failed" in done.stderr.splitlines()[-1]
