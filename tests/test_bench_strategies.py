"""The benchmark of strategies: one graph a seed, and the order of the figures that the guide draws its advice from."""

from __future__ import annotations

import pytest

from bench.strategies import Crawled, contestants, crawled, mean, microseconds
from bench.topic_graph import TopicGraph, topic_graph
from bench.walk import host_of

BUDGETS = (200, 1000)


@pytest.fixture(scope="module")
def graph() -> TopicGraph:
    return topic_graph(5000, seed=7)


@pytest.fixture(scope="module")
def figures(graph: TopicGraph) -> dict[str, Crawled]:
    return {name: crawled(graph, strategy, BUDGETS) for name, strategy in contestants(graph).items()}


def test_a_seed_gives_one_graph_with_topic_tunnels_and_traps(graph: TopicGraph) -> None:
    assert topic_graph(5000, seed=7) == graph
    assert topic_graph(5000, seed=8) != graph
    assert len({host_of(url) for url in graph.pages}) == 100
    assert 0.02 < len(graph.on_topic) / len(graph.pages) < 0.2
    assert any("/calendar/" in url for url in graph.pages)
    assert any("/way0." in url for url in graph.pages)
    assert {shown.url for page in graph.pages.values() for shown in page.links} <= set(graph.pages)


def test_who_knows_the_topic_harvests_more_than_who_does_not_and_less_than_the_oracle(figures: dict[str, Crawled]) -> None:
    for name in ("fish", "shark", "best-first"):
        assert figures[name].harvest[0] > 2 * figures["breadth-first"].harvest[0], name
        assert figures[name].coverage[1] > figures["breadth-first"].coverage[1], name
    assert all(figures["oracle"].coverage[1] >= each.coverage[1] for each in figures.values())
    assert figures["shark"].harvest[0] > figures["fish"].harvest[0]


def test_no_strategy_meets_the_servers_sooner_than_webcrawler(figures: dict[str, Crawled]) -> None:
    assert figures["webcrawler"].hosts == max(each.hosts for each in figures.values())


def test_harvest_and_coverage_are_worked_out_of_the_same_pages(graph: TopicGraph, figures: dict[str, Crawled]) -> None:
    for each in figures.values():
        for harvest, coverage, budget in zip(each.harvest, each.coverage, BUDGETS, strict=True):
            assert harvest * min(budget, each.pages) == pytest.approx(coverage * len(graph.on_topic))


def test_the_mean_of_graphs_is_that_of_every_figure() -> None:
    one, other = Crawled((0.2,), (0.4,), 10, 3), Crawled((0.4,), (0.8,), 20, 5)
    averaged = mean([one, other])
    assert (averaged.harvest[0], averaged.coverage[0]) == pytest.approx((0.3, 0.6))
    assert (averaged.pages, averaged.hosts) == (15, 4)


def test_the_time_that_a_strategy_takes_for_a_link_is_measured(graph: TopicGraph) -> None:
    costs = [microseconds(strategy, links=20, rounds=20) for strategy in contestants(graph).values()]
    assert 0 < max(costs) < 1000
