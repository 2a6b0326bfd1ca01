"""Statistics of small graphs, and of graphs whose statistics are known."""

from __future__ import annotations

import numpy as np
import pytest

from newsspider.features.explore.rules.graph_stats import BowTie, bow_tie, degrees, paths, power_law
from newsspider.features.explore.rules.link_analysis import Graph
from tests.support.tables import each


def graph(pages: int, *links: tuple[int, int]) -> Graph:
    pairs = np.array(links, np.int32).reshape(-1, 2)
    return Graph(pages, pairs[:, 0], pairs[:, 1])


RING = [(n, (n + 1) % 5) for n in range(5)]


@each("exponent", [1.8, 2.1, 3.0])
def test_the_exponent_of_a_power_law_is_found(exponent: float) -> None:
    chance = np.random.default_rng(7)
    values = np.arange(1, 1_000_000, dtype=np.float64)
    sums = np.cumsum(values**-exponent)
    drawn = np.searchsorted(sums, chance.random(20_000) * sums[-1]).astype(np.int32) + 1
    law = power_law(drawn)
    assert law is not None
    assert law.exponent == pytest.approx(exponent, abs=0.1)


def test_degrees_without_a_power_law_have_no_exponent() -> None:
    assert power_law(np.ones(1000, np.int32)) is None
    assert power_law(np.arange(10, dtype=np.int32)) is None


def test_degrees_are_counted_in_ranges_that_double() -> None:
    distribution = degrees(np.array([0, 0, 1, 2, 3, 4, 9], np.int32))
    assert (distribution.counts, distribution.largest, distribution.mean) == ((2, 1, 2, 1, 1), 9, 19 / 7)
    assert degrees(np.zeros(0, np.int32)).counts == ()


def test_paths_of_a_ring_and_of_a_line() -> None:
    ring = paths(graph(5, *RING))
    assert (ring.sampled, ring.counts, ring.mean, ring.effective_diameter, ring.reached) == (5, (5, 5, 5, 5), 2.5, 4, 1.0)
    line = paths(graph(4, (0, 1), (1, 2), (2, 3)))
    assert (line.counts, line.reached) == ((3, 2, 1), 6 / 9)
    assert paths(graph(3)).counts == ()


def test_the_parts_of_a_bow_tie() -> None:
    links = [*RING, (5, 0), (6, 5), (1, 7), (6, 8), (9, 7), (10, 11)]  # 8: a tendril of 6; 9 leads to 7
    assert bow_tie(graph(13, *links)) == BowTie(core=5, leads_in=2, led_out=1, tendrils=2, disconnected=3, components=9)
    assert bow_tie(graph(0)).components == 0
