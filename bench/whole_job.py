"""The whole job beside the naive one and beside download only, on the same loopback pages, rounds in turn."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tomllib
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.naive import SESSION
from demo.makes import MAKES, Column

ROOT = Path(__file__).parents[1]
CONCURRENCIES = (1, 10, 50)
CONCURRENCY = 16  # Scrapy's default
WANTED = 5.0  # times the naive one
LEAST_BYTES = 40_000  # of the median page
MOST_DIFFERENT = 0.05  # between what two contestants asked for and stored
ARTICLE = r"[/_-]\d{5,}(?:-1-1|-1)?(?:\.s?html?)?$"  # how article URLs end on the portal
NO_HTML = re.compile(r'kind = "(?:feed|sitemap)"')  # channels that the naive spider cannot read


@dataclass(frozen=True, slots=True)
class Crawl:
    """What one crawl did: pages that were answered with 200, rows stored, seconds."""

    pages: frozenset[str]
    articles: int
    cpu: float
    wall: float
    stages: dict[str, float]

    @property
    def rate(self) -> float:
        """Pages a CPU-second."""
        return len(self.pages) / self.cpu


class Portal:
    """The sample portal, well-behaved pages only, crowded as real ones or ``light``.

    Its site files are without delays and without what only ours can read.
    """

    def __init__(self, folder: Path, articles: int, *, light: bool = False) -> None:
        self.folder, self.sites = folder, folder / "sites"
        command = [sys.executable, "-m", "demo", "serve", "--plain", "--port", "0", "--sites-dir", str(self.sites)]
        command += [] if light else ["--crowded"]
        self.process = subprocess.Popen(
            [*command, "--articles", str(articles)], cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self.process.stdout is not None
        match = re.search(r"http://[\d.]+:\d+", self.process.stdout.readline())
        if match is None:
            sys.exit("the sample portal did not start")
        self.base = match[0]
        for make in MAKES:
            self._open_wide(
                self.sites / f"{make.key}.toml", [column for column in make.columns if column.weight is None]
            )
        lists = [page["url"] for page in self.get("/__truth__")["pages"] if page["kind"] == "list"]
        self.starts = folder / "starts.txt"  # every list page: the naive spider cannot find them all by itself
        self.starts.write_text("\n".join(url for url in lists if "/tag/" not in url), "utf-8")

    def _open_wide(self, file: Path, unwatched: list[Column]) -> None:
        """Take the delay from a site file, and the channels that only ours can read; add those that only the naive would find."""
        head, *channels = file.read_text("utf-8").split("[[channels]]\n")
        head = re.sub(r"(?m)^delay_seconds *=.*$", "delay_seconds = 0.0", head)
        html_channels = [channel for channel in channels if not NO_HTML.search(channel)]
        home = tomllib.loads(head)["home"].rstrip("/")
        html_channels += [
            f'name = "{c.label}"\nurl = "{home}{c.path(1)}"\nweight = 1\nkind = "list"\n' for c in unwatched
        ]
        file.write_text("[[channels]]\n".join([head, *html_channels]), "utf-8")

    def get(self, path: str, method: str = "GET") -> Any:
        """The answer of a control endpoint."""
        with urllib.request.urlopen(urllib.request.Request(self.base + path, method=method)) as answer:
            return json.load(answer)

    def pages(self) -> frozenset[str]:
        """The pages that were asked for and answered since the last reset, each once, robots.txt aside."""
        hits = [hit for hit in self.get("/__hits__") if hit["status"] == 200 and hit["path"] != "/robots.txt"]
        return frozenset(SESSION.sub("", f"http://{hit['host']}{hit['path']}") for hit in hits)

    def median_bytes(self, urls: frozenset[str]) -> float:
        """The size of the page in the middle."""
        sizes = []
        for url in urls:
            with urllib.request.urlopen(url) as answer:
                sizes.append(len(answer.read()))
        return statistics.median(sizes)

    def close(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait()


def ours(portal: Portal, concurrency: int = CONCURRENCY, stages: bool = False, settings: str = "bench.ours") -> Crawl:
    """One round of newsspider on an empty store."""
    arguments = {"sites": portal.sites, "topic": "any"}
    stored = "SELECT count(*) FROM article_urls"
    return _crawl(portal, settings, "education", arguments, stored, concurrency, stages)


def naive(portal: Portal, concurrency: int = CONCURRENCY) -> Crawl:
    """The naive spider on an empty database."""
    arguments = {"starts": portal.starts, "articles": ARTICLE, "database": portal.folder / "crawl" / "stored.db"}
    return _crawl(portal, "bench.peers", "naive", arguments, "SELECT count(*) FROM articles", concurrency)


def download_only(portal: Portal, urls: frozenset[str], concurrency: int = CONCURRENCY) -> Crawl:
    """These pages, and nothing done with them."""
    file = portal.folder / "urls.txt"
    file.write_text("\n".join(sorted(urls)), "utf-8")
    return _crawl(portal, "bench.peers", "download_only", {"urls": file}, "", concurrency)


def _crawl(
    portal: Portal,
    settings: str,
    spider: str,
    arguments: dict[str, Any],
    stored: str,
    concurrency: int,
    stages: bool = False,
) -> Crawl:
    folder = portal.folder / "crawl"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    report = folder / "report.json"
    values = {
        "BENCH_REPORT": report,
        "BENCH_STAGES": int(stages),
        "CONCURRENT_REQUESTS": concurrency,
        "LOG_LEVEL": "ERROR",
    }
    flags = [word for name, value in values.items() for word in ("-s", f"{name}={value}")]
    flags += [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
    environment = os.environ | {
        "SCRAPY_SETTINGS_MODULE": settings,
        "PYTHONPATH": str(ROOT),
        "NEWSSPIDER_DATA_DIR": str(folder),
        "NEWSSPIDER_DATABASE_URL": f"sqlite:///{folder}/stored.db",
        "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8",
    }
    portal.get("/__reset__", "POST")
    command = [sys.executable, "-m", "scrapy", "crawl", spider, *flags]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or not report.exists():
        sys.exit(f"{spider} failed with exit code {done.returncode}\n{done.stderr[-3000:]}")
    figures = json.loads(report.read_text("utf-8"))
    articles = _count(folder / "stored.db", stored) if stored else 0
    return Crawl(portal.pages(), articles, figures["cpu"], figures["wall"], figures["stages"])


def _count(database: Path, query: str) -> int:
    with sqlite3.connect(database) as connection:
        return int(connection.execute(query).fetchone()[0])
