"""A console over a filled store, the forms that it is sent, and a host whose sites it adds."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from fastapi.testclient import TestClient
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings
from sqlalchemy import Engine

from newsspider.features.console.access import COOKIE, form_token
from newsspider.features.console.app import create_app
from newsspider.store.engine.database import reading
from newsspider.store.sites import every_site
from tests.features.console.conftest import HOST, Morning

TITLES = [f"教育部门发布第{number}号通知要求各地做好招生工作" for number in range(1, 8)]
ARTICLE = (
    "<title>{0}</title><h1>{0}</h1><p>2026-11-20 08:30 来源：育才报</p>"
    + "<p>全省各地学校今天开学，教师和学生回到课堂，新的课程从这一天开始。</p>" * 3
)  # fmt: skip
SCRIPT = '"><script>alert(1)</script>'


class Portal(BaseHTTPRequestHandler):
    """A home page with seven articles, one of which leads inside."""

    asked: list[str]
    title = "育才报"
    moved = ""  # where its home page is

    def do_GET(self) -> None:
        self.asked.append(self.path)
        number = self.path.rpartition("/")[2].removesuffix(".html")
        if self.path == "/robots.txt":
            return self.answer(404, "")
        if self.path == "/" and self.moved:
            return self.answer(302, "", Location=self.moved)
        if self.path == "/away":
            return self.answer(302, "", Location="http://[::1]:1/inner")
        if number.isdecimal():
            return self.answer(200, ARTICLE.format(TITLES[int(number) - 1] + SCRIPT.replace("<", "&lt;")))
        items = "".join(f'<li><a href="/2026/1120/{n}.html">{title}</a><span>2026-11-20</span></li>' for n, title in enumerate(TITLES, 1))
        return self.answer(200, f"<title>{self.title}</title><ul class=list>{items}</ul>")

    def answer(self, status: int, text: str, **headers: str) -> None:
        body = text.encode("gb18030")
        self.send_response(status)
        for name, value in ({"Content-Type": "text/html; charset=gb2312"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def portal() -> Iterator[tuple[str, list[str]]]:
    """The URL of its home page, and the requested paths."""
    requested: list[str] = []
    handler = type("Handler", (Portal,), {"asked": requested})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", requested
        server.shutdown()


def settings_with(**changed: object) -> Settings:
    settings = get_project_settings().copy()
    settings.setdict({"DELAY_MIN_SECONDS": 0, "DNS_SERVERS": ["system"], "ALLOWED_ADDRESSES": [], **changed}, priority="cmdline")
    return settings


def console_of(engine: Engine, **changed: object) -> TestClient:
    app = create_app(engine, hosts=[HOST], clock=Morning(), settings=settings_with(**changed))
    return TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)


def send(client: TestClient, path: str, **fields: str):
    """Send a form as its page would."""
    if COOKIE not in client.cookies:
        client.get("/settings")
    return client.post(path, data=fields | {"form_token": form_token(client.cookies[COOKIE])})


@pytest.fixture
def client(filled: Engine) -> TestClient:
    return console_of(filled)


def site_named(engine: Engine, name: str):
    with reading(engine) as conn:
        return next((site for site in every_site(conn) if site.name == name), None)
