import hashlib
import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from newsspider.core.model import ArticlePart
from newsspider.core.url import url_key
from newsspider.store import ledger
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.database import open_store
from newsspider.store.sites import import_sites
from tests.support.process import answered, with_an_ascii_locale
from tests.support.samples import NOW, article, offer
from tests.support.servers import new_file

FIELDS = [
    "url", "title", "author", "editors", "source", "published_at", "modified_at", "text", "summary", "keywords", "charset",
    "charset_reason", "kind", "kind_probability", "images", "comments", "truncated",
]  # fmt: skip
TEXT = "教育部今天发布通知，要求各地中小学认真落实课程方案，不得随意增加作业。"
PAGE = (
    "<title>新学期的作业怎么写_某某网</title><h1>新学期的作业怎么写</h1><div>3小时前 来源：某某报</div>"
    f"<div>{f'<p>{TEXT}</p>' * 4}</div>"
)
URL = "http://www.example.cn/a/1.html"
SITE = """
name = "站"
home = "http://www.example.cn/"
weight = 5
media_class = "trade"
[[channels]]
name = "要闻"
url = "http://www.example.cn/news/"
kind = "list"
[xpaths]
body = "//div/p[1]"
"""


def extract(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[bytes]:
    return answered(("extract", *arguments), os.environ, 120, stdin.encode())


def records(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def test_one_page_gives_one_complete_object(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGE.encode("gbk"))
    done = extract(
        str(tmp_path / "a.html"),
        "--url",
        URL,
        "--content-type",
        "text/html; charset=utf-8",
        "--now",
        "2024-03-05T17:08",
    )
    assert (done.returncode, done.stderr) == (0, b"")
    (record,) = records(done)
    assert list(record) == FIELDS
    assert record["title"] == "新学期的作业怎么写"
    assert record["published_at"] == "2024-03-05T14:08+08:00"
    assert (record["author"], record["source"], record["charset"], record["kind"]) == (
        [],
        "某某报",
        "gb18030",
        "article",
    )
    assert record["text"] == "\n".join([TEXT] * 4)
    assert record["keywords"]


def test_a_batch_goes_on_past_pages_and_lines_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "empty.html").write_bytes(b"")
    rows = [
        json.dumps({"path": str(tmp_path / "a.html"), "url": URL, "content_type": None}),
        "not json",
        "[1]",
        json.dumps({"path": str(tmp_path / "missing.html"), "url": URL}),
        json.dumps({"path": str(tmp_path / "empty.html"), "url": URL}),
        json.dumps({"path": str(tmp_path), "url": URL}),
        "",
        json.dumps({"path": str(tmp_path / "a.html"), "url": "http://www.example.cn/b.html"}),
    ]
    (tmp_path / "manifest.jsonl").write_text("\n".join(rows), encoding="utf-8")
    done = extract("--batch", str(tmp_path / "manifest.jsonl"))
    extracted = records(done)
    assert done.returncode == 0
    assert ["error" in record for record in extracted] == [False, True, True, True, True, True, False]
    assert "line 2" in extracted[1]["error"]
    assert "No such file" in extracted[3]["error"]
    assert extracted[4] == {"url": URL, "error": "the page is empty"}


NO_URLS = ["", "foo", "http://", "http://[bad/", "mailto:x@example.cn", "http:", "//x.cn/", "\ud800"]


@pytest.mark.slow
def test_a_batch_continues_past_invalid_urls_and_malformed_rows(tmp_path: Path) -> None:
    page, binary = tmp_path / "a.html", tmp_path / "b.bin"
    page.write_text(PAGE, encoding="utf-8")
    binary.write_bytes(bytes(range(256)) * 40)
    rows: list[Any] = [{"path": str(page), "url": url} for url in NO_URLS]
    rows += [{"url": URL}, {"path": str(page)}, {"path": None, "url": URL}, {"path": "a\0b", "url": URL}, None, 1, "x", [], {}]
    rows += [{"path": str(tmp_path), "url": URL}, {"path": "", "url": URL}]
    lines = [json.dumps(row) for row in rows] + ['{"path": "a', "1" * 5000, "[" * 100_000, '{"path": "x", "url": 1e999}']
    good = [
        {"path": str(page), "url": URL, "content_type": content_type} for content_type in ("", 7, ["x"], "text/html;charset=\0")
    ]
    lines += [json.dumps(row) for row in [{"path": str(binary), "url": URL, "more": 1}, *good]]
    done = with_an_ascii_locale("extract", "--batch", "-", stdin="\n".join(lines))
    extracted = records(done)
    assert (done.returncode, done.stderr) == (0, b"")
    assert ["error" in record for record in extracted] == [True] * (len(lines) - len(good)) + [False] * len(good)
    assert [record["url"] for record in extracted[:5]] == NO_URLS[:5]
    assert "not an http or https URL" in extracted[1]["error"]


@pytest.mark.parametrize("url", ["", "foo", "http://", "mailto:x@example.cn"])
def test_a_single_page_needs_its_url(tmp_path: Path, url: str) -> None:
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    done = extract(str(tmp_path / "a.html"), "--url", url)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.strip().count(b"\n") <= 1
    assert b"Traceback" not in done.stderr


def test_the_source_of_the_charset_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGE.encode("gbk"))
    (record,) = records(extract(str(tmp_path / "a.html"), "--url", URL, "--content-type", "text/html; charset=utf-8"))
    assert (record["charset"], record["charset_reason"]) == ("gb18030", "bytes")


