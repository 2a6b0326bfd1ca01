"""``python -m bench.strategies``: what the crawl strategies, and peers of the focused one, harvest on synthetic sites.

Harvest is the share on topic of the pages fetched, coverage the share of all articles on topic that were fetched. The graphs
(``bench/site_graph.py``) are **synthetic**; their anchors are real headlines where ``--data`` holds the sets that ``bench/phrases.py``
names, and phrases of our own where not. The *oracle* knows the label of every page to which a known page links, which articles on topic
a known list shows, and how many links away the next one is; it fetches what is on topic first, then the list that shows most of it.
"""

from __future__ import annotations

import argparse
import heapq
import statistics
import sys
import time
import timeit
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bench import guides
from bench.phrases import Phrases, headlines, teaching
from bench.site_graph import SiteGraph, site_graph
from bench.walk import GraphPage, Walk, host_of
from newsspider.core.relevance.document import Document
from newsspider.core.relevance.scoring import score
from newsspider.features.explore.rules.strategy import LinkSeen, Strategy, VisitedPage
from newsspider.features.explore.rules.strategy_names import STRATEGIES, make_strategy
from newsspider.topics.loader import load_topic

PAGES = 40_000
GRAPHS = 20
BUDGETS = (500, 1000, 2000, 4000)
FIRST = 200  # pages, among which the hosts are counted
TOPIC = "education"
# Not walked: polling asks the lists it is given and follows nothing; rbse walks as breadth-first or depth-first does.
NOT_WALKED = ("polling", "rbse")
WANTED = {"oracle": 0.95, "breadth-first": 8.0, "anchors": 1.5}  # times each of them
WANTED_ISLANDS, WANTED_TRAPS = 0.9, 0.01
LINE = "{:<15}" + "{:>7}" * len(BUDGETS) + "  " + "{:>7}" * len(BUDGETS) + "{:>8}{:>8}{:>8}{:>7}"

