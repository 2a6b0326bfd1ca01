"""Answers are recorded as they came, so that web archives replay them."""

import gzip
import json
import random
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler
from warcio.archiveiterator import ArchiveIterator

from newsspider.features.archive.warc_files import ArchivedResponse, WarcFiles
from newsspider.features.archive.warc_middleware import WarcMiddleware
from tests.support.disk import KIB, disk
from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, article, listing, served, site

NOON = datetime(2026, 11, 28, 12, 59, 59, tzinfo=UTC)


def answer(url: str, body: bytes = b"<p>", at: datetime = NOON, status: int = 200) -> ArchivedResponse:
    headers = [("Content-Type", "Text/HTML; charset=gbk"), ("Transfer-Encoding", "chunked"), ("Set-Cookie", "a"), ("Set-Cookie", "b")]
    return ArchivedResponse(url, status, headers, body, "HTTP/1.1", "192.0.2.7", at)


def lines_of(index: Path) -> list[tuple[str, str, dict[str, str]]]:
    split = [line.split(" ", 2) for line in index.read_text("utf-8").splitlines()]
    return [(key, stamp, json.loads(facts)) for key, stamp, facts in split]


def test_a_record_has_status_line_headers_and_the_very_bytes_and_the_index_leads_to_it(tmp_path: Path) -> None:
    files = WarcFiles(tmp_path, "node-1", "obey")
    packed = gzip.compress("教育".encode())
    files.write(answer("http://www.b.cn/Z?b=2&a=1", packed))
    files.write(answer("http://a.cn/", b"", status=404))
    files.close()
    (file,) = tmp_path.glob("*.warc.gz")
    assert file.name == "newsspider-20261128125959-node-1.warc.gz"
    lines = lines_of(file.with_name(file.name.replace(".warc.gz", ".cdxj")))
    assert [(key, stamp) for key, stamp, _ in lines] == [("cn,a)/", "20261128125959"), ("cn,b)/z?a=1&b=2", "20261128125959")]
    for _, _, facts in lines:
        with file.open("rb") as opened:
            opened.seek(int(facts["offset"]))
            member = opened.read(int(facts["length"]))
        assert gzip.decompress(member), "one record, one member"
    facts = lines[1][2]
    assert (facts["mime"], facts["status"], facts["filename"]) == ("text/html", "200", file.name)
    with file.open("rb") as opened:
        records = [
            (record, record.raw_stream.read())
            for record in ArchiveIterator(opened, check_digests="raise")
        ]
    kinds = [record.rec_type for record, _ in records]
    assert kinds == ["warcinfo", "response", "response"]
    record, body = records[1]
    assert body == packed
    assert record.http_headers.get_statuscode() == "200"
    assert record.http_headers.protocol == "HTTP/1.1"
    assert [value for name, value in record.http_headers.headers if name == "Set-Cookie"] == ["a", "b"]
    assert record.http_headers.get_header("Transfer-Encoding") is None
    assert record.rec_headers.get_header("WARC-IP-Address") == "192.0.2.7"
    assert record.rec_headers.get_header("WARC-Date") == "2026-11-28T12:59:59Z"
    assert records[2][0].http_headers.statusline == "404 Not Found"


def test_each_hour_has_a_file_of_its_own(tmp_path: Path) -> None:
    files = WarcFiles(tmp_path, "node-1", "obey")
    for seconds in (0, 1, 2, 3601):
        files.write(answer(f"http://a.cn/{seconds}", at=NOON + timedelta(seconds=seconds)))
    files.close()
    files.close()
    assert [len(lines_of(index)) for index in sorted(tmp_path.glob("*.cdxj"))] == [1, 2, 1]
    assert len(list(tmp_path.iterdir())) == 6


def test_a_worker_that_was_killed_leaves_whole_records_and_their_index(tmp_path: Path) -> None:
    files = WarcFiles(tmp_path, "node-1", "obey")
    files.write(answer("http://b.cn/"))
    files.write(answer("http://a.cn/"))  # and no close
    (file,), (index,) = tmp_path.glob("*.warc.gz"), tmp_path.glob("*.cdxj")
    with file.open("rb") as opened:
        assert len(list(ArchiveIterator(opened))) == 3
    assert len(lines_of(index)) == 2


