"""What the plans of crawls bring in simulated webs, beside other plans: those of explore crawls, and the polls of list pages."""

from bench.phrases import teaching
from bench.polls import LONGEST
from bench.revisit import compare
from bench.site_graph import site_graph
from bench.strategies import Judges, contestants, crawled


def test_who_knows_the_topic_harvests_more_than_who_does_not() -> None:
    graph = site_graph(6000, seed=8)
    figures = {name: crawled(graph, visits(), (200, 700)) for name, visits in contestants(graph, Judges(teaching(None))).items()}
    for name in ("fish", "best-first", "focused", "naive Bayes", "SVM"):
        assert figures[name].harvest[1] > 1.5 * figures["breadth-first"].harvest[1], name
    assert figures["oracle"].harvest[0] >= max(crawl.harvest[0] for crawl in figures.values())


def test_our_schedule_finds_news_twice_as_soon_as_any_other_at_equal_requests() -> None:
    figures, best = compare(100, 1.0, 14, seed=1)
    assert figures["ours"].delay <= 1.07 * best.delay
    assert figures["ours"].lost == 0
    assert figures["ours"].longest <= LONGEST
    assert all(figures["ours"].delay <= 0.5 * other.delay for name, other in figures.items() if name != "ours")
