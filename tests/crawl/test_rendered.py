"""Sites that fill in their pages by script, with Debian's Chromium."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from tests.support.portal import rows, scrapy
from tests.support.servers import chromium
from tests.support.serving import QUICK, TEXT, Answer, article, listing, served, site

HOST, OTHER = "127.0.0.87", "127.0.0.88"
SCRIPT = """
const at = location.pathname;
const show = html => { document.getElementById('app').innerHTML = html; };
fetch('/secret/1.json').catch(() => 0);
fetch('http://OTHER/inner.json').catch(() => 0);
fetch('/api/post', {method: 'POST', body: 'x'}).catch(() => 0);
new Image().src = '/pixel.gif';
const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:STUN'}]});
peer.createDataChannel('x');
peer.createOffer().then(offer => peer.setLocalDescription(offer));
if (at == '/list/') fetch('/api/list.json').then(r => r.json()).then(rows => show(
    '<ul>' + rows.map(r => `<li><a href="${r.url}">${r.title}</a></li>`).join('') + '</ul>'));
else fetch('/api' + at.replace('html', 'json')).then(r => r.json()).then(a => show(
    `<h1>${a.title}</h1>` + a.text + '<p>浏览器 ' + navigator.userAgent + '</p>'));
"""
SHELL = (
    "<html><head><meta charset=utf-8><title>教育新闻</title></head><body><div id=app>加载中</div>"
    "<iframe src='http://OTHER/frame.html'></iframe><script src=/app.js></script></body></html>"
)
ROBOTS = "User-agent: *\nDisallow: /secret/\n"
JSON, JAVASCRIPT = {"Content-Type": "application/json"}, {"Content-Type": "application/javascript"}


@pytest.fixture(scope="module", autouse=True)
def browser() -> str:
    return chromium()


def playing(other: str, stun: str = "127.0.0.1:9"):
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 200, ROBOTS, {"Content-Type": "text/plain"}
            case "/app.js":
                return 200, SCRIPT.replace("OTHER", other).replace("STUN", stun), JAVASCRIPT
            case "/api/list.json":
                entries = [{"url": f"/2024/0501/1000{n}.html", "title": f"学校教育改革座谈会第{n}场举行"} for n in (1, 2)]
                return 200, json.dumps(entries), JSON
        if path.startswith("/api/"):
            n = int(path[-6])
            text = "".join(TEXT.format(n=f"{n}-{line}") for line in range(12))
            return 200, json.dumps({"title": f"学校教育改革座谈会第{n}场举行", "text": text}), JSON
        return 200, SHELL.replace("OTHER", other), {"ETag": '"shell"'}

    return play


def bound(stun: socket.socket) -> int:
    """The port of a UDP socket on the other host."""
    stun.bind((OTHER, 0))
    return int(stun.getsockname()[1])


def rendered(file: Path) -> Path:
    file.write_text(f"render = true\n{file.read_text('utf-8')}", "utf-8")
    return file


def test_lists_and_articles_that_scripts_fill_in_are_read_and_every_request_is_as_polite_as_a_page(tmp_path: Path) -> None:
    database = tmp_path / "n.db"
    allowed = ("-s", f"ALLOWED_ADDRESSES={HOST}")
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stun,
        served(OTHER, lambda path, times: (200, "{}", JSON)) as (other, elsewhere),
        served(HOST, playing(other[7:], f"{OTHER}:{bound(stun)}")) as (base, requests),
    ):  # fmt: skip
        file = rendered(site(tmp_path, base, {"/list/": 9}))
        command = ("crawl", "education", "-a", f"sites={file}", *QUICK, *allowed)
        first = scrapy(database, *command)
        again = scrapy(database, *command)
        tried = scrapy(database, "sites", "test", str(file), *allowed)
        stun.setblocking(False)
        with pytest.raises(BlockingIOError):  # WebRTC sends by itself, whatever answers the requests of a page
            stun.recv(1)
    assert first.returncode == 0, first.stderr[-3000:]
    assert again.returncode == 0, again.stderr[-3000:]
    texts = [text for (text,) in rows(database, "SELECT text FROM articles ORDER BY title")]
    assert [text[:7] for text in texts] == ["第1-0所学校", "第2-0所学校"]
    assert "newsspider" in texts[0].rpartition("浏览器")[2]  # the page is told who reads it, too
    assert requests["/app.js"] == 3, "a script is asked for once a process: two crawls, one test"
    assert "2 article links" in tried.stdout
    for path in ("/secret/1.json", "/pixel.gif", "/api/post"):
        assert not requests[path], f"{path} was requested"
    assert not elsewhere, "an address that is not allowed was asked"


def test_a_page_whose_header_names_a_wrong_charset_is_rendered_in_that_of_its_bytes(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt":
            return 404, "", {}
        _, text, _ = listing(1) if path == "/list/" else article(1)
        return 200, str(text).replace("<meta charset=utf-8>", "").encode("gbk"), {"Content-Type": "text/html; charset=utf-8"}

    with served(HOST, play) as (base, _):
        file = rendered(site(tmp_path, base, {"/list/": 9}))
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={file}", *QUICK)
    assert rows(tmp_path / "n.db", "SELECT title FROM articles") == [("学校教育改革座谈会第1场举行",)], done.stderr[-2000:]


def test_a_page_is_read_as_it_was_downloaded_where_the_site_file_does_not_ask_for_a_browser(tmp_path: Path) -> None:
    with served(HOST, playing(OTHER)) as (base, requests):
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/list/': 9})}", *QUICK)
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM articles") == [(0,)], done.stderr
    assert not requests["/app.js"]


def test_a_crawl_that_has_no_browser_for_its_sites_is_refused_at_its_start(tmp_path: Path) -> None:
    with served(HOST, playing(OTHER)) as (base, requests):
        file = rendered(site(tmp_path, base, {"/list/": 9}))
        for command in (("crawl", "education", "-a", f"sites={file}"), ("sites", "test", str(file))):
            done = scrapy(tmp_path / "n.db", *command, "-s", "BROWSER=no-such-browser")
            assert done.returncode == 2, done.stderr
            assert "render = true need a browser" in done.stderr
            assert "Traceback" not in done.stderr
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={file}", "-s", "BROWSER=false")
        assert done.returncode == 2, done.stderr
        assert "refused: the browser of BROWSER, false, does not start" in done.stderr
    assert not requests
    assert shutil.which("no-such-browser") is None
