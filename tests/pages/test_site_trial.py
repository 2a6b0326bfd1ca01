"""What ``scrapy sites test`` shows of a real server on the loopback address."""

import gzip
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

import pytest

from newsspider.pages.site_trial import MOST_FRAMES
from newsspider.sites.model import Channel, ChannelKind, MediaClass, Site
from tests.support.short_crawls import trials_of

SETTINGS = {
    "USER_AGENT": "newsspider/0 (+http://example.org)",
    "DELAY_MIN_SECONDS": 0.02,
    "DELAY_MAX_SECONDS": 1,
    "ALLOWED_ADDRESSES": ["127.0.0.0/8"],
    "DOWNLOAD_FIRST_BYTE_SECONDS": 1.0,
    "DOWNLOAD_TIMEOUT": 2.0,
    "DOWNLOAD_MAXSIZE": 100_000,
}
TITLES = [f"教育部门发布第{number}号通知要求各地做好招生工作" for number in range(1, 13)]
LIST = "<html><head><title>要闻</title></head><body><ul class=list>{}</ul></body></html>".format(
    "".join(
        f'<li><a href="/2024/0501/{number}.html">{title}</a><span>2024-05-01</span></li>'
        for number, title in enumerate(TITLES, 1)
    )
)
FEED = "<rss version='2.0'><channel><title>x</title>{}</channel></rss>".format(
    "".join(
        f"<item><title>{title}</title><link>http://example.cn/{i}.html</link></item>" for i, title in enumerate(TITLES)
    )
)
PAGES = {
    "/robots.txt": (200, "text/plain", "User-agent: newsspider\nDisallow: /secret/"),
    "/list/": (200, "text/html; charset=utf-8", LIST),
    "/rss.xml": (200, "application/rss+xml", FEED),
    "/many-headers/": (200, "text/html; charset=utf-8", LIST),
    "/long-headers/": (200, "text/html; charset=utf-8", LIST),
    "/packed/": (200, "text/html; charset=utf-8", LIST),
    "/image/": (200, "image/png", LIST),
    "/secret/": (200, "text/html", LIST),
    "/empty/": (200, "text/html", ""),
    "/long/": (200, "text/html", "长" * 50_000),
    "/frames/": (200, "text/html", '<frameset cols="20%,*"><frame src="/menu/"><frame src="/main/"></frameset>'),
    "/menu/": (200, "text/html", '<p>菜单</p><iframe src="http://other.example/list/"></iframe>'),
    "/main/": (200, "text/html", '<p>正文</p><iframe src="/list/"></iframe><iframe src="/frames/"></iframe>'),
    "/refresh/": (200, "text/html", '<meta http-equiv="refresh" content="0; url=/list/">'),
    "/frames-gone/": (200, "text/html", '<frameset><frame src="/gone/"></frameset>'),
    "/many/": (200, "text/html", "".join(f'<iframe src="/frame{n}/"></iframe>' for n in range(99))),
}
MOVED = {"/old/": "/list/", "/trick/": "/secret/", "/round/": "/round/", "/away/": "http://other.example/"}
MOVED |= {f"/robots{n}": f"/robots{n - 1}" for n in range(1, 9)} | {"/robots0": "/robots.real"}
PAGES["/robots.real"] = PAGES["/robots.txt"]


