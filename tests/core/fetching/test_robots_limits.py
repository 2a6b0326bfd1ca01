"""A robots.txt of 500 KiB takes little time and memory whatever it contains, and so does each URL that is checked against it."""

import random
import time
import tracemalloc
from collections.abc import Callable

import pytest

from newsspider.core.fetching.robots import MOST_CHARACTERS, MOST_PIECES, READ_BYTES, Robots, RobotsText
from tests.support.robots import AGENT, allowed, read
from tests.support.tables import each

MEGABYTES = 1024 * 1024
PEAK = 20 * MEGABYTES
LEAST_SECONDS = 0.01  # shorter times are lost in the noise of a busy machine
US = "User-agent: *\n"
URLS = ["http://a.cn/" + "a" * 1980, "http://a.cn/" + "0123456789abcdef" * 120, "http://a.cn/news/2024/0501/10001.html"]


def numbered(line: str, start: str = "") -> Callable[[int], bytes]:
    """A text of about the given size that repeats one line with rising numbers."""
    return lambda size: (start + "".join(line % number for number in range(size // (len(line % 60_000)) - 2))).encode()


def repeated(part: bytes, start: str = "", end: bytes = b"\n") -> Callable[[int], bytes]:
    return lambda size: start.encode() + part * ((size - 200) // len(part)) + end


def halves(first: str, second: str) -> Callable[[int], bytes]:
    return lambda size: numbered(first)(size // 2) + numbered(second)(size // 2)


SHAPES: dict[str, Callable[[int], bytes]] = {
    "agents, then rules": halves("User-agent: a%d\n", "Disallow: /%d\n"),
    "agents, then delays": halves("User-agent: a%d\n", "Crawl-delay: %d\n"),
    "our name again and again": repeated(b"user-agent:*\n"),
    "groups": numbered("user-agent:*\nallow:/%x\n"),
    "rules": numbered("allow:/%x\n", US),
    "rules twice": numbered("allow:/%x\n", US + "User-agent: newsspider\n"),
    "empty rules": repeated(b"allow:\n", US),
    "wildcards": numbered("disallow:/*%x\n", US),
    "ends": numbered("allow:/%x$\n", US),
    "wildcards and ends": numbered("allow:*%x$\n", US),
    "index pages": numbered("allow:/%x/index.html\n", US),
    "one rule of stars": repeated(b"*a", US + "disallow:/"),
    "one rule of escapes": repeated(b"%61x", US + "disallow:/"),
    "escapes in small letters": repeated(b"%e6", US + "disallow:/"),
    "high bytes": repeated("教".encode(), US + "disallow:/"),
    "utf-16": lambda size: ("\ufeff" + US + "disallow:/" + "教" * (size // 2 - 50) + "\n").encode("utf-16-le"),
    "delays": repeated(b"crawl-delay:1\n", US),
    "a long delay": repeated(b"9", US + "crawl-delay:"),
    "sitemaps": numbered("sitemap:%x\n"),
    "no line end": repeated(b"a", end=b""),
    "carriage returns": repeated(b"\r"),
    "blanks": repeated(b" "),
    "a rule of blanks": repeated(b" ", US + "disallow:/a", b"b\n"),
    "empty comments": repeated(b"#\n"),
    "letters": repeated(b"d\n"),
    "junk": lambda size: random.Random(7).randbytes(size),
}
each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def seconds(body: bytes) -> float:
    """The smallest CPU time of three readings."""
    cpu_times = []
    for _ in range(3):
        started = time.process_time()
        robots = read(body)
        robots.crawl_delay(AGENT)
        cpu_times.append(time.process_time() - started)
        assert isinstance(robots.sitemaps, tuple)
    return min(cpu_times)


@pytest.mark.slow
@each_shape
def test_eight_times_the_text_takes_nowhere_near_64_times_as_long(shape: Callable[[int], bytes]) -> None:
    eighth, whole = shape(READ_BYTES // 8), shape(READ_BYTES)
    assert READ_BYTES * 0.8 < len(whole) <= READ_BYTES
    assert seconds(whole) < 3 * 8 * max(seconds(eighth), LEAST_SECONDS)


@pytest.mark.slow
@each_shape
def test_reading_takes_little_memory_and_its_size_is_known(shape: Callable[[int], bytes]) -> None:
    body = shape(READ_BYTES)
    tracemalloc.start()
    robots = read(body)
    robots.crawl_delay(AGENT)
    allocated, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < PEAK
    assert allocated < robots.size + 100_000


def middles() -> bytes:
    """Patterns that nearly match at every position."""
    return (US + "".join(f"disallow: /*{'a' * (20 + number % 40)}b{'a' * (20 + number // 40)}\n" for number in range(6000))).encode()


@each(
    "body",
    [SHAPES[name](READ_BYTES) for name in ("rules", "wildcards", "wildcards and ends", "one rule of stars")]
    + [(US + "".join(f"disallow:/{'a' * number}b\n" for number in range(1000))).encode(), middles()[:READ_BYTES]],
    ids=["rules", "wildcards", "ends", "stars", "lengths", "middles"],
)
def test_a_url_is_asked_about_in_milliseconds(body: bytes) -> None:
    robots = read(body)
    assert robots.allowed("http://a.cn/robots.txt", AGENT)
    for url in URLS:
        started = time.process_time()
        robots.allowed(url, AGENT)
        assert time.process_time() - started < 0.1  # 5 ms on an idle machine


def test_beyond_the_limit_a_disallow_with_wildcards_forbids_more_and_an_allow_is_ignored() -> None:
    few = "".join(f"Disallow: /x*{number}y\n" for number in range(MOST_PIECES // 2))
    text = f"User-agent: *\n{few}Disallow: /late/*z\nAllow: /free/*z\nDisallow: /free/\n"
    assert not allowed(text, "/x-1y")
    assert allowed(text, "/x-z")
    assert not allowed(text, "/late/a")
    assert not allowed(text, "/free/1z")
    assert allowed(text, "/news/")
    assert not allowed(f"User-agent: *\nDisallow: *{'a' * MOST_CHARACTERS}", "/b")


def test_rules_are_kept_for_the_agent_that_asked_last() -> None:
    robots = Robots.read(RobotsText(200, b"User-agent: a\nDisallow: /\nCrawl-delay: 5\n", 0.0))
    assert not robots.allowed("http://a.cn/x", "a")
    assert robots.allowed("http://a.cn/x", "b")
    assert (robots.crawl_delay("a"), robots.crawl_delay("b")) == (5.0, None)
