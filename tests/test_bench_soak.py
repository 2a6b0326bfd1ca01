"""The soak, for a few seconds over a few hosts; no figure of speed or memory is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench import soak

SAMPLE = soak.Sample(3.0, 200.0, 210.0, 40, 3, 0.1, 1000, 500, 10)


def test_a_soak_prints_what_the_crawl_takes_and_does(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["soak", "--minutes", "0.25", "--hosts", "4", "--before", "4", "--every", "3"])
    assert soak.main() == 1
    lines = capsys.readouterr().out.splitlines()
    last = lines[-2].split()
    assert "too short" in lines[-1]
    assert float(last[1]) > 20
    assert int(last[7]) > 0


def test_a_soak_that_misses_no_goal_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.judged([SAMPLE, replace(SAMPLE, minute=20.0, resident=210.0, peak=220.0)]) == 0
    assert "growth in MB from minute 3 to 20: 10 (at most 50)" in capsys.readouterr().out


@pytest.mark.parametrize("worse", [{"peak": 301.0}, {"resident": 260.0}, {"descriptors": 60}])
def test_a_soak_that_misses_a_goal_ends_with_1(worse: dict[str, float], capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.judged([SAMPLE, replace(SAMPLE, minute=20.0, **worse)]) == 1
    assert "MISSED" in capsys.readouterr().out