class Portal(BaseHTTPRequestHandler):
    """Answers from the tables above and records the path, user agent and time of each request."""

    asked: list[tuple[str, str, float]]
    robots_status = 200
    robots_hops = 0  # redirects before robots.txt is there

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["User-Agent"], time.time()))
        if self.path in ("/drip/", "/drip-head/"):
            return self.drip(b"x" if self.path == "/drip/" else b"X-Name: x\r\n")
        if self.path == "/silent/":
            time.sleep(SETTINGS["DOWNLOAD_FIRST_BYTE_SECONDS"] + 0.5)
            return None
        if self.path == "/cut/":
            self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 999\r\n\r\n<p>")
            return None
        if self.path == "/robots.txt" and self.robots_hops:
            self.path = f"/robots{self.robots_hops}"
            self.send_response(301)
            self.send_header("Location", MOVED[self.path])
            return self.end_headers()
        status, kind, text = PAGES.get(self.path, (404, "text/html", "gone"))
        if self.path == "/robots.txt":
            status = self.robots_status
        self.send_response(302 if self.path in MOVED else status)
        if self.path in MOVED:
            self.send_header("Location", MOVED[self.path])
        self.send_header("Content-Type", kind)
        for number in range(300 if self.path == "/many-headers/" else 0):
            self.send_header(f"X-{number}", "x")
        if self.path == "/long-headers/":
            for number in range(100):
                self.send_header(f"X-{number}", "x" * 1024)
        if self.path == "/packed/":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(gzip.compress(text.encode()) if self.path == "/packed/" else text.encode())
        return None

    def drip(self, drop: bytes) -> None:
        """Sends an endless response slowly, each chunk within the timeout."""
        self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n" + (b"\r\n" if drop == b"x" else b""))
        with suppress(OSError):
            for _ in range(100):
                self.wfile.write(drop)
                time.sleep(0.05)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def portal(monkeypatch):
    """A server of its own for each test: its handler class, with its address as ``home``."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    handler = type("Handler", (Portal,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler.home = f"http://127.0.0.1:{server.server_port}"
    yield handler
    server.shutdown()
    server.server_close()


def tried(portal, *paths: str, delay: float | None = None, **changed):
    channels = tuple(Channel(path, portal.home + path, 5, ChannelKind.LIST) for path in paths)
    site = Site("portal", f"{portal.home}/", 5, MediaClass.PORTAL, channels, delay_seconds=delay, delay_reason="ours")
    return trials_of(site, {**SETTINGS, **changed})


def test_the_article_links_of_a_list_and_of_a_feed_are_found(portal):
    page, feed = tried(portal, "/list/", "/rss.xml")
    assert [link.text for link in page.links] == TITLES
    assert page.links[0].url == f"{portal.home}/2024/0501/1.html"
    assert [link.text for link in feed.links] == TITLES


def test_robots_txt_is_asked_first_and_once_by_our_name(portal):
    tried(portal, "/list/", "/rss.xml")
    assert [path for path, _, _ in portal.asked] == ["/robots.txt", "/list/", "/rss.xml"]
    assert {agent for _, agent, _ in portal.asked} == {SETTINGS["USER_AGENT"]}


def test_what_robots_txt_forbids_is_not_asked_for_not_even_behind_a_redirect(portal):
    assert [trial.problem for trial in tried(portal, "/secret/", "/trick/")] == ["robots.txt forbids it"] * 2
    assert "/secret/" not in [path for path, _, _ in portal.asked]


def test_nothing_is_asked_of_a_host_whose_robots_txt_fails(portal):
    portal.robots_status = 503
    assert [trial.problem for trial in tried(portal, "/list/")] == ["robots.txt could not be had"]
    assert len(portal.asked) == 1


def test_a_redirect_is_followed_and_an_endless_one_is_not(portal):
    moved, endless = tried(portal, "/old/", "/round/")
    assert len(moved.links) == len(TITLES)
    assert endless.problem == "HTTP status 302"


def test_a_redirect_to_another_site_is_not_followed_as_the_spider_does_not(portal):
    assert [trial.problem for trial in tried(portal, "/away/")] == ["it moved to another site: http://other.example/"]


@pytest.mark.parametrize("hops", [1, 4])
def test_a_robots_txt_that_is_elsewhere_is_followed_five_times(portal, hops):
    portal.robots_hops = hops  # and one from /robots0
    assert [trial.problem for trial in tried(portal, "/secret/")] == ["robots.txt forbids it"]
    assert "/robots.real" in [path for path, _, _ in portal.asked]


def test_a_robots_txt_that_is_further_away_forbids_nothing(portal):
    portal.robots_hops = 5
    assert [trial.problem for trial in tried(portal, "/secret/")] == [""]
    assert len([path for path, _, _ in portal.asked if path.startswith("/robots")]) == 6


@pytest.mark.parametrize("path", ["/frames/", "/refresh/", "/main/"])
def test_frames_and_refreshes_are_followed_inside_the_site_and_each_page_once(portal, path):
    (trial,) = tried(portal, path)
    assert [link.text for link in trial.links] == TITLES
    requested_paths = [requested_path for requested_path, _, _ in portal.asked]
    assert len(requested_paths) == len(set(requested_paths))


def test_broken_frames_report_why_and_are_followed_only_so_far(portal):
    missing, many = tried(portal, "/frames-gone/", "/many/", delay=0.01)
    assert missing.problem == f"{portal.home}/gone/: HTTP status 404"
    assert many.problem == f"{portal.home}/frame0/: HTTP status 404"
    assert len([path for path, _, _ in portal.asked if path.startswith("/frame") and path != "/frames-gone/"]) == MOST_FRAMES


@pytest.mark.parametrize("path", ["/drip/", "/drip-head/"])
def test_an_answer_that_drips_for_ever_is_given_up_in_time(portal, path):
    began = time.monotonic()
    assert [trial.problem for trial in tried(portal, path, DOWNLOAD_TIMEOUT=0.5)] == ["no whole answer within 0.5 s"]
    assert time.monotonic() - began < 20  # the response never ends


def test_an_answer_that_is_too_long_or_cut_off_is_no_page(portal):
    long, cut = tried(portal, "/long/", "/cut/")
    assert long.problem == "the answer is longer than 100000 bytes"
    assert cut.problem == "the answer was cut off"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/many-headers/", "303 header lines, more than 256"),
        ("/long-headers/", "more than 65536 bytes of headers"),
        ("/silent/", "no answer within 1 s"),
        ("/image/", "it is no page: its Content-Type is image/png"),
    ],
)
def test_an_answer_that_the_crawl_would_refuse_is_refused_with_its_name(portal, path, problem):
    assert [(trial.problem, trial.links) for trial in tried(portal, path)] == [(problem, ())]


def test_a_packed_answer_is_read(portal):
    (trial,) = tried(portal, "/packed/")
    assert [link.text for link in trial.links] == TITLES


def test_a_channel_without_a_page_says_why(portal):
    missing, empty = tried(portal, "/gone/", "/empty/")
    assert missing.problem == "HTTP status 404"
    assert empty.problem == "the page is empty"


def test_a_host_that_does_not_answer_is_a_problem_not_a_crash():
    site = Site("x", "http://127.0.0.1:9/", 5, MediaClass.PORTAL, (Channel("x", "http://127.0.0.1:9/", 5),))
    (trial,) = trials_of(site, SETTINGS)
    assert trial.problem.startswith("robots.txt could not be had: Cannot connect to host 127.0.0.1:9")


def test_the_delay_between_two_requests_is_kept(portal):
    tried(portal, "/list/", "/rss.xml", delay=0.6)
    times = [arrival for _, _, arrival in portal.asked]  # arrival times, which a busy machine may delay
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.3
