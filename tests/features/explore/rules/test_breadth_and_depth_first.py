"""The visit order of every strategy that needs no scores, on graphs drawn by hand."""

import pytest

from bench.walk import Walk
from newsspider.features.explore.rules.breadth_and_depth_first import (
    LEVELS,
    BreadthFirst,
    DepthFirst,
    LevelRow,
    Mixed,
    Rbse,
    WebCrawler,
    WeightedPolling,
    Worm,
    round_of,
)
from newsspider.features.explore.rules.strategy import FrontierPosition, LinkSeen, Strategy, VisitedPage
from newsspider.features.explore.rules.strategy_names import STRATEGIES, make_strategy
from tests.support.graphs import graph, names, order, url
from tests.support.tables import each

#        a
#      / | \
#     b  c  d        e is found by b and by d, f by e, g by c
#     |  |  |
#     e  g  e - f
TREE = graph("a: b c d", "b: e", "c: g", "d: e", "e: f")


def test_breadth_first_visits_level_by_level_in_the_order_found() -> None:
    assert order(TREE, BreadthFirst(), "a") == "a b c d e g f"
    assert order(TREE, BreadthFirst(depth=2), "a") == "a b c d e g"


def test_breadth_first_visits_every_page_again_after_its_cycle_if_it_has_one() -> None:
    placed = BreadthFirst(cycle_seconds=3600.0)
    walk = Walk(TREE, placed)
    walk.seed([url("a")])
    list(walk.visits())
    assert {row.placement.update_cycle for row in walk.rows.values()} == {3600.0}
    assert BreadthFirst().seed(url("a")).update_cycle is None


def test_depth_first_follows_the_page_read_last_and_keeps_the_order_on_the_page() -> None:
    assert order(TREE, DepthFirst(), "a") == "a b e f c g d"


def test_depth_first_goes_no_deeper_than_it_may() -> None:
    assert order(TREE, DepthFirst(depth=2), "a") == "a b e c g d"
    assert order(TREE, DepthFirst(depth=1), "a") == "a b c d"
    endless = graph(*(f"n{i}: n{i + 1}" for i in range(100)))
    assert order(endless, DepthFirst(depth=3), "n0") == "n0 n1 n2 n3"


def test_depth_first_is_the_recursion_where_a_waiting_page_is_found_again_further_down() -> None:
    assert order(graph("a: b c", "b: d c", "d: e"), DepthFirst(), "a") == "a b d e c"
    assert order(graph("a: b c d", "b: d c"), DepthFirst(), "a") == "a b d c"


def test_depth_first_finishes_one_seed_before_the_next() -> None:
    assert order(graph("a: b", "b: c", "x: y"), DepthFirst(), "a x") == "a b c x y"


def test_mixed_asks_by_importance_and_fills_no_depth_over_its_limit() -> None:
    table = (LevelRow(0, 1, 1), LevelRow(1, 2, 5), LevelRow(2, 1, 9))
    assert order(TREE, Mixed(table), "a") == "a b e c"
    walk = Walk(TREE, Mixed(table))
    walk.seed([url("a")])
    list(walk.visits())
    assert [walk.depths[depth] for depth in range(4)] == [1, 2, 1, 0]


def test_mixed_has_the_classical_table() -> None:
    assert Mixed().table == tuple(map(LevelRow.read, ["0/1/10", "1/20/8", "2/600/5", "3/2000/2", "4/6000/1"]))
    home = graph("h: " + " ".join(f"p{i}" for i in range(30)))
    assert len(order(home, Mixed(), "h").split()) == 21
    chain = graph(*(f"n{i}: n{i + 1}" for i in range(9)))
    assert order(chain, Mixed(), "n0") == "n0 n1 n2 n3 n4"
    assert [level.importance for level in LEVELS] == sorted((level.importance for level in LEVELS), reverse=True)


def test_known_links_take_no_room_of_a_depth() -> None:
    table = (LevelRow(0, 1, 3), LevelRow(1, 3, 2), LevelRow(2, 1, 1))
    assert order(graph("a: b c", "b: a c d"), Mixed(table), "a") == "a b c d"


def test_the_worm_recurses_to_its_level_and_tries_failed_seeds_again() -> None:
    assert order(TREE, Worm(depth=2), "a") == order(TREE, DepthFirst(depth=2), "a")
    assert Worm().mode.retries_seeds
    assert not DepthFirst().mode.retries_seeds


@each(
    ("search", "from_url", "from_unvisited"),
    [("breadth-first", "a b c d e g", "c d e g f"), ("depth-first", "a b e c g d", "c g d e f")],
)
def test_rbse_starts_in_four_ways(search: str, from_url: str, from_unvisited: str) -> None:
    spider = Rbse(order=search, depth=2)
    assert not spider.mode.from_unvisited
    assert order(TREE, spider, "a") == from_url

    stopped = Walk(TREE, Rbse(order=search, depth=2))
    stopped.seed([url("a")])
    assert names(list(stopped.visits(2))) == "a b"
    resumed = Rbse(order=search, start="unvisited", depth=2)
    assert resumed.mode.from_unvisited
    walk = Walk(TREE, resumed)
    walk.read(stopped.text())
    walk.seed(address for address, row in stopped.rows.items() if not row.fetched)
    assert names(list(walk.visits())) == from_unvisited