@pytest.mark.parametrize("suffix", ["warc.gz", "cdxj"])
def test_a_file_that_cannot_be_made_fails_its_answer_alone(tmp_path: Path, suffix: str) -> None:
    files = WarcFiles(tmp_path, "node-1", "obey")
    taken = tmp_path / f"newsspider-20261128125959-node-1.{suffix}"
    taken.mkdir()
    for number in range(2):
        with pytest.raises(OSError, match="File exists"):
            files.write(answer(f"http://a.cn/{number}"))
    for file in tmp_path.iterdir():
        file.rmdir() if file.is_dir() else file.unlink()
    files.write(answer("http://a.cn/2"))
    files.close()
    assert [key for key, _, _ in lines_of(next(tmp_path.glob("*.cdxj")))] == ["cn,a)/2"]


def test_a_header_that_is_none_costs_no_record(tmp_path: Path) -> None:
    files = WarcFiles(tmp_path, "node-1", "obey")
    odd = answer("http://a.cn/1")
    odd.headers.append(("\u6807", "1"))
    files.write(odd)
    files.close()
    assert len(lines_of(next(tmp_path.glob("*.cdxj")))) == 1


@pytest.mark.slow
def test_a_full_disk_takes_whole_records_or_none(tmp_path: Path) -> None:
    with disk(tmp_path / "disk", 300 * KIB) as small:
        files = WarcFiles(small.folder, "node-1", "obey")
        files.write(answer("http://a.cn/1"))
        small.leave(20 * KIB)
        with pytest.raises(OSError, match="No space left"):
            files.write(answer("http://a.cn/2", random.Random(1).randbytes(100 * KIB)))
        small.clear()
        files.write(answer("http://a.cn/3"))
        files.close()
        (file,) = small.folder.glob("*.warc.gz")
        with file.open("rb") as opened:
            urls = [record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(opened, check_digests="raise")]
    assert urls[1:] == ["http://a.cn/1", "http://a.cn/3"]


def test_nothing_is_recorded_unless_a_folder_is_named() -> None:
    with pytest.raises(NotConfigured):
        WarcMiddleware.from_crawler(get_crawler(settings_dict={"WARC_FOLDER": ""}))


def crawled(folder: Path, warc: Path) -> tuple[str, subprocess.CompletedProcess[str]]:
    """A crawl of a list, two articles, a redirect and a page that is gone; its base URL and how it ended."""
    pages = {
        "/": listing(1, 2, 3, 4),
        "/2024/0501/10001.html": article(1),
        "/2024/0501/10002.html": (200, iter([gzip.compress(str(article(2)[1]).encode())]), {"Content-Encoding": "gzip"}),
        "/2024/0501/10003.html": (301, "", {"Location": "/2024/0501/10001.html"}),
        "/robots.txt": (200, "User-agent: *\nDisallow: /private\n", {"Content-Type": "text/plain"}),
    }
    with served("127.0.0.1", lambda path, _: pages.get(path, (404, "gone", {}))) as (base, _):
        site(folder, base, {"/": 5})
        ran = scrapy(
            folder / "news.db", "crawl", "education", "-a", f"sites={folder}", "-a", "topic=any", *QUICK,
            "-s", f"WARC_FOLDER={warc}",
        )  # fmt: skip
    return base, ran


@pytest.mark.slow
def test_a_crawl_records_every_answer(tmp_path: Path) -> None:
    base, ran = crawled(tmp_path, tmp_path / "warc")
    assert ran.returncode == 0, ran.stderr
    statuses, bodies = {}, {}
    for file in (tmp_path / "warc").glob("*.warc.gz"):
        with file.open("rb") as opened:
            for record in ArchiveIterator(opened, check_digests="raise"):
                if record.rec_type == "response":
                    path = record.rec_headers.get_header("WARC-Target-URI").removeprefix(base)
                    statuses[path] = record.http_headers.get_statuscode()
                    bodies[path] = record.content_stream().read().decode()
    assert statuses == {
        "/robots.txt": "200", "/": "200", "/2024/0501/10001.html": "200", "/2024/0501/10002.html": "200",
        "/2024/0501/10003.html": "301", "/2024/0501/10004.html": "404",
    }  # fmt: skip
    assert bodies["/2024/0501/10002.html"] == article(2)[1]
    lines = [line for index in (tmp_path / "warc").glob("*.cdxj") for line in lines_of(index)]
    assert len(lines) == len(statuses)


@pytest.mark.slow
def test_a_folder_that_takes_nothing_costs_no_page(tmp_path: Path) -> None:
    (tmp_path / "flat").write_text("")
    _, ran = crawled(tmp_path, tmp_path / "flat/folder")
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count("WARC_FOLDER cannot be written to") == 1
    assert len(rows(tmp_path / "news.db", "SELECT id FROM articles")) == 2
