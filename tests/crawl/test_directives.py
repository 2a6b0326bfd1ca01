"""META robots, X-Robots-Tag and rel=nofollow through a whole crawl: a truth table of what is found and what is followed."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from newsspider.store.engine.database import open_store
from newsspider.store.ledger.stored_links import StoredLink
from tests.support.portal import rows, scrapy
from tests.support.samples import stored_links

HOST = "127.0.0.86"
TEXT = "第{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法。"
PAGE = "<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body><h1>{title}</h1>{text}</body></html>"
META = '<meta name="{}" content="{}">'

# What an article page says, in its head and in its X-Robots-Tag headers: is it found by a search, are its links followed?
PAGES: list[tuple[str, list[str], bool, bool]] = [
    ("", [], True, True),
    (META.format("robots", "index, follow"), [], True, True),
    (META.format("robots", "all"), [], True, True),
    (META.format("robots", "noindex"), [], False, True),
    (META.format("ROBOTS", "NOINDEX"), [], False, True),
    (META.format("robots", "nofollow"), [], True, False),
    (META.format("robots", "noindex, nofollow"), [], False, False),
    (META.format("robots", "noindex,nofollow"), [], False, False),
    (META.format("robots", "none"), [], False, False),
    (META.format("robots", "None"), [], False, False),
    (META.format("newsspider", "noindex"), [], False, True),
    (META.format("NewsSpider", "none"), [], False, False),
    (META.format("otherbot", "none"), [], True, True),
    (META.format("robots", "noindex") + META.format("newsspider", "nofollow"), [], False, False),
    (META.format("robots", "noindex") + META.format("newsspider", "index"), [], False, True),  # the stricter one
    (META.format("robots", "max-snippet:20, nofollow"), [], True, False),
    (META.format("robots", "unavailable_after: 25 Jun 2030 15:00:00 PST"), [], True, True),
    (META.format("description", "noindex"), [], True, True),
    ("", ["noindex"], False, True),
    ("", ["nofollow"], True, False),
    ("", ["none"], False, False),
    ("", ["NOINDEX, NOFOLLOW"], False, False),
    ("", ["noindex", "nofollow"], False, False),  # two headers
    ("", ["max-image-preview:large", "noindex"], False, True),
    ("", ["newsspider: noindex"], False, True),
    ("", ["NewsSpider: none"], False, False),
    ("", ["otherbot: noindex, nofollow"], True, True),
    ("", ["otherbot: none", "nofollow"], True, False),
    ("", ["otherbot: noindex", "newsspider: nofollow"], True, False),
    ("", ["otherbot: noindex, newsspider: nofollow"], True, False),
    ("", ["unavailable_after: 25 Jun 2030 15:00:00 PST"], True, True),
    ("", ["unavailable_after: Friday, 25-Jun-30 15:00:00 UTC", "noindex"], False, True),
    (META.format("robots", "nofollow"), ["noindex"], False, False),
    (META.format("robots", "index"), ["noindex"], False, True),
]
# What a list says, and the relation of its link: is the article asked for?
LISTS: list[tuple[str, list[str], str, bool]] = [
    ("", [], "", True),
    (META.format("robots", "noindex"), [], "", True),
    (META.format("robots", "nofollow"), [], "", False),
    (META.format("robots", "none"), [], "", False),
    (META.format("newsspider", "nofollow"), [], "", False),
    (META.format("otherbot", "nofollow"), [], "", True),
    ("", ["noindex"], "", True),
    ("", ["nofollow"], "", False),
    ("", ["none"], "", False),
    ("", ["otherbot: nofollow"], "", True),
    ("", ["newsspider: nofollow"], "", False),
    ("", [], "nofollow", False),
    ("", [], "noopener NoFollow", False),
    ("", [], "noopener", True),
]


class Handler(BaseHTTPRequestHandler):
    """``/list/N/`` and ``/2024/0501/1NNNN.html`` after the tables; the home page lists the articles of the first."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/robots.txt":
            return self.answer("User-agent: *\nDisallow:", [], "text/plain")
        if self.path == "/":
            items = "".join(item(number) for number in range(len(PAGES)))
            return self.answer(PAGE.format(title="教育新闻", head="", text=f"<ul>{items}</ul>"), [])
        if self.path.startswith("/list/"):
            head, headers, rel, _ = LISTS[int(self.path.split("/")[2])]
            items = item(500 + int(self.path.split("/")[2]), rel)
            return self.answer(PAGE.format(title="教育新闻", head=head, text=f"<ul>{items}</ul>"), headers)
        number = int(self.path[-9:-5])
        head, headers, _, _ = PAGES[number] if number < len(PAGES) else PAGES[0]
        text = "".join(f"<p>{TEXT.format(n=f'{number}之{line}')}</p>" for line in range(12))
        text += f'<p><a href="/about/{number}.html">关于我们</a></p>'
        return self.answer(PAGE.format(title=f"学校教育改革座谈会第{number}场举行", head=head, text=text), headers)

    def answer(self, text: str, headers: list[str], kind: str = "text/html") -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for value in headers:
            self.send_header("X-Robots-Tag", value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
        pass


def item(number: int, rel: str = "") -> str:
    return f'<li><a href="/2024/0501/1{number:04}.html" rel="{rel}">学校教育改革座谈会第{number}场举行</a></li>'


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, list[str]]:
    """Base URL, store, and the paths that were asked for."""
    folder = tmp_path_factory.mktemp("directives")
    requested: list[str] = []
    with ThreadingHTTPServer((HOST, 0), type("Told", (Handler,), {"asked": requested})) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://{HOST}:{server.server_address[1]}"
        paths = ["/", *(f"/list/{number}/" for number in range(len(LISTS)))]
        site = folder / "site.toml"
        site.write_text(
            f'name = "s"\nhome = "{base}/"\nweight = 5\nmedia_class = "portal"\ndelay_seconds = 0.01\ndelay_reason = "a test"\n'
            + "".join(f'[[channels]]\nname = "c{path}"\nurl = "{base}{path}"\nkind = "list"\n' for path in paths),
            encoding="utf-8",
        )
        done = scrapy(folder / "n.db", "crawl", "education", "-a", f"sites={site}", "-a", "topic=any")
        server.shutdown()
    assert done.returncode == 0, done.stderr[-3000:]
    return base, folder / "n.db", requested


