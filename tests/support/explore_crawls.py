"""Explore crawls of a small web."""

from pathlib import Path

from tests.support.portal import scrapy
from tests.support.webs import Web

HOST = "127.0.0.87"
ONE_AT_A_TIME = ("-s", "CONCURRENT_REQUESTS=1", "-s", "DELAY_MIN_SECONDS=0", "-s", "DELAY_FACTOR=0")
QUICK = (*ONE_AT_A_TIME, "-s", "RETRY_BASE_SECONDS=0.05", "-s", "RETRY_TIMES=1", "-s", "ROUND_PATIENCE_SECONDS=3")
LINKED = Web(
    "a: b+ c- d", "b*: e+ f g/x-", "c: h g/y d+", "d*: i+ b j", "e*: k+ g/x", "f: l", "g/x*: m+ n", "g/y: n",
    "h: o", "i: p+", "j: a", "k*: q+", *"lmnopq",
)  # fmt: skip


def explore(database: Path, name: str, seeds: str, *more: str) -> int:
    """Run an explore crawl to its end; the exit code."""
    done = scrapy(database, "crawl", "explore", "-a", f"strategy={name}", "-a", f"seeds={seeds}", *QUICK, *more)
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return done.returncode
