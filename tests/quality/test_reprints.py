"""Reprints among made pairs: measured floors."""

from __future__ import annotations

import pytest

from bench.reprint_pairs import HARD, pairs
from bench.reprints import FIRST, PRECISION, RECALL, alike_by_simhash, first_right, is_reprint, quality, right

PAIRS = pairs(510, seed=4711)


def test_reprints_are_found_and_nothing_else():
    assert sum(not pair.same for pair in PAIRS) >= 0.3 * len(PAIRS)
    precision, recall = quality(PAIRS, right(PAIRS, is_reprint))
    assert precision >= PRECISION
    assert recall >= RECALL


def test_the_first_source_is_found():
    assert first_right(PAIRS) >= FIRST


def test_simhash_would_not_do():
    made = PAIRS[:40]
    assert quality(made, right(made, alike_by_simhash))[1] < 0.5


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_makes_the_same_pairs(seed):
    assert pairs(30, seed) == pairs(30, seed)
    assert sum(not pair.same for pair in pairs(30, seed)) == round(30 * HARD)
