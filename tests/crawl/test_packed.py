"""Packed pages in whole crawls: whole, cut short, false, too large; and a robots.txt without end."""

import gzip
import random
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest

from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, Answer, article, listing, served, site

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd.compress}
TROUBLES = {
    "whole": ("done", "stored"),
    "cut": ("error", "truncated"),
    "never packed": ("error", "unreadable"),
    "junk": ("error", "unreadable"),
    "bomb": ("error", "too_large"),
}
CASES = [(coding, trouble) for coding in PACKERS for trouble in TROUBLES]


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """State and reason of each case's page after one crawl, by path."""
    folder = tmp_path_factory.mktemp("packed")

    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt":
            return 404, "", {}
        if path == "/":
            return listing(*range(len(CASES)))
        n = int(path[-9:-5])
        coding, trouble = CASES[n]
        page = str(article(n)[1]).encode()
        packed = PACKERS[coding](page)
        body = {
            "whole": packed,
            "cut": packed[: len(packed) * 2 // 3],
            "never packed": page,
            "junk": random.Random(n).randbytes(30_000),
            "bomb": PACKERS[coding](page + b" " * 1_000_000),
        }[trouble]
        return 200, body, {"Content-Encoding": coding}

    with served("127.0.0.91", play) as (base, _):
        sites = site(folder, base, {"/": 5})
        command = ("crawl", "education", "-a", f"sites={sites}", *QUICK, "-s", "DOWNLOAD_MAXSIZE=200000")
        done = scrapy(folder / "n.db", *command)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    return {url.removeprefix(base): (state, reason) for url, state, reason in rows(folder / "n.db", "SELECT url, state, reason FROM urls")}


@pytest.mark.parametrize(("coding", "trouble"), CASES)
def test_the_outcome_of_a_packed_page_names_what_was_wrong_with_it(
    endings: dict[str, tuple[str, str]], coding: str, trouble: str
) -> None:
    assert endings[f"/2024/0501/1{CASES.index((coding, trouble)):04}.html"] == TROUBLES[trouble]


RULES = b"User-agent: *\nDisallow: /2024/0501/10002\n"


@pytest.mark.parametrize(
    ("make_body", "coding"),
    [
        (lambda: RULES + b"# filler\n" * 1_200_000, ""),
        (lambda: gzip.compress(RULES + b"# filler\n" * 1_200_000), "gzip"),
        (lambda: gzip.compress(RULES + random.Random(1).randbytes(10_000_000).hex().encode(), 1), "gzip"),
        (lambda: gzip.compress(RULES + b"#" + random.Random(1).randbytes(10_000_000), 0), "gzip"),
    ],
    ids=["plain", "packed small", "packed large", "longer packed than unpacked"],
)
def test_the_beginning_of_a_robots_file_of_any_length_is_obeyed(tmp_path: Path, make_body: Callable[[], bytes], coding: str) -> None:
    body = make_body()

    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 200, body, {"Content-Type": "text/plain"} | ({"Content-Encoding": coding} if coding else {})
            case "/":
                return listing(1, 2, 3)
        return article(int(path[-9:-5]))

    with served("127.0.0.92", play) as (base, requests):
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]
    assert {path for path in requests if path.startswith("/2024/")} == {"/2024/0501/10001.html", "/2024/0501/10003.html"}
    assert requests["/robots.txt"] == 1
    assert rows(tmp_path / "n.db", "SELECT length(robots_text) FROM hosts") == [(500 * 1024 + 1,)]
