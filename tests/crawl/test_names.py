"""Whole crawls by name: how often a name is looked up, who waits for it, and that no page leads to a private address."""

import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.name_server import name_server
from tests.support.portal import rows, scrapy
from tests.support.serving import article, listing

HOST = "127.0.0.88"
Play = Callable[[str, str], tuple[int, str, Mapping[str, str]]]


class Web(ThreadingHTTPServer):
    """One server for all names, on every address of this machine: who was asked for what, when, and where it arrived."""

    daemon_threads = True

    def __init__(self, play: Play) -> None:
        super().__init__(("0.0.0.0", 0), Handler)
        self.play = play
        self.port = self.server_address[1]
        self.asked: list[tuple[float, str, str]] = []  # moment, name, path
        self.arrived: Counter[str] = Counter()  # by address


class Handler(BaseHTTPRequestHandler):
    server: Web

    def do_GET(self) -> None:
        name = (self.headers["Host"] or "").partition(":")[0]
        self.server.asked.append((time.time(), name, self.path))
        self.server.arrived[self.connection.getsockname()[0]] += 1
        status, text, headers = self.server.play(name, self.path)
        body = text.encode()
        self.send_response(status)
        for key, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
        pass


@contextmanager
def served(play: Play) -> Iterator[Web]:
    with Web(play) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def portal(name: str, path: str) -> tuple[int, str, Mapping[str, str]]:
    """A list of six articles."""
    if path == "/robots.txt":
        return 404, "", {}
    status, text, headers = listing(*range(6)) if path == "/" else article(int(path[-9:-5]))
    return status, str(text), headers


def sites(folder: Path, port: int, *names: str, delay: float = 0.01, extra: str = "") -> Path:
    """A site file for each name."""
    (folder / "sites").mkdir()
    for name in names:
        (folder / "sites" / f"{name}.toml").write_text(
            f'name = "{name}"\nhome = "http://{name}:{port}/"\nweight = 9\nmedia_class = "portal"\ndelay_seconds = {delay}\n'
            f'delay_reason = "a test"\n{extra}\n'
            f'[[channels]]\nname = "home"\nurl = "http://{name}:{port}/"\nkind = "list"\n',
            encoding="utf-8",
        )
    return folder / "sites"


def crawl(folder: Path, site_files: Path, server: str, *more: str) -> subprocess.CompletedProcess[str]:
    return scrapy(
        folder / "n.db", "crawl", "education", "-a", f"sites={site_files}", "-a", "topic=any", "-s", f"DNS_SERVERS={server}",
        "-s", "RETRY_BASE_SECONDS=0.05", "-s", "RETRY_TIMES=1", "-s", "ROUND_PATIENCE_SECONDS=3", *more,
    )  # fmt: skip


def test_every_name_is_asked_for_once_and_a_slow_answer_delays_no_other_host(tmp_path: Path) -> None:
    fast = [f"h{number}.test" for number in range(10)]
    all_fast, countdown = threading.Event(), iter(range(8 * len(fast) - 1, -1, -1))

    def noted(name: str, path: str) -> tuple[int, str, Mapping[str, str]]:
        if name != "slow.test" and next(countdown, 0) == 0:
            all_fast.set()
        return portal(name, path)

    with name_server() as (names, address), served(noted) as web:
        for number, name in enumerate((*fast, "slow.test")):
            names.add(name, "A", f"127.0.1.{number + 1}")  # hosts at one address would wait for each other
        names.held["slow.test"] = all_fast
        site_files = sites(tmp_path, web.port, "slow.test", *fast)
        done = crawl(tmp_path, site_files, address, "-s", "DNS_ATTEMPT_SECONDS=60", "-s", "DNS_TIMEOUT=60")
        assert done.returncode == 0, done.stderr[-3000:]
        assert names.names == dict.fromkeys((*fast, "slow.test"), 1)
        assert Counter(name for _, name, _ in web.asked) == dict.fromkeys((*fast, "slow.test"), 8)
        slow = min(moment for moment, name, _ in web.asked if name == "slow.test")
        assert Counter(name for moment, name, _ in web.asked if moment < slow) == dict.fromkeys(fast, 8)


def test_a_name_is_asked_for_again_when_its_time_to_live_is_over(tmp_path: Path) -> None:
    with name_server() as (names, address), served(portal) as web:
        names.add("a.test", "A", HOST, ttl=1)
        done = crawl(tmp_path, sites(tmp_path, web.port, "a.test", delay=0.5), address)
        assert done.returncode == 0, done.stderr[-3000:]
        lasted = web.asked[-1][0] - web.asked[0][0]
        assert len(web.asked) == 8
        assert 3 <= names.names["a.test"] <= lasted + 1


