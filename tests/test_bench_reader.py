"""The benchmark of reading: every contestant reads the same pages, and missed goals are reported."""

from pathlib import Path

import pytest

from bench.reader import Figures, lxml_parse, measured, our_list, ours, readable, sample_pages, saved_pages, verdict


def test_the_sample_portals_articles_are_read_by_all_in_turn() -> None:
    pages = readable(sample_pages(6))
    figures = measured(pages, 1, {"lxml": lxml_parse, "newsspider": ours, "as a list": our_list})
    assert len(pages) >= 6
    assert {len(figure.each) for figure in figures.values()} == {len(pages)}
    assert figures["newsspider"].times(figures["lxml"]) > 1


def test_saved_pages_of_any_charset_become_utf8_and_what_holds_no_markup_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes("<p>教育部今天发布通知，要求各地认真落实。</p>".encode("gbk"))
    (tmp_path / "b.htm").write_bytes(b"")
    (tmp_path / "c.txt").write_bytes(b"<p>x</p>")
    assert readable(saved_pages([tmp_path])) == ["<p>教育部今天发布通知，要求各地认真落实。</p>".encode()]


@pytest.mark.parametrize(("page_time", "code"), [(1.0, 0), (200.0, 1)])
def test_a_slow_reader_is_told_and_fails(page_time: float, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"lxml": Figures((1.0,)), "newsspider": Figures((page_time,)), "as a list": Figures((1.0,)), "readability": Figures((20.0,))}
    assert verdict(figures) == code
    assert ("MISSED" in capsys.readouterr().out) == bool(code)


def test_times_is_the_median_of_the_pages_own_ratios() -> None:
    assert Figures((2.0, 30.0, 8.0)).times(Figures((1.0, 10.0, 2.0))) == 3.0
