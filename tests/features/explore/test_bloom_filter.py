"""The lossy URL memory of the classical crawlers, measured."""

import math
import random

import pytest

from newsspider.features.explore import crawl_starts
from newsspider.features.explore.bloom_filter import SeenFilter
from newsspider.features.explore.crawl_starts import Seed
from newsspider.features.explore.rules.breadth_and_depth_first import BreadthFirst
from tests.support.samples import NOW


def keys(count: int, seed: int) -> list[int]:
    chance = random.Random(seed)
    return [chance.getrandbits(64) - 2**63 for _ in range(count)]


@pytest.mark.parametrize("rate", [0.01, 0.001])
def test_it_knows_all_that_was_added_and_errs_at_no_more_than_its_rate(rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsspider.features.explore.bloom_filter.FIRST_CAPACITY", 250)
    seen_filter, added = SeenFilter(rate), keys(20_000, 1)  # four parts, all but the last of them full
    seen_filter.add(added)
    assert all(key in seen_filter for key in added)
    others = keys(40_000, 2)
    wrong = sum(key in seen_filter for key in others) / len(others)
    assert rate / 10 < wrong < rate
    assert seen_filter.bytes / len(added) < 8


@pytest.mark.parametrize("capacity", [1000, 100_000])
def test_its_parts_are_as_large_as_the_formula_says(capacity: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsspider.features.explore.bloom_filter.FIRST_CAPACITY", capacity)
    seen_filter = SeenFilter(0.001)
    seen_filter.add([1])
    part = seen_filter._filter.filters[0]
    bits = -capacity * math.log(part.error_rate) / math.log(2) ** 2
    assert part.num_slices == math.ceil(bits / capacity * math.log(2))
    assert abs(part.num_bits - bits) <= part.num_slices


def test_it_is_filled_from_the_crawl_of_its_name_only(conn):
    for site, url in (("explore:one", "http://a.cn/1"), ("explore:other", "http://a.cn/2")):
        crawl_starts.begin(conn, site, "breadth-first", BreadthFirst(), [Seed(url)], NOW)
    seen_filter = SeenFilter(0.001)
    seen_filter.fill(conn, "explore:one")
    contained = {row.url: row.key in seen_filter for row in conn.exec_driver_sql("SELECT url, key FROM urls")}
    assert contained == {"http://a.cn/1": True, "http://a.cn/2": False}