def test_rbse_discovers_the_graph_apart_from_the_indexing() -> None:
    assert Rbse().mode.stores_articles
    assert not Rbse(stage="discover").mode.stores_articles
    assert order(TREE, Rbse(stage="discover"), "a") == order(TREE, Rbse(), "a")


@each("options", [{"order": "random"}, {"start": "anywhere"}, {"stage": "reindex"}])
def test_rbse_refuses_what_it_does_not_know(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        Rbse(**options)  # type: ignore[arg-type]


SERVERS = graph("a1: a2 a3 a4 b1 b2", "a2: c1 a5", "b1: b3", "c1: c2 c3 c4", "a3: d1")


def test_webcrawler_asks_a_new_server_before_any_second_page_of_another() -> None:
    visited = order(SERVERS, WebCrawler(), "a1").split()
    assert visited[:4] == ["a1", "b1", "a2", "c1"]
    assert visited.index("d1") == visited.index("a3") + 1


def test_webcrawler_then_asks_the_servers_in_turn_until_a_new_one_appears() -> None:
    assert order(SERVERS, WebCrawler(), "a1") == "a1 b1 a2 c1 b2 a3 d1 b3 c2 a4 c3 a5 c4"


def test_webcrawler_lets_no_late_server_make_up_for_rounds_long_past() -> None:
    many = " ".join(f"a{i}" for i in range(2, 12))
    late = " ".join(f"z{i}" for i in range(2, 12))
    visited = order(graph(f"a1: {many}", "a6: z1", f"z1: {late}"), WebCrawler(), "a1").split()
    turns = visited[visited.index("z1") + 1 :]
    assert {turns[i][0] + turns[i + 1][0] for i in range(0, 10, 2)} == {"az"}


def test_webcrawler_gives_every_page_of_a_page_its_own_round() -> None:
    walk = Walk(SERVERS, WebCrawler())
    walk.seed([url("a1")])
    list(walk.visits(1))
    rounds = {name: round_of(walk.rows[url(name)].placement.priority) for name in ("a2", "a3", "a4", "b1", "b2")}
    assert rounds == {"a2": 1, "a3": 2, "a4": 3, "b1": 0, "b2": 1}


def test_polling_asks_the_lists_by_weight_and_what_they_link_to_once() -> None:
    walk = Walk(graph("a: p q", "b: r", "p: s"), WeightedPolling(round_seconds=60.0))
    walk.seed([url("a")], weight=3)
    walk.seed([url("b")], weight=9)
    assert names(list(walk.visits())) == "b a r p q"
    assert walk.rows[url("a")].placement.update_cycle == 240.0
    assert walk.rows[url("r")].placement == FrontierPosition(90, 1)
    assert order(graph("a: p q", "p: s"), WeightedPolling(depth=2), "a") == "a p q s"


@each("name", STRATEGIES)
@each("stop", range(1, 13))
def test_every_strategy_goes_on_where_it_was_stopped(name: str, stop: int) -> None:
    pages = graph(
        "a1*: a2=0.3 b1=0.8 c1=0.1 a3", "a2: b2=0.2 a4=0.9 c1=0.6", "b1*: b2=0.7 b3=0.4 d1=0.5", "b2: a4=0.5 d2=0.9",
        "c1: d1=0.9 a3=0.5 c2=0.2", "d1*: d2=0.1 d3=0.6 a5=0.9", "a3: c3=0.5", "d3*: c3=0.8 e1=0.3", "a4: e1=0.9 e2=0.4",
    )  # fmt: skip
    whole = order(pages, STRATEGIES[name](), "a1").split()
    first = Walk(pages, STRATEGIES[name]())
    first.seed([url("a1")])
    first_part = names(list(first.visits(stop))).split()
    second = Walk(pages, STRATEGIES[name]())
    second.read(first.text())
    second_part = names(list(second.visits())).split()
    assert first_part + second_part == whole
    assert len(whole) == len(set(whole))


@each("name", STRATEGIES)
def test_every_strategy_places_what_is_new_and_nothing_that_was_fetched(name: str) -> None:
    placing: Strategy = STRATEGIES[name]()
    visit = VisitedPage("a", placing.seed(url("a1")), relevance=1.0, relevant=True)
    links = [LinkSeen(url(node), node[0], anchor=0.9, fetched=node == "b1") for node in ("a2", "b1", "c1")]
    assert [placement is None for placement in placing.links(visit, links)] == [False, True, False]
    assert placing.links(visit, []) == []


@each("name", STRATEGIES)
def test_every_strategy_stops_at_its_depth(name: str) -> None:
    chain = graph(*(f"n{i}*: n{i + 1}=0.9" for i in range(9)))
    assert order(chain, make_strategy(name, {"depth": "2"}), "n0") == "n0 n1 n2"


def test_what_the_ledger_counts_of_the_graph_does_not_depend_on_the_order_of_its_rows() -> None:
    pages = graph("a1: a4 b4 b3 b2", "a2: b3 c1", "b2: a2 a3", "b3: b2", "b4: b1 b2 c1", "c1: a3 b1")
    whole = order(pages, STRATEGIES["page-weight"](), "a1").split()
    for stop in range(len(whole)):
        first, second = (Walk(pages, STRATEGIES["page-weight"]()) for _ in range(2))
        first.seed([url("a1")])
        first_part = names(list(first.visits(stop))).split()
        second.read(first.text())
        assert first_part + names(list(second.visits())).split() == whole
