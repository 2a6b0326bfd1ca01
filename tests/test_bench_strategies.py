"""The benchmark of strategies: one graph a seed, and the order of the figures that the guide draws its advice from."""

from __future__ import annotations

import pytest

from bench.phrases import own_phrases, teaching
from bench.site_graph import ISLANDS, SiteGraph, site_graph
from bench.strategies import Crawled, Judges, contestants, crawled, mean, microseconds, ratios
from bench.walk import host_of
from newsspider.core.strategies import STRATEGIES, strategy

BUDGETS = (200, 700)


@pytest.fixture(scope="module")
def judges() -> Judges:
    return Judges(teaching(None))


@pytest.fixture(scope="module")
def graph() -> SiteGraph:
    return site_graph(6000, seed=8)


@pytest.fixture(scope="module")
def figures(graph: SiteGraph, judges: Judges) -> dict[str, Crawled]:
    return {name: crawled(graph, visits(), BUDGETS) for name, visits in contestants(graph, judges).items()}


def test_a_seed_gives_one_graph_with_topic_islands_and_traps(graph: SiteGraph) -> None:
    assert site_graph(6000, seed=8) == graph
    assert site_graph(6000, seed=9) != graph
    assert 0.04 < graph.share < 0.12
    assert len(graph.islands) == ISLANDS
    assert graph.traps
    assert {target for page in graph.pages.values() for target, *_ in page.links} <= set(graph.pages)
    assert set(graph.seeds) <= set(graph.pages)


def test_shares_of_the_graphs_reach_from_the_least_to_the_most() -> None:
    assert site_graph(20_000, 1).share < 0.05
    assert site_graph(20_000, 20).share > 0.12


def test_no_page_is_known_by_its_url_to_be_on_topic(graph: SiteGraph) -> None:
    of_home = {url for url in graph.on_topic if host_of(url) == host_of(graph.seeds[0])}
    folders = {url.rpartition("/")[0] for url in of_home}
    others = {url for url in graph.pages if url.rpartition("/")[0] in folders} - graph.on_topic
    assert others


def test_who_knows_the_topic_harvests_more_than_who_does_not_and_less_than_the_oracle(figures: dict[str, Crawled]) -> None:
    for name in ("fish", "best-first", "focused", "naive Bayes", "SVM"):
        assert figures[name].harvest[1] > 1.5 * figures["breadth-first"].harvest[1], name
    assert figures["oracle"].harvest[0] >= max(crawl.harvest[0] for crawl in figures.values())


def test_the_focused_crawler_harvests_most_of_all_but_the_oracle(figures: dict[str, Crawled]) -> None:
    best = max(figures.values(), key=lambda crawl: crawl.coverage[1])
    assert figures["focused"].coverage[1] >= 0.9 * best.coverage[1]
    others = [crawl.coverage[1] for name, crawl in figures.items() if name not in ("focused", "oracle")]
    assert figures["focused"].coverage[1] > 1.3 * max(others)
    assert figures["focused"].traps <= 0.01
    assert figures["focused"].islands >= 0.75


def test_the_same_seed_gives_the_same_order(graph: SiteGraph, judges: Judges) -> None:
    first, second = (list(zip(contestants(graph, judges)["focused"](), range(300), strict=False)) for _ in range(2))
    assert first == second


def test_no_strategy_meets_the_servers_sooner_than_webcrawler(figures: dict[str, Crawled]) -> None:
    assert figures["webcrawler"].hosts == max(crawl.hosts for crawl in figures.values())


def test_harvest_and_coverage_are_worked_out_of_the_same_pages(graph: SiteGraph, figures: dict[str, Crawled]) -> None:
    for crawl in figures.values():
        for harvest, coverage, budget in zip(crawl.harvest, crawl.coverage, BUDGETS, strict=True):
            assert harvest * min(budget, crawl.pages) == pytest.approx(coverage * len(graph.on_topic))


def test_the_mean_of_graphs_is_that_of_every_figure() -> None:
    first, second = Crawled((0.2,), (0.4,), 10, 3, 0.5, 0.0), Crawled((0.4,), (0.8,), 20, 5, 1.0, 0.1)
    averaged = mean([first, second])
    assert (averaged.harvest[0], averaged.coverage[0]) == pytest.approx((0.3, 0.6))
    assert (averaged.pages, averaged.hosts, averaged.islands, averaged.traps) == (15, 4, 0.75, 0.05)


def test_ratios_tell_the_mean_and_the_worst_graph(graph: SiteGraph) -> None:
    ours, oracle = Crawled((0.8,) * 4, (0.1,) * 4, 9, 3, 0.5, 0.0), Crawled((1.0,) * 4, (0.1,) * 4, 9, 3, 0.5, 0.0)
    figures = {"focused": [ours, oracle], "oracle": [oracle] * 2, "breadth-first": [ours] * 2, "anchors": [ours] * 2}
    lines = list(ratios(figures, [graph] * 2))
    assert "0.90 (0.80)" in lines[0]
    assert "islands reached 50.0%" in lines[-2]


def test_the_time_that_a_strategy_takes_for_a_link_is_measured() -> None:
    costs = [microseconds(strategy(name), links=20, rounds=20) for name in STRATEGIES]
    assert 0 < max(costs) < 1000


def test_own_phrases_of_both_kinds_share_some_wording() -> None:
    phrases = own_phrases()
    assert set(phrases.on) & set(phrases.off)
    assert phrases == own_phrases() != own_phrases(seed=2)
