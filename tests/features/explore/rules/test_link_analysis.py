"""Small graphs whose scores are known, and what holds for every graph."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.links.page_weight import Coefficients, page_weight
from newsspider.features.explore.rules.link_analysis import (
    DAMPING,
    INSIDE_SHARE,
    JUMP_SHARE,
    Graph,
    frame_links,
    hits,
    link_shares,
    link_votes,
    pagerank,
)
from tests.support.tables import each

EXACT = 1e-12
GOLDEN = (1 + sqrt(5)) / 2


def graph(pages: int, *links: tuple[int, int]) -> Graph:
    return Graph(pages, np.array([source for source, _ in links], np.int32), np.array([target for _, target in links], np.int32))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    pages = draw(st.integers(1, 12))
    page = st.integers(0, pages - 1)
    return graph(pages, *sorted(draw(st.sets(st.tuples(page, page), max_size=40))))


def numbers(pages: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 3), min_size=pages, max_size=pages)


# ---- PageRank ----------------------------------------------------------------------------------------------------------


@each(
    ("pages", "links", "scores"),
    [
        (2, [(0, 1), (1, 0)], [0.5, 0.5]),
        (3, [(0, 1), (1, 2), (2, 0)], [1 / 3, 1 / 3, 1 / 3]),
        (4, [], [0.25] * 4),
        (2, [(0, 1)], [0.5 / 1.425, 0.925 / 1.425]),  # page 1 gives its score to both
        (3, [(1, 0), (2, 0), (0, 1), (0, 2)], [0.9 / 1.85, 0.475 / 1.85, 0.475 / 1.85]),  # a star
    ],
)
def test_small_graphs_have_the_scores_of_the_closed_form(pages, links, scores):
    assert pagerank(graph(pages, *links)).scores == pytest.approx(scores, abs=1e-5)
    assert pagerank(graph(pages, *links), tolerance=EXACT).scores == pytest.approx(scores, abs=1e-10)


@given(graphs())
def test_pagerank_solves_its_equation_and_has_a_sum_of_one(web):
    matrix = np.zeros((web.pages, web.pages))
    matrix[web.targets, web.sources] = 1.0
    out = matrix.sum(axis=0)
    matrix = np.where(out > 0, matrix / np.maximum(out, 1), 1 / web.pages)  # a page without links gives the same to every page
    solved = np.linalg.solve(np.eye(web.pages) - DAMPING * matrix, np.full(web.pages, (1 - DAMPING) / web.pages))
    scores = pagerank(web, tolerance=EXACT).scores
    assert scores == pytest.approx(solved, abs=1e-10)
    assert scores.sum() == pytest.approx(1.0)


@each("inside", [INSIDE_SHARE, 0.0, 1.0])
def test_a_site_that_votes_for_itself_gains_no_more_than_the_bound(inside):
    own = [(source, target) for source in range(10) for target in range(10) if source != target]
    others = [(source, source + 1) for source in range(10, 99)]
    web = graph(100, *own, *others)
    sites = np.array([0] * 10 + list(range(1, 91)), np.int32)
    gained = pagerank(web, link_votes(web, sites, inside)).scores[:10].sum()
    of_themselves = (1.0 - DAMPING) / 100 * 10
    without = pagerank(web, link_votes(web, sites, 0.0)).scores[:10].sum()
    assert gained / without <= 1.1 / (1.0 - DAMPING * inside)
    assert gained > of_themselves
    if inside == 1.0:
        assert gained / without > 3.0


def test_a_link_from_another_site_counts_for_more_than_one_of_its_own():
    web = graph(4, (0, 1), (2, 3))
    scores = pagerank(web, link_votes(web, np.array([0, 0, 1, 2], np.int32))).scores
    assert scores[3] > scores[1] > scores[0]


def test_a_graph_without_pages_has_no_scores():
    assert pagerank(graph(0)).scores.size == hits(graph(0)).hubs.size == 0


# ---- hubs and authorities ------------------------------------------------------------------------------------------------


def test_hubs_and_authorities_of_small_graphs():
    star = hits(graph(4, (0, 1), (0, 2), (0, 3)))
    assert (star.hubs.tolist(), star.authorities) == ([1, 0, 0, 0], pytest.approx([0, 1 / 3, 1 / 3, 1 / 3]))
    both = hits(graph(4, (0, 2), (0, 3), (1, 3)), tolerance=EXACT)  # the golden ratio: the eigenvector of [[2, 1], [1, 1]]
    assert both.hubs == pytest.approx(np.array([GOLDEN, 1, 0, 0]) / (GOLDEN + 1), abs=1e-7)
    assert both.authorities == pytest.approx(np.array([0, 0, GOLDEN, GOLDEN + 1]) / (2 * GOLDEN + 1), abs=1e-7)


@given(graphs(), st.sampled_from([0.05, JUMP_SHARE, 0.5]))
def test_scores_of_hubs_have_a_sum_of_one_and_belong_to_those_that_link(web, jump):
    scores = hits(web, jump=jump)
    assert set(np.flatnonzero(scores.hubs)) == set(web.sources.tolist())
    assert set(np.flatnonzero(scores.authorities)) == set(web.targets.tolist())
    if len(web.sources):
        assert (scores.hubs.sum(), scores.authorities.sum()) == pytest.approx((1.0, 1.0))


def test_without_a_jump_the_closest_part_has_all_and_with_it_every_part_has_its_order():
    web = graph(9, (0, 2), (0, 3), (1, 2), (1, 3), (4, 6), (4, 7), (5, 6))
    assert hits(web).hubs[[4, 5]] == pytest.approx([0, 0], abs=1e-6)
    first, second = hits(web, jump=JUMP_SHARE).hubs[[4, 5]]
    assert first > second > 0.01


def test_the_lists_of_one_site_have_one_vote_for_what_they_all_show():
    web = graph(6, (0, 3), (1, 3), (2, 4), (0, 5), (2, 5))
    assert link_shares(web, np.array([0, 0, 1, 2, 2, 2], np.int32)).tolist() == [0.5, 0.5, 1.0, 1.0, 1.0]


def test_what_most_pages_of_a_site_link_to_belongs_to_its_frame():
    menu = [(page, 0) for page in range(1, 12)]
    partner = [(page, 30) for page in range(1, 8)]
    hot = [(page, 20) for page in range(1, 6)]
    small = [(page, 30) for page in range(40, 46)]
    web = graph(50, *menu, *partner, *hot, *small, (46, 0))
    sites = np.array([0] * 30 + [1] * 10 + [2] * 10, np.int32)
    assert frame_links(web, sites).tolist() == [True] * 11 + [True] * 7 + [False] * 12


@given(graphs())
def test_small_sites_have_no_frame(web):
    assert not frame_links(web, np.arange(web.pages, dtype=np.int32)).any()


# ---- the weight of a page ------------------------------------------------------------------------------------------------


known = st.integers(0, 10**9)
more = st.integers(1, 10**6)


@given(known, known, known, st.integers(0, 60), more, st.floats(0.01, 10))
def test_the_weight_rises_with_indegree_father_and_mirrors_and_falls_with_the_directories(indegree, father, mirrors, deep, by, coefficient):
    coefficients = Coefficients(coefficient, coefficient, coefficient, coefficient)
    weight = page_weight(indegree, father, mirrors, deep, coefficients)
    assert page_weight(indegree + by, father, mirrors, deep, coefficients) >= weight
    assert page_weight(indegree * 2 + by, father, mirrors, deep, coefficients) > weight
    assert page_weight(indegree, father * 2 + by, mirrors, deep, coefficients) > weight
    assert page_weight(indegree, father, mirrors * 2 + by, deep, coefficients) > weight
    assert page_weight(indegree, father, mirrors, deep + by, coefficients) < weight


def test_indegrees_and_fathers_are_counted():
    web = graph(5, (0, 1), (2, 1), (1, 3), (0, 3), (3, 4))
    assert web.indegrees.tolist() == [0, 2, 0, 2, 1]
    assert web.fathers.tolist() == [0, 0, 0, 2, 2]
    assert page_weight(web.indegrees, web.fathers, 0, np.array([0, 1, 0, 1, 2])).tolist() == pytest.approx(
        [page_weight(i, f, 0, d) for i, f, d in [(0, 0, 0), (2, 0, 1), (0, 0, 0), (2, 2, 1), (1, 2, 2)]]
    )
