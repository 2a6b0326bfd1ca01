"""Sites with one planted fault each, on loopback addresses of their own: what ``scrapy sites check`` is to name.

``python -m demo faults --sites-dir DIR`` serves them and writes a site file a site; the name of a site is that of its
fault, with a number where there are several of a kind.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from demo.sitefiles import DELAY_REASON, DELAY_SECONDS

NETWORK = "127.0.11."  # the first site is at .1
SLOW_SECONDS = 11.0  # until the last byte
LIST, FEED = "/news/", "/feed.xml"
NO_HOST = "http://planted.invalid"  # RFC 6761: a name without an address
ITEMS = 12
SUBJECTS = ["课程", "招生", "考试", "就业", "师资", "体育", "阅读", "实验", "住宿", "食堂", "校车", "奖助"]


class Answer(NamedTuple):
    """Status, body and type of an answer, a header more, and whether it comes late or never."""

    status: int = 200
    body: str | bytes = ""
    content_type: str = "text/html; charset=utf-8"
    location: str = ""
    waits: float = 0.0  # before the end of the body
    silent: bool = False


Site = Callable[[str, str], Answer | None]  # of a path and the base of the site; None: as a site without fault


class Planted(NamedTuple):
    """A site: its fault, what it answers, and how its file describes it."""

    fault: str
    site: Site = lambda path, base: None
    path: str = LIST
    kind: str = "list"
    more: str = ""  # of the channel's table
    base: str = ""  # in place of that of the server: another one, ``https`` where no TLS is spoken, or ``closed``
    secure: bool = False  # it has a second server, which speaks TLS: ``SECURE`` in the target of a redirect


def page(title: str, body: str, head: str = "") -> str:
    """A page of HTML."""
    return f"<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</body></html>"


def day(number: int) -> datetime:
    """When the article of this number was published."""
    return datetime.now(UTC) - timedelta(days=number)


def items(dated: bool = True, numbers: range = range(ITEMS)) -> str:
    """The items of a list."""
    return "".join(
        f'<li><a href="/{"2024" if dated else "a"}/show_{1000 + number}.html">{title(number)}</a>'
        f"{f'<span>{day(number):%Y-%m-%d}</span>' if dated else ''}</li>"
        for number in numbers
    )


def title(number: int) -> str:
    """The title of an article."""
    return f"全市中小学{SUBJECTS[number % len(SUBJECTS)]}工作现场会在第{number + 1}中学召开"


def listing(dated: bool = True, numbers: range = range(ITEMS)) -> str:
    """A list page without fault."""
    return page("通知公告", f'<div class="nav"><a href="/">首页</a></div><ul class="list">{items(dated, numbers)}</ul>')


def article(number: int, dated: bool = True, text: str | None = None) -> str:
    """An article without fault."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    if text is None:
        text = "".join(
            f"<p>记者从市教育局获悉，第{number + 1}中学介绍了{subject}工作的第{part}项做法，校长和教师代表作了交流发言。</p>"
            for part in range(1, 7)
        )
    line = f"<div class=info>{day(number):%Y-%m-%d %H:%M} 来源：示例教育报 作者：王小明</div>" if dated else ""
    return page(title(number), f"<h1>{title(number)}</h1>{line}<div class=content>{text}</div>")


def well(path: str) -> Answer:
    """What a site without fault answers."""
    if path in ("/", LIST):
        return Answer(body=listing())
    if "/show_" in path:
        return Answer(body=article(int(path[-9:-5]) - 1000, dated=path.startswith("/2024/")))
    return Answer(404, page("404 Not Found", "<h1>Not Found</h1>"))


def at(path: str, answer: Answer) -> Site:
    """A site that answers so at one path, and well at the others."""
    return lambda asked, base: answer if asked == path else None


def led(path: str, target: str, status: int = 301) -> Site:
    """A site that redirects one path."""
    return lambda asked, base: Answer(status, location=target) if asked == path else None


def _loop(asked: str, base: str) -> Answer | None:
    return Answer(302, location="/news/?again=1" if asked == LIST else LIST) if asked.startswith(LIST) else None


def _renamed(asked: str, base: str) -> Answer | None:
    """The list is at another address, to which the home page leads by its name."""
    if asked == "/":
        return Answer(body=page("示例教育网", '<div><a href="/tzgg/">通知公告</a><a href="/zcwj/">政策文件</a></div>'))
    if asked == "/tzgg/":
        return Answer(body=listing())
    return Answer(404) if asked == LIST else None


def _without_dates(asked: str, base: str) -> Answer | None:
    return Answer(body=listing(dated=False)) if asked == LIST else None


def _without_text(asked: str, base: str) -> Answer | None:
    return Answer(body=article(1, text="")) if "/show_" in asked else None


def _stale(asked: str, base: str) -> Answer | None:
    return Answer(body=listing(numbers=range(400, 400 + ITEMS))) if asked == LIST else None


