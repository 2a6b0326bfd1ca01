"""Each way a fetch can end has exactly one outcome in the ledger, against a server that plays them all."""

import gzip
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.support.portal import rows, scrapy

HOST = "127.0.0.77"
TEXT = "".join(
    f"<p>第{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法。</p>" for n in range(12)
)
PAGE = "<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body><h1>{title}</h1>{text}</body></html>"

# path -> state and reason in the ledger after the crawl
EXPECTED = {
    "/2024/0501/10001.html": ("done", "stored"),
    "/2024/0501/10002.html": ("done", "duplicate"),
    "/2024/0501/10003.html": ("error", "http_status"),  # 404
    "/2024/0501/10004.html": ("error", "http_status"),  # 500, again and again
    "/2024/0501/10005.html": ("done", "stored"),  # 500 once
    "/2024/0501/10006.html": ("done", "redirect"),
    "/2024/0501/10007.html": ("done", "redirect"),  # a loop
    "/2024/0501/10008.html": ("done", "redirect"),  # to another site: not followed
    "/2024/0501/10009.html": ("done", "robots"),
    "/2024/0501/10010.html": ("done", "content_type"),
    "/2024/0501/10011.html": ("error", "timeout"),
    "/2024/0501/10012.html": ("error", "connection"),
    "/2024/0501/10013.html": ("error", "truncated"),
    "/2024/0501/10014.html": ("error", "too_large"),
    "/2024/0501/10015.html": ("error", "unreadable"),  # empty
    "/2024/0501/10016.html": ("done", "not_an_article"),  # a list
    "/2024/0501/10017.html": ("done", "stored"),  # 429 once
    "/2024/0501/10018.html": ("done", "redirect"),  # meta refresh
    "/2024/0501/10019.html": ("done", "stored"),  # noindex
    "/2024/0501/10020.html": ("done", "off_topic"),
    "/2024/0501/10021.html": ("done", "stored"),  # gzip
    "/2024/0501/10022.mp4": ("done", "suffix"),
    "/2024/0501/10023.html": ("done", "stored"),  # 429 once, in JSON
    "/2024/0501/10024.html": ("error", "http_status"),  # 404 in JSON
    "/2024/0501/10025.html": ("done", "redirect"),  # of a type that is no page
    "/2024/0501/10026.html": ("done", "stored"),  # 503 once, not packed as it says
    "/2024/0501/10027.html": ("error", "http_status"),  # 410 not packed as it says
    "/2024/0501/10028.html": ("done", "redirect"),  # not packed as it says
    "/2024/0501/10029.html": ("error", "http_status"),  # 404 cut short
    "/2024/0501/10030.html": ("error", "http_status"),  # 404 that is too large, announced
    "/2024/0501/10031.html": ("error", "http_status"),  # 404 that is too large once it is unpacked
    "/2024/0501/moved.html": ("done", "stored"),
    "/2024/0501/refreshed.html": ("done", "stored"),
}


