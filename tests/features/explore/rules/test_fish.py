"""Fish search: the order on small graphs, and the figures worked by hand."""

from bench.walk import Walk
from newsspider.features.explore.rules.best_first import BEHIND, FRONT, Fish
from newsspider.features.explore.rules.strategy import FrontierPosition, LinkSeen, StrategyState, VisitedPage
from tests.support.graphs import graph, order, url


def visit(energy: int, relevance: float = 0.0, inherited: float = 0.0, number: int = 0) -> VisitedPage:
    return VisitedPage("a", FrontierPosition(0, 4, StrategyState(energy, inherited)), number, relevance, relevance >= 0.5)


def links(count: int, host: str = "z") -> list[LinkSeen]:
    return [LinkSeen(f"http://{host}/{i}", host) for i in range(count)]


def placed(strategy: Fish, page: VisitedPage, seen_links: list[LinkSeen]) -> list[FrontierPosition]:
    placements = strategy.links(page, seen_links)
    assert None not in placements
    return [placement for placement in placements if placement]


def test_links_of_relevant_pages_go_to_the_front_and_others_behind_all_of_these() -> None:
    pages = graph("a*: b c d", "b: e f", "c*: g h", "g*: i", "d: j")
    assert order(pages, Fish(), "a") == "a b c g i h d e f j"


def test_links_to_other_sites_go_first() -> None:
    assert order(graph("a1*: a2 b1 a3 c1"), Fish(), "a1") == "a1 b1 c1 a2 a3"
    assert order(graph("a1: a2 b1 a3 c1"), Fish(), "a1") == "a1 b1 c1 a2 a3"


def test_a_known_link_found_again_on_a_relevant_page_moves_to_the_front() -> None:
    pages = graph("a: b c d e", "b*: e")
    assert order(pages, Fish(), "a") == "a b e c d"
    walk = Walk(pages, Fish())
    walk.seed([url("a")])
    list(walk.visits(2))
    assert len(walk.rows) == 5, "it is moved, not added twice"
    assert walk.rows[url("e")].placement.carried.energy == 3
    assert order(graph("a: b c d e", "b: e"), Fish(), "a") == "a b c d e", "an irrelevant page moves nothing"


def test_a_relevant_page_has_half_as_many_children_again_and_the_rest_goes_to_the_end() -> None:
    fish = Fish(width=4)
    relevant = [placement.priority >= FRONT for placement in placed(fish, visit(2, 1.0), links(9))]
    assert relevant == [True] * 6 + [False] * 3
    priorities = [placement.priority for placement in placed(fish, visit(2), links(9))]
    assert [FRONT > priority >= BEHIND for priority in priorities] == [True] * 4 + [False] * 5
    assert priorities == sorted(priorities, reverse=True)
    wide = graph("a: p q r s", "p: t u v", "s*: w")
    assert order(wide, Fish(width=2), "a") == "a p q t u r s w v"


def test_energy_is_restored_by_a_relevant_page_and_spent_by_others() -> None:
    assert [p.carried.energy for p in placed(Fish(energy=5), visit(2, 1.0), links(2))] == [5, 5]
    assert [p.carried.energy for p in placed(Fish(energy=5), visit(2), links(2))] == [1, 1]
    assert Fish(energy=5).links(visit(0), links(2)) == [None, None]
    assert [p.carried.energy for p in placed(Fish(energy=5), visit(0, 1.0), links(1))] == [5]


def test_a_school_without_food_dies_out_and_one_with_food_lives_on() -> None:
    barren = graph(*(f"n{i}: n{i + 1}" for i in range(9)))
    assert order(barren, Fish(energy=3), "n0") == "n0 n1 n2 n3"
    fed = graph(*(f"n{i}{'*' if i == 3 else ''}: n{i + 1}" for i in range(9)))
    assert order(fed, Fish(energy=3), "n0") == "n0 n1 n2 n3 n4 n5 n6 n7"


def test_the_front_is_a_stack_and_what_follows_it_is_a_queue() -> None:
    fish = Fish()
    early, late = (placed(fish, visit(3, 1.0, number=number), links(1))[0].priority for number in (5, 6))
    assert late > early
    early, late = (placed(fish, visit(3, number=number), links(1))[0].priority for number in (5, 6))
    assert early > late
