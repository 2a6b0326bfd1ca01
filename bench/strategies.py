"""``python -m bench.strategies``: harvest and coverage of the crawl strategies on one synthetic graph.

Harvest is the share on topic of the pages fetched, coverage the share of the articles on topic that were fetched. The graph
(``bench/topic_graph.py``) is synthetic. The *oracle* beside them knows how many links each page is away from the nearest
article on topic, before it is fetched.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import timeit
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.topic_graph import HOSTS, TopicGraph, topic_graph
from bench.walk import Walk, host_of
from newsspider.core.strategies import STRATEGIES, strategy
from newsspider.core.strategies.strategy import NO_COUNTS, Counts, LinkSeen, Placement, Strategy, Visit, if_new

PAGES = 20_000
BUDGETS = (500, 2000, 5000, 10_000)
FIRST = 200  # pages, among which the hosts are counted
# Not walked: polling asks the lists it is given and follows nothing; rbse walks as breadth-first or depth-first does.
NOT_WALKED = ("polling", "rbse")
LINE = "{:<15}" + "{:>9}" * len(BUDGETS) + "   " + "{:>9}" * len(BUDGETS) + "{:>9}{:>9}{:>9}"


@dataclass(frozen=True, slots=True)
class Oracle(Strategy):
    """The page nearest to an article on topic first, these themselves at 0."""

    distances: Mapping[str, int]

    def links(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS) -> list[Placement | None]:
        depth = visit.placement.depth + 1
        return [if_new(link, Placement(-self.distances.get(link.url, len(self.distances)), depth)) for link in links]

    @classmethod
    def of(cls, graph: TopicGraph) -> Oracle:
        """The distances against the direction of the links, level by level."""
        sources: dict[str, list[str]] = {}
        for url, page in graph.pages.items():
            for shown in page.links:
                sources.setdefault(shown.url, []).append(url)
        level, distances = sorted(graph.on_topic), dict.fromkeys(graph.on_topic, 0)
        while level:
            level = [source for url in level for source in sources.get(url, ()) if source not in distances]
            distances |= dict.fromkeys(level, max(distances.values()) + 1)
        return cls(distances)


@dataclass(frozen=True, slots=True)
class Crawled:
    """What one strategy fetched within each budget."""

    harvest: tuple[float, ...]
    coverage: tuple[float, ...]
    pages: int  # fetched in all: fewer than the largest budget where nothing was left
    hosts: int  # with a page among the first of them


def crawled(graph: TopicGraph, strategy: Strategy, budgets: Sequence[int] = BUDGETS) -> Crawled:
    """Walk the graph up to the largest budget."""
    walk = Walk(graph.pages, strategy)
    walk.seed(graph.seeds)
    visits = list(walk.visits(max(budgets)))
    found = [sum(url in graph.on_topic for url in visits[:budget]) for budget in budgets]
    harvest = tuple(good / min(budget, len(visits)) for good, budget in zip(found, budgets, strict=True))
    coverage = tuple(good / len(graph.on_topic) for good in found)
    return Crawled(harvest, coverage, len(visits), len({host_of(url) for url in visits[:FIRST]}))


def microseconds(strategy: Strategy, links: int = 60, rounds: int = 200) -> float:
    """CPU time a link, for a page with so many new ones."""
    seen = [LinkSeen(f"http://www{i % 5}.example/a/{i}.html", f"www{i % 5}.example", i / links, i / links) for i in range(links)]
    visit = Visit("www1.example", strategy.seed("http://www1.example/"), 5, 0.7, True)
    best = min(timeit.repeat(lambda: strategy.links(visit, seen), timer=time.process_time, number=rounds, repeat=5))
    return 1e6 * best / rounds / links


def contestants(graph: TopicGraph) -> dict[str, Strategy]:
    """Every strategy with its defaults, and the oracle."""
    walked: dict[str, Strategy] = {name: strategy(name) for name in STRATEGIES if name not in NOT_WALKED}
    return walked | {"oracle": Oracle.of(graph)}


def mean(figures: Sequence[Crawled]) -> Crawled:
    """The means over several graphs."""
    return Crawled(
        tuple(map(statistics.fmean, zip(*(each.harvest for each in figures), strict=True))),
        tuple(map(statistics.fmean, zip(*(each.coverage for each in figures), strict=True))),
        round(statistics.fmean(each.pages for each in figures)),
        round(statistics.fmean(each.hosts for each in figures)),
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.strategies", description=__doc__)
    parser.add_argument("--graphs", type=int, default=1, help="the mean over so many")
    parser.add_argument("--seed", type=int, default=1, help="of the first graph")
    parser.add_argument("--pages", type=int, default=PAGES, help="of a graph, about")
    options = parser.parse_args()
    graphs = [topic_graph(options.pages, options.seed + number) for number in range(options.graphs)]
    for number, graph in enumerate(graphs):
        links = sum(len(page.links) for page in graph.pages.values())
        print(
            f"synthetic graph, seed {options.seed + number}: {len(graph.pages)} pages on {HOSTS} hosts, {links} links, "
            f"{len(graph.on_topic)} articles on topic ({len(graph.on_topic) / len(graph.pages):.1%})"
        )
    print("\n" + LINE.format("", *("harvest", "", "", ""), *("coverage", "", "", ""), "pages", "hosts", "us"))
    print(LINE.format("pages fetched", *BUDGETS, *BUDGETS, "in all", f"in {FIRST}", "a link"))
    for name in contestants(graphs[0]):
        figures = mean([crawled(graph, contestants(graph)[name]) for graph in graphs])
        shares = [f"{share:.3f}" for share in (*figures.harvest, *figures.coverage)]
        cost = f"{microseconds(contestants(graphs[0])[name]):.1f}"
        print(LINE.format(name, *shares, figures.pages, figures.hosts, cost), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