def links_of(database: Path) -> list[StoredLink]:
    store = open_store(f"sqlite:///{database}")
    with store.connect() as conn:
        links = stored_links(conn)
    store.dispose()
    return links


def test_a_page_is_found_and_its_links_are_followed_as_it_asks(crawled: tuple[str, Path, list[str]]) -> None:
    base, database, _ = crawled
    answer = scrapy(database, "search", "座谈会", "--limit", "1000", "--json")
    found_urls = {record["url"] for record in map(json.loads, answer.stdout.splitlines())}
    unmarked = {link.src for link in links_of(database) if not link.nofollow}
    linked = {url for key, url in rows(database, "SELECT key, url FROM urls") if key in unmarked}
    outcomes = {
        number: (head, headers, f"{base}/2024/0501/1{number:04}.html" in found_urls, f"{base}/2024/0501/1{number:04}.html" in linked)
        for number, (head, headers, _, _) in enumerate(PAGES)
    }
    assert outcomes == dict(enumerate(PAGES))


def test_links_that_are_not_followed_are_stored_with_a_mark_and_explained(crawled: tuple[str, Path, list[str]]) -> None:
    base, database, _ = crawled
    links = links_of(database)
    stored = {link.url: link.nofollow for link in links if link.channel}
    for number, (*_, offered) in enumerate(LISTS):
        assert stored[f"{base}/2024/0501/1{500 + number:04}.html"] == (not offered)
    urls = dict(rows(database, "SELECT key, url FROM urls"))
    of_articles = {urls[link.src]: link.nofollow for link in links if "/about/" in link.url}
    for number, (*_, followed) in enumerate(PAGES):
        assert of_articles[f"{base}/2024/0501/1{number:04}.html"] == (not followed)
    explained = scrapy(database, "explain", f"{base}/2024/0501/1{502:04}.html")
    assert explained.returncode == 0, explained.stderr
    assert "never offered" in explained.stdout
    assert "asks not to follow it (nofollow): 1 link" in explained.stdout
    explained = scrapy(database, "explain", f"{base}/about/0.html", "-s", "ALLOWED_ADDRESSES=127.0.0.0/8")
    assert "on the page of an article, whose links are not followed: 1 link" in explained.stdout
    assert f"link       {base}/2024/0501/10000.html as 关于我们" in explained.stdout


def test_pages_that_no_search_may_find_are_stored_all_the_same(crawled: tuple[str, Path, list[str]]) -> None:
    _, database, _ = crawled
    assert rows(database, "SELECT count(*) FROM articles") == [(len(PAGES) + sum(offered for *_, offered in LISTS),)]


def test_an_article_is_asked_for_only_if_its_list_and_its_link_may_be_followed(crawled: tuple[str, Path, list[str]]) -> None:
    _, _, requested = crawled
    outcomes = [
        (head, headers, rel, f"/2024/0501/1{500 + number:04}.html" in requested)
        for number, (head, headers, rel, _) in enumerate(LISTS)
    ]
    assert outcomes == LISTS
    assert all(f"/list/{number}/" in requested for number in range(len(LISTS)))
