"""Best-first, page weight and the real-time query: figures, laws and visit orders."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.walk import GraphPage, Shown, Walk
from newsspider.core.links.page_weight import directory_depth, page_weight
from newsspider.features.explore.rules.best_first import BestFirst, PageWeight, RealTimeQuery
from newsspider.features.explore.rules.strategy import FrontierPosition, LinkSeen, VisitedPage
from tests.support.graphs import graph, names, order, url

COUNT = st.integers(0, 10**9)


def test_best_first_follows_what_promises_most() -> None:
    pages = graph("a*: b=0.2 c=0.9 d=0.5", "c: e=0.1", "d*: f=0.8", "b: g")
    assert order(pages, BestFirst(), "a") == "a c d f b e g"


def test_the_three_scores_of_best_first_weigh_as_its_options_say() -> None:
    links = [LinkSeen("http://z/1", "z", 0.9, 0.1), LinkSeen("http://z/2", "z", 0.2, 0.4)]
    visit = VisitedPage("a", FrontierPosition(0, 0), relevance=0.5, relevant=True)
    # page 0.2 * 0.5 = 0.1; half of the links are on topic: 0.4 * 0.5 = 0.2; anchors 0.4 * 0.9 = 0.36, 0.4 * 0.4 = 0.16
    assert [p.priority for p in BestFirst().links(visit, links) if p] == [660_000, 460_000]
    assert [p.priority for p in BestFirst(page=1, anchor=0, share=0).links(visit, links) if p] == [500_000, 500_000]
    with pytest.raises(ValueError, match="above 0"):
        BestFirst(page=0, anchor=0, share=0)


def test_a_link_of_a_list_on_topic_goes_before_the_same_link_elsewhere() -> None:
    pages = graph("b: x=0.6 p=0 q=0", "c: y=0.6 r=0.6 s=0.6")
    assert order(pages, BestFirst(), "b c") == "b c y r s x p q"


def test_a_link_found_again_on_a_better_page_moves_up() -> None:
    assert order(graph("a: b=0.5 c=0.4 d=0.1", "b*: d=0.5"), BestFirst(), "a") == "a b d c"


# ---- page weight -----------------------------------------------------------------------------------------------------


@given(st.lists(st.text("ab", min_size=1), max_size=6), st.sampled_from(["", "/", "?q=/x/y", "#/x", "/?a=b/c"]))
def test_the_directory_depth_counts_the_names_of_the_path(parts: list[str], end: str) -> None:
    assert directory_depth("http://h" + "".join(f"/{part}" for part in parts) + end) == len(parts)


def test_slashes_without_a_name_between_them_are_no_directories() -> None:
    assert [directory_depth(f"http://h{path}") for path in ("//", "//a", "/a//b", "/a/b//", "///a///b///")] == [0, 1, 2, 2, 2]


def test_page_weight_starts_from_the_directory_depth_alone() -> None:
    seeds = ["http://h/cs/ai/", "http://h/cs", "http://h/", "http://h/a/b/c"]
    walk = Walk({}, PageWeight())
    walk.seed(seeds)
    assert list(walk.visits()) == ["http://h/", "http://h/cs", "http://h/cs/ai/", "http://h/a/b/c"]
    assert [PageWeight().seed(seed).priority for seed in seeds] == [-2000, -1000, 0, -3000]


def test_a_page_that_many_link_to_overtakes_one_nearer_to_the_root() -> None:
    deep, near = "http://h/a/b/deep", "http://h/near"
    lists = {f"http://h/{i}": GraphPage(links=(Shown(deep),)) for i in range(8)}
    start = GraphPage(links=tuple(Shown(target) for target in [*lists, near]))
    walk = Walk({"http://h/": start, **lists}, PageWeight())
    walk.seed(["http://h/"])
    visited = list(walk.visits())
    assert visited.index(near) > visited.index(deep) > visited.index("http://h/2")


def test_the_weight_is_worked_out_as_the_formula_says() -> None:
    assert page_weight(7, 3, 1, 2) == 3 + 0.5 * 2 + 0.5 * 1 - 2
    link = LinkSeen("http://h/a/b", "h", indegree=7, father=1, mirrors=1)
    visit = VisitedPage("a", FrontierPosition(0, 0), indegree=3)
    assert PageWeight().links(visit, [link]) == [FrontierPosition(2500, 1)]
    better_known_father = replace(link, father=7)
    assert PageWeight().links(visit, [better_known_father]) == [FrontierPosition(3000, 1)]


# ---- the real-time query ---------------------------------------------------------------------------------------------


def test_a_query_follows_the_anchors_that_resemble_it_the_best_answer_first() -> None:
    pages = graph("a*: b=0.5 c=0.9 d=0.05", "b: e=1", "c*: f=0.4 g=0.6", "x: y=0.9")
    assert order(pages, RealTimeQuery(), "a x") == "a x c g b f e y"


def test_after_the_query_ran_again_the_crawl_goes_on_from_its_new_top() -> None:
    query = RealTimeQuery()
    pages = graph("a: b=0.9 c=0.8", "x: y=0.5 z=0.4")
    walk = Walk(pages, query)
    walk.seed([url("a"), url("x")])
    list(walk.visits(2))
    answers = {"a": 0.3, "x": 0.7}  # of the index, now that both are in it
    for name, score in answers.items():
        for link in pages[url(name)].links:
            placement = query.place(score, link.anchor, 1)
            assert placement
            walk._place(link.url, placement)
    assert names(list(walk.visits())) == "y z b c"


def test_an_anchor_that_says_something_else_is_not_followed() -> None:
    assert RealTimeQuery().place(1.0, 0.05, 1) is None
    assert RealTimeQuery(resembling=0.0).place(1.0, 0.0, 1) is not None
    assert RealTimeQuery(depth=2).place(1.0, 1.0, 3) is None
