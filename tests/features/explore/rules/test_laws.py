"""What holds for every strategy on any graph."""

from collections.abc import Iterator

from hypothesis import given, note
from hypothesis import strategies as st

from bench.walk import GraphPage, Shown, Walk
from newsspider.features.explore.rules.strategy import FrontierPosition
from newsspider.features.explore.rules.strategy_names import STRATEGIES
from tests.support.graphs import url

NAMES = [host + number for host in "abc" for number in "1234"]
SCORES = st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.9, 1.0])
LINKS = st.lists(st.builds(Shown, st.sampled_from(NAMES).map(url), SCORES, SCORES), max_size=6, unique_by=lambda s: s.url)
GRAPHS = st.fixed_dictionaries({url(name): st.builds(GraphPage, SCORES, LINKS.map(tuple)) for name in NAMES})
EXHAUSTIVE = {"breadth-first", "webcrawler", "best-first", "page-weight"}  # nothing but the depth keeps them from a page


def reachable(pages: dict[str, GraphPage], start: str) -> set[str]:
    reached, level = {start}, [start]
    while level:
        level = sorted({link.url for page_url in level for link in pages[page_url].links} - reached)
        reached.update(level)
    return reached


def each_strategy() -> Iterator[str]:
    """Every strategy walks the same graph, because drawing a graph takes longer than walking it."""
    for name in STRATEGIES:
        note(name)
        yield name


@given(pages=GRAPHS, stop=st.integers(0, 12))
def test_a_crawl_visits_no_page_twice_and_goes_on_where_it_was_stopped(pages: dict[str, GraphPage], stop: int) -> None:
    everything = reachable(pages, url("a1"))
    for name in each_strategy():
        whole, first, second = (Walk(pages, STRATEGIES[name]()) for _ in range(3))
        whole.seed([url("a1")])
        first.seed([url("a1")])
        visited = []
        for page_url in whole.visits():
            visited.append(page_url)
            for row in whole.rows.values():
                assert_it_can_be_stored(row.placement)
        first_part = list(first.visits(stop))
        second.read(first.text())
        assert first_part + list(second.visits()) == visited
        assert len(visited) == len(set(visited))
        assert set(visited) == set(whole.rows)
        assert set(visited) <= everything
        if name in EXHAUSTIVE:
            assert set(visited) == everything


def assert_it_can_be_stored(placement: FrontierPosition) -> None:
    """A row holds it."""
    assert float(placement.priority) == placement.priority
    assert abs(placement.priority) < 1 << 53
    assert 0 <= placement.depth <= len(NAMES)
    assert len(placement.carried.text()) < 100
    assert placement.update_cycle is None or placement.update_cycle > 0
