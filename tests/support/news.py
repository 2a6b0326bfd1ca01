"""A portal for which it is known exactly which URL leads to which others."""

import re
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.serving import Answer, article, listing, served

HOSTS = 16
LISTS = ("/a/", "/b/")
SITE = """
name = "{name}"
home = "{base}/a/"
weight = 5
media_class = "portal"
delay_seconds = {delay}
delay_reason = "a test"
"""
CHANNEL = """
[[channels]]
name = "{path}"
url = "{base}{path}"
weight = 5
kind = "list"
"""

_NUMBER = re.compile(r"/1(\d{4})\.html$")


@dataclass
class News:
    """A running portal: two lists a host, whose articles they share equally."""

    sites: Path
    shown: dict[str, set[str]]  # the articles that a list shows, all by URL
    asked: dict[str, list[float]] = field(default_factory=dict)  # when a URL was asked for
    endless: set[str] = field(default_factory=set)  # URLs whose answers never end
    latency: float = 0.25
    padding: str = ""  # behind the markup of every list

    @property
    def articles(self) -> set[str]:
        """Every article."""
        return set().union(*self.shown.values())

    @property
    def known_urls(self) -> set[str]:
        """Every URL that the lists make known in the end."""
        return self.made_known(self.shown, self.robots)

    @property
    def robots(self) -> set[str]:
        """The robots.txt of every host."""
        return {re.sub(r"/a/$", "/robots.txt", url) for url in self.shown if url.endswith("/a/")}

    def made_known(self, read: Collection[str], robots: Collection[str]) -> set[str]:
        """The URLs that are known once these lists were read and these robots.txt were thought of."""
        return set(robots).union(self.shown, *(self.shown[url] for url in read if url in self.shown))

    def visits(self) -> dict[str, int]:
        """How often each URL was asked for so far."""
        return {url: len(times) for url, times in self.asked.items()}

    def forget_visits(self) -> None:
        """Begin to count anew."""
        self.asked.clear()


@contextmanager
def news(
    folder: Path, articles: int, *, first_host: int = 100, hosts: int = HOSTS, delay: float = 0.4, domain: str = ""
) -> Iterator[News]:
    """Serve so many articles on so many addresses from 127.0.0.``first_host`` on; the site files lie in ``folder``.

    With a ``domain``, the site files name the hosts in it after the last number of their address.
    """
    portal = News(folder / "sites", {})
    portal.sites.mkdir(parents=True)
    with ExitStack() as servers:
        for host in range(hosts):
            numbers = [number for number in range(articles) if number % hosts == host]
            parts = dict(zip(LISTS, (numbers[::2], numbers[1::2]), strict=True))
            base = servers.enter_context(_host(portal, f"127.0.0.{first_host + host}", parts, domain))
            text = SITE.format(name=f"s{host}", base=base, delay=delay)
            text += "".join(CHANNEL.format(base=base, path=path) for path in LISTS)
            (portal.sites / f"s{host}.toml").write_text(text, encoding="utf-8")
            for path, on_list in parts.items():
                portal.shown[base + path] = {f"{base}/2024/0501/1{number:04}.html" for number in on_list}
        yield portal


@contextmanager
def _host(portal: News, address: str, parts: dict[str, list[int]], domain: str) -> Iterator[str]:
    lock, own = threading.Lock(), []  # its base, once it is known

    def play(path: str, times: int) -> Answer:
        with lock:
            portal.asked.setdefault(own[0] + path, []).append(time.monotonic())
        time.sleep(portal.latency)
        if own[0] + path in portal.endless:
            return 200, _endless(), {}
        if path in parts:
            status, text, headers = listing(*parts[path])
            return status, f"{text}{portal.padding}", headers
        number = _NUMBER.search(path)
        return article(int(number[1])) if number else (404, "", {})

    with served(address, play) as (at, _):
        base = at.replace(address, f"h{address.rpartition('.')[2]}.{domain}") if domain else at
        own.append(base)
        yield base


def _endless() -> Iterator[bytes]:
    yield b"<html><head><meta charset=utf-8><title>"
    while True:
        time.sleep(0.2)
        yield b"."
