"""Measured floors of the reader on article pages in the structures of many content systems."""

import pytest

from tests.quality.articles.measure import Measure, dates, measured
from tests.quality.articles.pages import samples


@pytest.fixture(scope="module")
def measure() -> Measure:
    return measured()


def test_there_are_many_structures_in_three_variants() -> None:
    names = [sample.name for sample in samples()]
    assert len(set(names)) >= 60
    assert len(names) == 3 * len(set(names))


@pytest.mark.parametrize(
    ("what", "floor"), [("title", 0.98), ("date", 0.98), ("kind", 0.97), ("source", 0.95)]
)
def test_a_field_keeps_its_floor(measure: Measure, what: str, floor: float) -> None:
    assert measure.share(what) >= floor, "\n".join(measure.wrong)


def test_bodies_keep_their_floor(measure: Measure) -> None:
    assert measure.body >= 0.97, "\n".join(measure.wrong)


def test_authors_keep_their_floors(measure: Measure) -> None:
    assert measure.precision >= 0.95, "\n".join(measure.wrong)
    assert measure.recall >= 0.8, "\n".join(measure.wrong)


@pytest.mark.parametrize("seed", [25, 1])
def test_lines_with_dates_keep_their_floors(seed: int) -> None:
    measure = dates(seed)
    assert measure.named[2] == 360
    assert measure.precision >= 0.98, "\n".join(measure.wrong)
    assert measure.recall >= 0.98, "\n".join(measure.wrong)


def test_first_posts_of_threads_keep_their_floor() -> None:
    threads = measured(kind="forum")
    assert len(threads.bodies) >= 40
    assert threads.body >= 0.95, "\n".join(threads.wrong)
