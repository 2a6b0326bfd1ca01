"""A small news site with validators whose articles are edited, taken down and put back between two visits, and time that passes."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess

from tests.support.portal import scrapy
from tests.support.servers import new_file
from tests.support.serving import END_SECONDS, QUICK

# Every column of the store that holds a moment of the ledger.
MOMENTS = {
    "urls": ("found_at", "due_at", "last_fetched_at"),
    "hosts": ("next_at", "paused_until", "last_visit_at", "robots_fetched_at", "robots_good_at", "page_at", "article_at"),
    "queues": ("due_at", "host_ready_at"),
    "channels": ("last_polled_at", "seen_at"),
    "article_urls": ("added_at",),
    "missing_articles": ("missing_since", "last_missed_at", "returned_at", "vanished_at", "last_vanished_at"),
    "revisions": ("changed_at",),
    "url_patterns": ("spent_at", "retry_at"),
}
ALONE = ("-s", "DELAY_MIN_SECONDS=0", "-s", "DELAY_FACTOR=0", "-s", "WRITER_GATHER_SECONDS=0", *QUICK)
HOUR, DAY = 3600.0, 86_400.0
LIST = {"list": "list"}


class Validators(Enum):
    """How honest the site is."""

    HONEST = "honest"
    STALE = "stale"  # 304 to whoever names any


Answer = tuple[int, str, dict[str, str]]


@dataclass
class Hit:
    """A request."""

    path: str
    conditional: bool
    status: int


@dataclass
class Newsroom:
    """The pages by path, each a function that gives it; ``hits`` are the requests so far, without those for robots.txt."""

    base: str = ""
    name: str = "s"  # of its site
    mark: str = ""  # stands in every title and sentence of a story: two rooms with the same paths print different articles
    pages: dict[str, Callable[[], Answer]] = field(default_factory=dict)
    validators: Validators = Validators.HONEST
    out: Callable[[str], Answer | None] = lambda path: None  # what is answered instead of any page
    hits: list[Hit] = field(default_factory=list)

    def answer(self, path: str, named: str) -> Answer:
        """The answer to a request that names these validators."""
        if path == "/robots.txt":
            return 404, "", {}
        page = self.pages.get(path)
        status, text, headers = self.out(path) or (page() if page else (404, "<h1>404 Not Found</h1>", {}))
        text = text.replace("座谈会", f"座谈会{self.mark}")
        if status == 200:
            etag = f'"{hashlib.md5(text.encode()).hexdigest()}"'
            headers = {**headers, "ETag": etag}
            if named and (named == etag or self.validators is Validators.STALE):
                status, text, headers = 304, "", {}
        self.hits.append(Hit(path, bool(named), status))
        return status, text, headers

    def hit(self, path: str) -> list[Hit]:
        """The requests for a page."""
        return [hit for hit in self.hits if hit.path == path]

    def site(self, folder: Path, **channels: str) -> Path:
        """A site file with these channels: name and kind; their page is ``/NAME``."""
        head = f'name = "{self.name}"\nhome = "{self.base}/"\nweight = 9\nmedia_class = "portal"\n'
        head += 'delay_seconds = 0.001\ndelay_reason = "a test"\n'
        body = [
            f'[[channels]]\nname = "{name}"\nurl = "{self.base}/{name}"\nweight = 9\nkind = "{kind}"\n'
            for name, kind in channels.items()
        ]
        folder.mkdir(exist_ok=True)
        file = folder / f"{self.name}.toml"
        file.write_text(head + "".join(body), encoding="utf-8")
        return file


@contextmanager
def newsroom(host: str, site: str = "s", mark: str = "") -> Iterator[Newsroom]:
    """A newsroom that is served at this address."""
    room = Newsroom(name=site, mark=mark)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body go in one piece

        def do_GET(self) -> None:
            named = self.headers.get("If-None-Match") or self.headers.get("If-Modified-Since") or ""
            status, text, headers = room.answer(self.path, named)
            body = text.encode()
            self.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
            pass

    with ThreadingHTTPServer((host, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(END_SECONDS,), daemon=True).start()
        room.base = f"http://{host}:{server.server_address[1]}"
        yield room
        server.shutdown()


def round_of(database: Path, sites: Path, *options: str) -> CompletedProcess[str]:
    """One round of a crawl that keeps every article."""
    return scrapy(database, "crawl", "education", "-a", f"sites={sites}", "-a", "topic=any", *ALONE, *options)


@dataclass
class Desk:
    """Whoever watches a newsroom: its store, the site file, and the ``options`` of every round."""

    database: Path
    sites: Path
    options: tuple[str, ...] = ()

    def round(self, *options: str) -> CompletedProcess[str]:
        """One round, with further options."""
        return round_of(self.database, self.sites, *self.options, *options)

    def later(self, seconds: float) -> None:
        """Let so much time pass."""
        later(self.database, seconds)


@contextmanager
def watched(
    host: str, folder: Path, fill: Callable[[Newsroom], None], *options: str, channels: Mapping[str, str] = LIST
) -> Iterator[tuple[Newsroom, Desk]]:
    """A newsroom at this address, filled, and the desk that watches its channels."""
    with newsroom(host) as room:
        fill(room)
        new_file(folder / "news.db")
        yield room, Desk(folder / "news.db", room.site(folder, **channels), options)


@contextmanager
def watched_together(
    network: str, folder: Path, fills: Mapping[str, Callable[[Newsroom], None]], *options: str, channels: Mapping[str, str] = LIST
) -> Iterator[tuple[dict[str, Newsroom], Desk]]:
    """Newsrooms that differ in what each of them is filled with, at addresses of this network, and one desk that watches all of them."""
    with ExitStack() as stack:
        rooms = {
            kind: stack.enter_context(newsroom(f"{network}.{n}", f"s{n}", f"{n}号分会场之{1013 * n}"))
            for n, kind in enumerate(fills, 1)
        }  # fmt: skip
        for kind, room in rooms.items():
            fills[kind](room)
            room.site(folder / "sites", **channels)
        new_file(folder / "news.db")
        yield rooms, Desk(folder / "news.db", folder / "sites", options)


def later(database: Path, seconds: float) -> None:
    """Let so much time pass: all that the store knows was so much earlier."""
    with closing(sqlite3.connect(database, timeout=30)) as conn, conn:
        for table, columns in MOMENTS.items():
            changes = ", ".join(f"{name} = {name} - {seconds}" for name in columns)
            conn.execute(f"UPDATE {table} SET {changes}")


def listing(*paths: str) -> Answer:
    """A list of these articles."""
    items = "".join(f'<li><a href="{path}">{title_of(path)}</a><span>2026-11-01</span></li>' for path in paths)
    return 200, f"<html><head><title>教育新闻</title></head><body><ul>{items}</ul></body></html>", {}


def title_of(path: str) -> str:
    """The title of an article."""
    return f"学校教育改革座谈会{path.strip('/').replace('/', '-').removesuffix('.html')}场举行"


def story(path: str, *, edit: str = "", title: str = "", around: str = "", when: str = "") -> Answer:
    """An article whose third paragraph may be edited, with something ``around`` it."""
    number = path.strip("/").replace("/", "-").removesuffix(".html")
    lines = [
        f"第{number}-{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法，代表{number}号发言。"
        for n in range(6)
    ]
    if edit:
        lines[2] = edit
    title = title or title_of(path)
    text = "".join(f"<p>{line}</p>" for line in lines)
    date = f"<div class='info'>{when} 来源：教育时报</div>" if when else ""
    return 200, (
        f"<html><head><title>{title}</title></head><body><div class='nav'><a href='/'>首页</a>{around}</div>"
        f"<h1>{title}</h1>{date}<div class='content'>{text}</div><div class='footer'>{around} 版权所有</div></body></html>"
    ), {}
