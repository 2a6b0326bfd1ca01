"""Measured floors of the reader on article pages in the structures of many content systems."""

import pytest

from tests.quality.articles.measure import Measure, measured
from tests.quality.articles.pages import samples


@pytest.fixture(scope="module")
def measure() -> Measure:
    return measured()


def test_there_are_many_structures_in_three_variants() -> None:
    names = [sample.name for sample in samples()]
    assert len(set(names)) >= 60
    assert len(names) == 3 * len(set(names))


@pytest.mark.parametrize(
    ("what", "floor"), [("title", 0.96), ("date", 0.93), ("kind", 0.91), ("source", 0.95)]
)
def test_a_field_keeps_its_floor(measure: Measure, what: str, floor: float) -> None:
    assert measure.share(what) >= floor, "\n".join(measure.wrong)


def test_bodies_keep_their_floor(measure: Measure) -> None:
    assert measure.body >= 0.96, "\n".join(measure.wrong)


def test_authors_keep_their_floors(measure: Measure) -> None:
    assert measure.precision >= 0.95, "\n".join(measure.wrong)
    assert measure.recall >= 0.8, "\n".join(measure.wrong)