def test_a_feed_is_no_article(tmp_path: Path) -> None:
    item = f"<item><title>{TEXT}</title><link>{URL}</link></item>"
    feed = f"<?xml version='1.0'?><rss version='2.0'><channel><title>某某网</title>{item}</channel></rss>"
    (tmp_path / "rss.xml").write_text(feed, encoding="utf-8")
    (record,) = records(extract(str(tmp_path / "rss.xml"), "--url", URL, "--content-type", "application/rss+xml"))
    assert record["kind"] == "feed"


def test_unknown_fields_are_null(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<frameset><frame src=a.html></frameset>", encoding="utf-8")
    (record,) = records(extract(str(tmp_path / "a.html"), "--url", URL))
    assert record["author"] == []
    assert record["keywords"] == []
    assert {record[name] for name in ("title", "source", "published_at", "text", "summary")} == {None}


@pytest.mark.parametrize(
    "arguments",
    [[], ["a.html"], ["a.html", "b.html", "--url", URL], ["--batch"], ["--batch", "/no/such/file"], ["--batch", "m", "--url", URL],
     ["a.html", "--url", URL, "--nonsense"], ["a.html", "--url", URL, "--now", "yesterday"],
     ["a.html", "--url", URL, "--now", "0001-01-01T00:00"], ["a.html", "--url", URL, "--now", "9999-12-31T23:59"]],
)  # fmt: skip
def test_wrong_use_is_told_in_one_sentence_with_exit_2(arguments: list[str]) -> None:
    done = extract(*arguments)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr
    assert b"Traceback" not in done.stderr


def test_a_single_page_that_cannot_be_read_exits_1_with_its_reason(tmp_path: Path) -> None:
    done = extract(str(tmp_path / "missing.html"), "--url", URL)
    assert done.returncode == 1
    assert "No such file" in records(done)[0]["error"]


def test_help_shows_an_example() -> None:
    assert b"scrapy extract page.html --url" in extract("--help").stdout


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """A store with an article in two pages, as they were fetched, and one that asked not to be archived."""
    pages = {URL: PAGE.encode("gbk"), URL.replace("1.html", "1_2.html"): PAGE.replace(TEXT, f"第二页：{TEXT}").encode("gbk")}
    database = new_file(tmp_path / "news.db")
    store = open_store(database)
    with store.begin() as conn:
        first, second = (hashlib.sha256(content).hexdigest() for content in pages.values())
        values = {"charset": "gb18030", "crawled_at": datetime(2024, 3, 5, 9, 8, tzinfo=UTC)}
        articles_by_body.keep(conn, url_key(URL), article(URL, "第一页", snapshot=first, content=pages[URL], **values), NOW)
        further = list(pages)[1]
        whole = article(URL, "两页", snapshot=first, parts=(ArticlePart(further, second),), content=pages[further], **values)
        articles_by_body.keep(conn, url_key(URL), whole, NOW + 1)
        articles_by_body.keep(conn, url_key(f"{URL}?noarchive"), article(f"{URL}?noarchive", "别的", snapshot="", content=b""), NOW)
        ledger.offer(conn, [offer(further)], NOW)
        conn.execute(text("UPDATE urls SET reason = 'joined', detail = :url"), {"url": URL})
    store.dispose()
    monkeypatch.setenv("NEWSSPIDER_DATABASE_URL", database)
    return pages


def test_the_pages_of_a_stored_article_are_read_again_as_they_were_fetched(stored: dict[str, bytes]) -> None:
    done = extract("--snapshot", URL)
    assert (done.returncode, done.stderr) == (0, b"")
    first, second = records(done)
    assert list(first) == FIELDS
    assert [first["url"], second["url"]] == list(stored)
    assert (first["title"], first["charset"], first["text"]) == ("新学期的作业怎么写", "gb18030", "\n".join([TEXT] * 4))
    assert first["published_at"] == "2024-03-05T14:08+08:00", "three hours before it was stored"
    assert second["text"].startswith("第二页：")


def test_a_stored_page_is_read_with_the_xpaths_of_its_site(stored: dict[str, bytes], tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/news.db")
    with store.begin() as conn:
        import_sites(conn, [(None, SITE, "test")], NOW)
    store.dispose()
    assert [record["text"] for record in records(extract("--snapshot", URL))] == [TEXT, f"第二页：{TEXT}"], "the first paragraph"


def test_a_further_page_is_read_alone(stored: dict[str, bytes]) -> None:
    (record,) = records(extract("--snapshot", list(stored)[1]))
    assert record["text"].startswith("第二页：")


def test_a_stored_page_is_shown_byte_by_byte(stored: dict[str, bytes]) -> None:
    assert [extract("--snapshot", url, "--content").stdout for url in stored] == list(stored.values())


@pytest.mark.parametrize("url", [f"{URL}?noarchive", "http://www.example.cn/unknown"])
def test_a_page_without_a_snapshot_is_reported(stored: dict[str, bytes], url: str) -> None:
    done = extract("--snapshot", url)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"scrapy extract: no page is stored of {url}\n"


@pytest.mark.parametrize(
    "words",
    [["--content"], ["--revision", "1"], ["--snapshot", URL, "--revision", "0"], ["--snapshot", URL, "--url", URL],
     ["--snapshot", "nonsense"], ["--snapshot", URL, "--now", "2026-13-01"]],
)
def test_invalid_snapshot_options_are_wrong_use(words: list[str]) -> None:
    done = extract(*words)
    assert (done.returncode, done.stdout) == (2, b"")