def test_the_hosts_of_new_links_are_asked_for_while_the_page_is_read(tmp_path: Path) -> None:
    def play(name: str, path: str) -> tuple[int, str, Mapping[str, str]]:
        status, text, headers = portal(name, path)
        return status, text.replace('href="/2024', f'href="http://new.test:{web.port}/2024'), headers

    with name_server() as (names, address), served(play) as web:
        names.add("a.test", "A", HOST)
        names.add("new.test", "A", HOST)
        site_files = sites(tmp_path, web.port, "a.test", extra="article_url = '/2024/0501/'")
        done = crawl(tmp_path, site_files, address, "-a", "pages=1")
        assert done.returncode == 4, done.stderr[-3000:]  # the limit of pages
        assert [name for _, name, path in web.asked if path != "/robots.txt"] == ["a.test"]
        assert names.names == {"a.test": 1, "new.test": 1}


def test_a_dead_name_server_is_left_out(tmp_path: Path) -> None:
    fast = [f"h{number}.test" for number in range(8)]
    with name_server() as (names, address), name_server("127.0.0.2") as (dead, second), served(portal) as web:
        for number, name in enumerate(fast):
            names.add(name, "A", f"127.0.1.{number + 1}")
        dead.silent = True
        settings = ("-s", "DNS_ATTEMPT_SECONDS=0.3")
        done = crawl(tmp_path, sites(tmp_path, web.port, *fast), f"{second},{address}", *settings)
        assert done.returncode == 0, done.stderr[-3000:]
        assert names.names == dict.fromkeys(fast, 1)
        assert "127.0.0.2 is silent" in done.stderr
        assert rows(tmp_path / "n.db", "SELECT count(*) FROM urls WHERE reason = 'dns'") == [(0,)]


def test_links_and_redirects_to_private_addresses_are_refused_and_recorded(tmp_path: Path) -> None:
    spelled = ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "[::1]", "169.254.169.254", "10.0.0.1"]
    named = ["inner.site.test", "alias.test", "localhost"]

    def play(name: str, path: str) -> tuple[int, str, Mapping[str, str]]:
        if name == "tricky.test":  # its robots.txt is on another machine
            return 302, "", {"Location": f"http://inner.site.test:{web.port}/robots.txt"}
        if path == "/robots.txt":
            return 404, "", {}
        if path == "/":
            hosts = [*spelled, *named]
            urls = [f"http://{host}:{web.port}/2024/0501/1000{n}.html" for n, host in enumerate(hosts)]
            items = "".join(f'<li><a href="{url}">学校教育改革座谈会第{n}场举行</a></li>' for n, url in enumerate(urls))
            items += '<li><a href="/2024/0501/20001.html">学校教育改革座谈会第二十场举行</a></li>'
            return 200, f"<html><head><meta charset=utf-8><title>教育新闻</title></head><body><ul>{items}</ul></body></html>", {}
        return 302, "", {"Location": f"http://inner.site.test:{web.port}/2024/0501/30001.html"}

    with name_server() as (names, address), served(play) as web:
        names.add("www.site.test", "A", HOST)
        names.add("tricky.test", "A", HOST)
        names.add("inner.site.test", "A", "127.0.0.1")
        names.add("alias.test", "CNAME", "inner.site.test")
        site_files = sites(tmp_path, web.port, "www.site.test", "tricky.test", extra="article_url = '/2024/0501/'")
        done = crawl(tmp_path, site_files, address, "-s", f"ALLOWED_ADDRESSES={HOST}")
        assert done.returncode in (0, 6), done.stderr[-3000:]  # 6: that host without a robots.txt is asked again later
        assert set(web.arrived) == {HOST}
        assert done.stderr.count("ALLOWED_ADDRESSES names exceptions") == 1
        refused = rows(tmp_path / "n.db", "SELECT host, kind, state, detail FROM urls WHERE reason = 'address'")
        pages = {host.rpartition(":")[0] for host, kind, _, _ in refused if kind != "robots"}
        assert pages == {"127.0.0.1", "[::ffff:7f00:1]", "[::1]", "169.254.169.254", "10.0.0.1", *named}
        assert {state for _, _, state, _ in refused} == {"done"}
        assert all("address" in detail for host, _, _, detail in refused if host.partition(":")[0] in named)
        assert {path for _, name, path in web.asked if name == "tricky.test"} == {"/robots.txt"}