class Server(socketserver.ThreadingTCPServer):
    """Counts what it is asked for."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__((HOST, 0), Handler)
        self.asked: Counter[str] = Counter()
        self.busy = 0
        self.most_at_once = 0
        self.lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    """Plays one trouble a path."""

    server: Server

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.asked[self.path] += 1
            self.server.busy += not self.path.endswith("10011.html")  # nobody waits for that answer any more
            self.server.most_at_once = max(self.server.most_at_once, self.server.busy)
        try:
            self.play(self.server.asked[self.path])
        finally:
            with self.server.lock:
                self.server.busy -= not self.path.endswith("10011.html")

    def play(self, times: int) -> None:  # noqa: PLR0912, PLR0915 -- a table of troubles
        name = self.path.rpartition("/")[2].partition(".")[0]
        article = PAGE.format(title=f"学校教育改革座谈会第{name}场举行", head="", text=TEXT.replace("座谈会", f"座谈会{name}"))
        match name:
            case "robots":
                self.answer(200, "User-agent: *\nDisallow: /2024/0501/10009", kind="text/plain")
            case "":
                items = "".join(f'<li><a href="{path}">关于学校教育的新闻标题之{n}</a></li>' for n, path in enumerate(EXPECTED)
                                if path[-9:-5].isdigit() or path.endswith(".pdf"))  # fmt: skip
                self.answer(200, PAGE.format(title="教育新闻", head="", text=f"<ul>{items}</ul>"))
            case "10002":
                self.answer(200, PAGE.format(title="学校教育改革座谈会转载", head="", text=TEXT.replace("座谈会", "座谈会10001")))
            case "10003":
                self.answer(404, "gone")
            case "10004":
                self.answer(500, "no")
            case "10005" if times == 1:
                self.answer(500, "no")
            case "10006":
                self.answer(302, "", location="moved.html")
            case "10007":
                self.answer(302, "", location=self.path)
            case "10008":
                self.answer(302, "", location="http://127.0.0.78:1/2024/0501/1.html")
            case "10010":
                self.answer(200, article, kind="video/mp4")
            case "10011":
                time.sleep(2)
            case "10012":
                self.connection.close()
            case "10013":
                self.answer(200, article[:-20], length=150_000)
            case "10014":
                self.answer(200, article + " " * 300_000)
            case "10015":
                self.answer(200, "")
            case "10016":
                many = "".join(f'<li><a href="/2024/0502/2{n:04}.html">另一条新闻的标题之{n}，也不短</a> 05-02</li>' for n in range(60))
                self.answer(200, PAGE.format(title="更多新闻", head="", text=f"<ul>{many}</ul>"))
            case "10017" if times == 1:
                self.answer(429, "", retry_after="1")
            case "10018":
                refresh = '<meta http-equiv="refresh" content="0; url=refreshed.html">'
                self.answer(200, PAGE.format(title="跳转", head=refresh, text=""))
            case "10019":
                self.answer(200, article.replace("<meta", '<meta name="robots" content="noindex"><meta', 1))
            case "10020":
                text = "<p>球队昨晚客场以三比一取胜，前锋梅开二度，主教练赛后表示满意，球迷在街头庆祝到深夜。</p>" * 9
                self.answer(200, PAGE.format(title="球队客场取胜升至积分榜首位", head="", text=text))
            case "10021":
                self.answer(200, article, packed=True)
            case "10023" if times == 1:
                self.answer(429, '{"error": "slow down"}', kind="application/json", retry_after="1")
            case "10024":
                self.answer(404, '{"error": "not found"}', kind="application/json")
            case "10025":
                self.answer(301, "moved", kind="application/zip", location="moved.html")
            case "10026" if times == 1:
                self.answer(503, "slow down", retry_after="1", encoding="gzip")
            case "10027":
                self.answer(410, "gone", encoding="gzip")
            case "10028":
                self.answer(301, "moved", location="moved.html", encoding="br")
            case "10029":
                self.answer(404, "gone", length=1_000)
            case "10030":
                self.answer(404, " " * 300_000)
            case "10031":
                self.answer(404, " " * 300_000, packed=True)
            case _:
                self.answer(200, article)

    def answer(
        self, status: int, text: str, *, kind: str = "text/html", location: str = "", length: int | None = None,
        retry_after: str = "", packed: bool = False, encoding: str = "",
    ) -> None:  # fmt: skip
        body = gzip.compress(text.encode()) if packed else text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in (("Location", location), ("Retry-After", retry_after), ("Content-Encoding", "gzip" if packed else encoding)):
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(scope="module")
def database(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store after one crawl of the server."""
    folder = tmp_path_factory.mktemp("outcomes")
    home = f"http://{HOST}:{server.server_address[1]}/"
    (folder / "site.toml").write_text(
        f'name = "outcomes"\nhome = "{home}"\nweight = 5\nmedia_class = "portal"\ndelay_seconds = 0.01\n'
        f'delay_reason = "a test"\n[[channels]]\nname = "home"\nurl = "{home}"\nkind = "home"\n',
        encoding="utf-8",
    )
    settings = ("RETRY_BASE_SECONDS=0.05", "RETRY_TIMES=2", "DOWNLOAD_FIRST_BYTE_SECONDS=0.8", "DOWNLOAD_MAXSIZE=200000")
    flags = [flag for setting in settings for flag in ("-s", setting)]
    done = scrapy(folder / "news.db", "crawl", "education", "-a", f"sites={folder / 'site.toml'}", *flags)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "news.db"


@pytest.mark.parametrize(("path", "ending"), EXPECTED.items())
def test_each_way_a_fetch_can_end_has_its_outcome(server: Server, database: Path, path: str, ending: tuple[str, str]) -> None:
    url = f"http://{HOST}:{server.server_address[1]}{path}"
    assert rows(database, f"SELECT state, reason FROM urls WHERE url = '{url}'") == [ending]


def test_nothing_is_left_leased_and_nothing_was_asked_for_that_should_not_be(server: Server, database: Path) -> None:
    assert rows(database, "SELECT count(*) FROM urls WHERE state IN ('waiting', 'processing')") == [(0,)]
    assert server.asked["/2024/0501/10009.html"] == 0
    assert server.asked["/2024/0501/10022.mp4"] == 0
    assert server.asked["/2024/0501/10001.html"] == 1
    assert server.asked["/2024/0501/10007.html"] == 1
    assert server.asked["/2024/0501/10004.html"] == 3
    assert [server.asked[f"/2024/0501/100{number}.html"] for number in (23, 26)] == [2, 2]
    assert server.most_at_once == 1


def test_a_second_page_with_the_same_body_is_one_more_url_of_its_article(database: Path) -> None:
    assert rows(database, "SELECT count(*) FROM article_urls GROUP BY article_id ORDER BY 1 DESC LIMIT 1") == [(2,)]
