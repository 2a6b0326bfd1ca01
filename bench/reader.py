"""``python -m bench.reader [FILE_OR_FOLDER ...]``: milliseconds a page of reading, beside lxml's parse and named extractors, in one run.

Ours is all that the spider does with an article page: decode, parse, body and fields, links, kind. Keywords are not counted, which are
chosen for articles on topic only. Without arguments the pages are articles of the sample portal. Each page is read by each contestant
in turn, and the best of the rounds counts, in CPU time of the thread.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import lxml.html
from lxml import etree

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.charset import decode
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import links_of, page_links

PAGES = 60  # of the sample portal
SUFFIXES = frozenset({".html", ".htm", ".shtml"})
MOST_MILLISECONDS = 5.0  # median of ours
MOST_TIMES_LXML = 4.0
LEAST_TIMES_READABILITY = 8.0
SLOWEST_MILLISECONDS = 100.0  # of any page
NOW = datetime(2025, 6, 16, tzinfo=UTC)
LINE = "{:<14}{:>10}{:>10}{:>10}{:>12}"

Reading = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds of one contestant, a page each."""

    each: tuple[float, ...]

    @property
    def median(self) -> float:
        """Of all pages."""
        return statistics.median(self.each)

    def times(self, other: Figures) -> float:
        """The median, over the pages, of how many times longer than the other this one takes."""
        return statistics.median(mine / theirs for mine, theirs in zip(self.each, other.each, strict=True))


def ours(body: bytes) -> object:
    """All that the spider does with an article page."""
    page = parse(body, "http://www.example.cn/2025/0616/c1.html")
    article = extract_article(page, NOW)
    return page_type_of(page, article, page_links(page))


def our_list(body: bytes) -> object:
    """All that the spider does with a list page."""
    return links_of(parse(body, "http://www.example.cn/list/"))


def lxml_parse(body: bytes) -> object:
    """lxml alone, on text that is decoded already."""
    return etree.fromstring(body, parser=etree.HTMLParser(encoding="utf-8", huge_tree=True))


def peers() -> Iterator[tuple[str, Reading]]:
    """The extractors that are installed here."""
    try:
        import readability  # type: ignore[import-untyped] # it ships no types
    except ImportError:
        pass
    else:
        yield (
            "readability",
            lambda body: lxml.html.fromstring(readability.Document(body.decode()).summary()).xpath("string()"),
        )
    try:
        import trafilatura
    except ImportError:
        pass
    else:
        yield "trafilatura", lambda body: trafilatura.bare_extraction(body, with_metadata=True)
    try:
        from gne import GeneralNewsExtractor  # type: ignore[import-untyped] # it ships no types
    except ImportError:
        pass
    else:
        yield "gne", lambda body: GeneralNewsExtractor().extract(body.decode())


def milliseconds(reading: Reading, body: bytes) -> float:
    """CPU time of one reading; one that fails has taken its time as well."""
    began = time.thread_time()
    with suppress(Exception):  # that a peer fails on a page is not what is measured here
        reading(body)
    return 1000 * (time.thread_time() - began)


def measured(pages: Iterable[bytes], rounds: int, readings: dict[str, Reading]) -> dict[str, Figures]:
    """The best round of each page for each contestant, all in turn."""
    times_by_reader: dict[str, list[float]] = {name: [] for name in readings}
    for body in pages:
        for name, reading in readings.items():
            times_by_reader[name].append(min(milliseconds(reading, body) for _ in range(rounds)))
    return {name: Figures(tuple(times)) for name, times in times_by_reader.items()}


def sample_pages(count: int) -> list[bytes]:
    """Articles of the sample portal, of all its makes."""
    from demo.clock import START, Clock
    from demo.portal import Portal
    from demo.routes import Routes

    routes = Routes(Portal(8900, Clock(START), 10 * count))
    bodies = (page.render() for page in routes.pages.values() if page.post is not None and not page.moved_to)
    whole_pages = [body for body in bodies if body]
    return whole_pages[:: max(1, len(whole_pages) // count)][:count]


def saved_pages(paths: Iterable[Path]) -> list[bytes]:
    """The pages in these files and folders."""
    files = (file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]))
    return [file.read_bytes() for file in files if file.suffix.lower() in SUFFIXES]


def readable(pages: Iterable[bytes]) -> list[bytes]:
    """Those that hold markup at all, as UTF-8, so that every contestant reads the same."""
    texts = []
    for body in pages:
        text = decode(body).text
        try:
            parse(text.encode("utf-8", "replace"), "http://www.example.cn/")
        except UnreadablePageError:
            continue
        texts.append(text.encode("utf-8", "replace"))
    return texts


def main() -> int:
    """Print the figures; the exit code is 1 if ours is slower than wanted."""
    parser = argparse.ArgumentParser(prog="python -m bench.reader", description="milliseconds a page of reading")
    parser.add_argument(
        "paths", nargs="*", type=Path, help="saved pages, or folders of them (default: the sample portal)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    options = parser.parse_args()
    pages = readable(saved_pages(options.paths) if options.paths else sample_pages(PAGES))
    if not pages:
        parser.error("no page can be read there")
    readings: dict[str, Reading] = {"lxml": lxml_parse, "newsspider": ours, "as a list": our_list, **dict(peers())}
    figures = measured(pages, options.rounds, readings)
    print(f"{len(pages)} pages, median {statistics.median(map(len, pages)) / 1000:.0f} kB")
    print(LINE.format("ms a page", "median", "mean", "slowest", "times lxml"))
    for name, of_reader in figures.items():
        values = (
            of_reader.median,
            statistics.mean(of_reader.each),
            max(of_reader.each),
            of_reader.times(figures["lxml"]),
        )
        print(LINE.format(name, *(f"{value:.2f}" for value in values)))
    return verdict(figures)


def verdict(figures: dict[str, Figures]) -> int:
    """What is wanted and what it is; 1 if something is missed."""
    mine = figures["newsspider"]
    most = {
        "median ms": (mine.median, MOST_MILLISECONDS),
        "times lxml": (mine.times(figures["lxml"]), MOST_TIMES_LXML),
        "slowest ms": (max(*mine.each, *figures["as a list"].each), SLOWEST_MILLISECONDS),
    }
    if "readability" in figures:
        most["share of readability"] = (1 / figures["readability"].times(mine), 1 / LEAST_TIMES_READABILITY)
    for name, (value, limit) in most.items():
        print(f"{name}: {value:.2f} (wanted: at most {limit:g}){'' if value <= limit else ' MISSED'}")
    return 0 if all(value <= limit for value, limit in most.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
