"""Graphs drawn by hand, one page a line: ``a1: a2 b1`` links from a1 to a2 and b1; the first letter is the host."""

from collections.abc import Sequence

from bench.walk import GraphPage, Shown, Walk
from newsspider.features.explore.rules.strategy import Strategy


def url(name: str) -> str:
    return f"http://{name[0]}/{name}"


def names(urls: Sequence[str]) -> str:
    return " ".join(address.rpartition("/")[2] for address in urls)


def graph(*lines: str) -> dict[str, GraphPage]:
    """The pages of a graph: ``a1*`` is on topic, and the link ``a2=0.7`` has an anchor with that score."""
    pages = {}
    for line in lines:
        name, _, links = line.partition(":")
        relevance = 1.0 if name.endswith("*") else 0.0
        pages[url(name.rstrip("*"))] = GraphPage(relevance, tuple(map(_shown, links.split())))
    return pages


def _shown(text: str) -> Shown:
    name, _, score = text.partition("=")
    return Shown(url(name), float(score or 0))


def order(pages: dict[str, GraphPage], strategy: Strategy, seeds: str, count: int | None = None) -> str:
    """The names of the pages in the order in which they are visited."""
    walk = Walk(pages, strategy)
    walk.seed(map(url, seeds.split()))
    return names(list(walk.visits(count)))
