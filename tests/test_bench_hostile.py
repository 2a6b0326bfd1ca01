"""The benchmark of the hostile hosts; no figure of memory or time is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.hostile import CONTESTANTS, measured
from tests.hostile.table import BEHAVIOURS

FEW = ("gzip-bomb", "status-too-long", "robots-html", "no-location")


@pytest.mark.parametrize("name", CONTESTANTS)
def test_memory_delay_rate_and_articles_of_each_contestant_are_measured(tmp_path: Path, name: str) -> None:
    found = measured(name, [each for each in BEHAVIOURS if each.name in FEW], tmp_path, 2000, 120)
    assert found.ending.startswith("exit code")
    assert found.stored == 3 * len(FEW)
    assert found.peak_mb > 30
    assert 0 < found.late < found.seconds
    assert found.rate > 0


def test_a_contestant_that_takes_too_long_is_killed_and_leaves_its_figures(tmp_path: Path) -> None:
    found = measured("stock Scrapy", [each for each in BEHAVIOURS if each.name == "body-stalls"], tmp_path, 2000, 12)
    assert found.ending == "killed after 12 s"
    assert found.peak_mb > 30