Visits = Callable[[], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Crawled:
    """What one crawler fetched within each budget."""

    harvest: tuple[float, ...]
    coverage: tuple[float, ...]
    pages: int  # fetched in all: fewer than the largest budget where nothing was left
    hosts: int  # with a page among the first of them
    islands: float  # share of the islands of which a page was fetched
    traps: float  # share of its fetches


def crawled(graph: SiteGraph, visits: Iterator[str], budgets: Sequence[int] = BUDGETS) -> Crawled:
    """Crawl up to the largest budget."""
    fetched = [url for url, _ in zip(visits, range(max(budgets)), strict=False)]
    on_topic_counts = [sum(url in graph.on_topic for url in fetched[:budget]) for budget in budgets]
    harvest = tuple(good / min(budget, len(fetched)) for good, budget in zip(on_topic_counts, budgets, strict=True))
    coverage = tuple(good / len(graph.on_topic) for good in on_topic_counts)
    fetched_urls = frozenset(fetched)
    islands = sum(bool(island & fetched_urls) for island in graph.islands) / max(1, len(graph.islands))
    hosts = len({host_of(url) for url in fetched[:FIRST]})
    return Crawled(harvest, coverage, len(fetched), hosts, islands, len(fetched_urls & graph.traps) / len(fetched))


def walked(graph: SiteGraph, pages: Mapping[str, GraphPage], walker: Strategy) -> Iterator[str]:
    """The pages in the order of a strategy."""
    walk = Walk(pages, walker)
    walk.seed(graph.seeds)
    return walk.visits()


def oracle(graph: SiteGraph) -> Iterator[str]:
    """The pages in the order of one who knows the labels."""
    far, known_urls, done = _distances(graph), set(graph.seeds), set[str]()

    def shows(url: str) -> int:
        return sum(target in graph.on_topic and target not in known_urls for target, *_ in graph.pages[url].links)

    good: list[str] = []
    others = [(-shows(url), far.get(url, len(far)), number, url) for number, url in enumerate(graph.seeds)]
    heapq.heapify(others)
    while good or others:
        if good:
            url = good.pop()
        else:
            claimed, distance, number, url = heapq.heappop(others)
            if (now := -shows(url)) != claimed:  # others showed them in the meantime
                heapq.heappush(others, (now, distance, number, url))
                continue
        if url in done:
            continue
        done.add(url)
        yield url
        for target, *_ in graph.pages[url].links:
            if target not in known_urls:
                known_urls.add(target)
                if target in graph.on_topic:
                    good.append(target)
                else:
                    heapq.heappush(others, (-shows(target), far.get(target, len(far)), len(known_urls), target))


def _distances(graph: SiteGraph) -> dict[str, int]:
    """How many links it is from each page to the next article on topic, level by level against the direction of the links."""
    sources: dict[str, list[str]] = {}
    for url, page in graph.pages.items():
        for target, *_ in page.links:
            sources.setdefault(target, []).append(url)
    level, distances = sorted(graph.on_topic), dict.fromkeys(graph.on_topic, 0)
    while level:
        far = distances[level[0]] + 1
        level = list(
            dict.fromkeys(source for url in level for source in sources.get(url, ()) if source not in distances)
        )
        distances |= dict.fromkeys(level, far)
    return distances


class Judges:
    """The scorers of anchors: the topic's own, and those that guide the peers."""

    def __init__(self, lessons: Phrases) -> None:
        topic = load_topic(TOPIC)
        self.ours: guides.Judge = lru_cache(None)(lambda text: score(topic, Document(anchor=text)).score)
        self.peers = {"naive Bayes": guides.naive_bayes(lessons), "SVM": guides.support_vectors(lessons)}


def contestants(graph: SiteGraph, judges: Judges, seed: int = 0) -> dict[str, Visits]:
    """Every strategy with its defaults, best-first on anchors alone, the guided peers, and the oracle."""
    pages = graph.judged(judges.ours, seed)
    visits_by_name: dict[str, Visits] = {"oracle": lambda: oracle(graph)}
    for name in STRATEGIES:
        if name not in NOT_WALKED:
            visits_by_name[name] = lambda name=name: walked(graph, pages, make_strategy(name))  # type: ignore[misc]
    visits_by_name["anchors"] = lambda: walked(
        graph, pages, make_strategy("best-first", {"page": "0", "anchor": "1", "share": "0"})
    )
    for name, judge in judges.peers.items():
        guided = make_strategy("best-first", {"page": "0.5", "anchor": "0.5", "share": "0"})
        visits_by_name[name] = lambda judge=judge, guided=guided: walked(graph, graph.judged(judge, seed), guided)  # type: ignore[misc]
    return visits_by_name


def microseconds(walker: Strategy, links: int = 60, rounds: int = 200) -> float:
    """CPU time a link, for a page with so many new ones."""
    links_seen = [
        LinkSeen(f"http://www{i % 5}.example/a/{i}.html", f"www{i % 5}.example", i / links, i / links)
        for i in range(links)
    ]
    visit = VisitedPage(
        "www1.example", walker.seed("http://www1.example/"), 5, 0.7, True, url="http://www1.example/", key=1
    )
    best = min(timeit.repeat(lambda: walker.links(visit, links_seen), timer=time.process_time, number=rounds, repeat=5))
    return 1e6 * best / rounds / links


def mean(figures: Sequence[Crawled]) -> Crawled:
    """The means over several graphs."""
    return Crawled(
        tuple(map(statistics.fmean, zip(*(crawl.harvest for crawl in figures), strict=True))),
        tuple(map(statistics.fmean, zip(*(crawl.coverage for crawl in figures), strict=True))),
        round(statistics.fmean(crawl.pages for crawl in figures)),
        round(statistics.fmean(crawl.hosts for crawl in figures)),
        statistics.fmean(crawl.islands for crawl in figures),
        statistics.fmean(crawl.traps for crawl in figures),
    )


def ratios(figures: Mapping[str, Sequence[Crawled]], graphs: Sequence[SiteGraph]) -> Iterator[str]:
    """How the focused crawler stands to those it is measured by: the mean over the graphs and the worst of them, at each budget."""
    ours = figures["focused"]
    for name, least_ratio in WANTED.items():
        cells = []
        for place, budget in enumerate(BUDGETS):
            times = [
                mine.harvest[place] / max(theirs.harvest[place], 1e-9)
                for mine, theirs, graph in zip(ours, figures[name], graphs, strict=True)
                if name != "breadth-first" or budget <= len(graph.on_topic)
            ]
            cells.append(f"{statistics.fmean(times):.2f} ({min(times):.2f})" if times else "-")
        yield f"focused / {name:<14}" + "".join(f"{cell:>15}" for cell in cells) + f"   wanted: {least_ratio:g}"
    whole = mean(ours)
    yield f"islands reached {whole.islands:.1%} (wanted: {WANTED_ISLANDS:.0%})"
    yield f"fetches in traps {whole.traps:.2%} (wanted: at most {WANTED_TRAPS:.0%})"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.strategies", description=__doc__)
    parser.add_argument(
        "--graphs", type=int, default=3, help=f"the mean over so many; {GRAPHS} for the whole range of topic shares"
    )
    parser.add_argument("--pages", type=int, default=PAGES, help="of a graph, about")
    parser.add_argument("--data", type=Path, help="folder with labelled headlines")
    parser.add_argument("--only", nargs="+", help="contestants besides the focused crawler and those it is measured by")
    options = parser.parse_args()
    phrases, judges = headlines(options.data), Judges(teaching(options.data))
    print(f"synthetic graphs, anchors are {phrases.origin}")
    graphs: list[SiteGraph] = []
    figures: dict[str, list[Crawled]] = {}
    for number in range(options.graphs):
        seed = 1 + number * (GRAPHS - 1) // max(1, options.graphs - 1)
        graph = site_graph(options.pages, seed, phrases=phrases)
        graphs.append(graph)
        print(
            f"seed {seed}: {len(graph.pages)} pages, {len(graph.on_topic)} articles on topic ({graph.share:.1%})",
            flush=True,
        )
        for name, visits in contestants(graph, judges, seed).items():
            if options.only is None or name in options.only or name == "focused" or name in WANTED:
                figures.setdefault(name, []).append(crawled(graph, visits()))
    print(
        "\n"
        + LINE.format("", *("harvest", "", "", ""), *("coverage", "", "", ""), "pages", "hosts", "islands", "traps")
    )
    print(LINE.format("pages fetched", *BUDGETS, *BUDGETS, "in all", f"in {FIRST}", "", ""))
    for name, crawls in figures.items():
        figure = mean(crawls)
        shares = [f"{share:.3f}" for share in (*figure.harvest, *figure.coverage)]
        print(
            LINE.format(name, *shares, figure.pages, figure.hosts, f"{figure.islands:.2f}", f"{figure.traps:.3f}"),
            flush=True,
        )
    print()
    for line in ratios(figures, graphs):
        print(line)
    costs = {name: microseconds(make_strategy(name)) for name in STRATEGIES if name not in NOT_WALKED}
    print("microseconds a link: " + ", ".join(f"{name} {cost:.1f}" for name, cost in costs.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