GARBLED = listing().encode().decode("latin-1").encode()  # encoded twice
SCRIPT_LIST = page(
    "通知公告",
    '<div class="nav"><a href="/">首页</a></div><ul id="list"></ul>',
    '<script>fetch("/api/list?page=1").then(r=>r.json()).then(show)</script>',
)
LOGIN = page("用户登录", "<form>账号<input name=u>密码<input type=password name=p><button>登录</button></form>")
CAPTCHA = page("安全验证", "<p>请完成下方滑块验证后继续访问</p>", "<script>document.cookie='k=1'</script>")
NOTHING = page("页面不存在", "<h1>抱歉，您访问的页面不存在或已被删除</h1><p>请返回首页</p>")
BROKEN_FEED = '<?xml version="1.0"?><rss version="2.0"><channel><title>教育</title><item><title>全市'
ZIP = b"PK\x03\x04" + bytes(400)

PLANTED = (
    Planted("ok"),
    Planted("robots_closed", at("/robots.txt", Answer(body="User-agent: *\nDisallow: /\n", content_type="text/plain"))),
    Planted("no_robots", at("/robots.txt", Answer(503))),
    Planted("gone", _renamed),
    Planted("moved", lambda path, base: well(LIST) if path == "/tongzhi/" else led(LIST, "/tongzhi/")(path, base)),
    Planted("https", led(LIST, "SECURE/news/"), secure=True),
    Planted("dns", base=NO_HOST),
    Planted("certificate", base="https"),  # no TLS is spoken there
    Planted("unreachable", base="closed"),
    Planted("timeout", at(LIST, Answer(silent=True))),
    Planted("slow", at(LIST, Answer(body=listing(), waits=SLOW_SECONDS))),
    Planted("server_error", at(LIST, Answer(500))),
    Planted("blocked", at(LIST, Answer(403))),
    Planted("redirect_loop", _loop),
    Planted("moved_away", led(LIST, "http://127.0.11.200/news/")),
    Planted("not_html", at(LIST, Answer(body=ZIP, content_type="application/zip"))),
    Planted("soft_404", at(LIST, Answer(body=NOTHING))),
    Planted("login", at(LIST, Answer(body=LOGIN))),
    Planted("captcha", at(LIST, Answer(body=CAPTCHA))),
    Planted("empty_list", at(LIST, Answer(body=page("通知公告", "<h1>通知公告</h1><p>栏目建设中。</p>")))),
    Planted("script_list", at(LIST, Answer(body=SCRIPT_LIST))),
    Planted("list_moved", more="regions = [\"//ul[@class='old']\"]"),
    Planted("no_dates", _without_dates),
    Planted("wrong_charset", at(LIST, Answer(body=GARBLED))),
    Planted("broken_feed", at(FEED, Answer(body=BROKEN_FEED, content_type="text/xml")), FEED, "feed"),
    Planted("empty_body", _without_text),
    Planted("stale", _stale),
)  # fmt: skip


@contextmanager
def planted(tls: ssl.SSLContext | None = None) -> Iterator[dict[str, str]]:
    """Serve all sites; the text of each site file by the name of the site. Those that need TLS only with a context."""
    with ExitStack() as stack:
        files = {}
        for number, site in enumerate(PLANTED, 1):
            if site.secure and tls is None:
                continue
            host = f"{NETWORK}{number}"
            secure = stack.enter_context(_served(host, Planted("ok"), "", tls)) if site.secure else ""
            base = stack.enter_context(_served(host, site, secure))
            if site.base == "https":
                base = base.replace("http:", "https:")
            elif site.base == "closed":
                base = f"http://{host}:{_free_port(host)}"
            elif site.base:
                base = site.base
            files[site.fault] = site_file(site, base)
        yield files


def write(files: dict[str, str], folder: Path) -> None:
    """Write the site files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, "utf-8")


def site_file(site: Planted, base: str) -> str:
    """The TOML text of a site, with comments that a repair is to keep."""
    return (
        f'# planted: {site.fault}\nname = "{site.fault}"\nhome = "{base}/"\nweight = 5  # as all\nmedia_class = "local"\n'
        f'delay_seconds = {DELAY_SECONDS}\ndelay_reason = "{DELAY_REASON}"\n\n'
        f'[[channels]]  # the only one\nname = "通知公告"\nurl = "{base}{site.path}"  # its address\n'
        f'kind = "{site.kind}"\n{site.more}\n'
    )


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


@contextmanager
def _served(host: str, site: Planted, secure: str, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """A server of a site; its base. ``secure`` is the base of its other server."""
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            base = f"http://{self.headers['Host']}"
            answer = site.site(self.path, base) or well(self.path)
            if answer.silent:
                ended.wait()
                return
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            if answer.location:
                self.send_header("Location", answer.location.replace("SECURE", secure))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body[:-9] if answer.waits else body)
                self.wfile.flush()
                if answer.waits:
                    ended.wait(answer.waits)
                    self.wfile.write(body[-9:])
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that speaks TLS, or went away

    with Server((host, 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"{'http' if tls is None else 'https'}://{host}:{server.server_address[1]}"
        finally:
            ended.set()
            server.shutdown()
