"""The benchmark of the hostile hosts; no figure of memory or time is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.hostile import CONTESTANTS, measured
from tests.hostile.table import BEHAVIOURS

FEW = ("gzip-bomb", "status-too-long", "robots-html", "no-location")


@pytest.mark.parametrize("name", CONTESTANTS)
def test_memory_delay_rate_and_articles_of_each_contestant_are_measured(tmp_path: Path, name: str) -> None:
    figures = measured(name, [behaviour for behaviour in BEHAVIOURS if behaviour.name in FEW], tmp_path, 2000, 120)
    assert figures.ending.startswith("exit code")
    assert figures.stored == 3 * len(FEW)
    assert figures.peak_mb > 30
    assert 0 < figures.late < figures.seconds
    assert figures.rate > 0


def test_a_contestant_that_takes_too_long_is_killed_and_leaves_its_figures(tmp_path: Path) -> None:
    (stalling,) = [behaviour for behaviour in BEHAVIOURS if behaviour.name == "body-stalls"]
    figures = measured("stock Scrapy", [stalling], tmp_path, 2000, 12)
    assert figures.ending == "killed after 12 s"
    assert figures.peak_mb > 30
