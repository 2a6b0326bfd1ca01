"""The strategies by name, the syntax of their options, and the state that a row stores."""

import re
from dataclasses import FrozenInstanceError
from importlib import import_module
from inspect import getdoc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.features.explore.rules.best_first import BestFirst
from newsspider.features.explore.rules.breadth_and_depth_first import LevelRow, Mixed
from newsspider.features.explore.rules.strategy import FrontierPosition, LinkSeen, StrategyState, if_better, if_new
from newsspider.features.explore.rules.strategy_names import STRATEGIES, make_strategy, options_of
from tests.support.tables import each


@each("name", STRATEGIES)
def test_every_strategy_is_made_by_its_name_and_keeps_nothing(name: str) -> None:
    instance = make_strategy(name)
    assert instance == STRATEGIES[name]()
    assert set(options_of(name)) == set(STRATEGIES[name].__dataclass_fields__)  # type: ignore[attr-defined]
    with pytest.raises((FrozenInstanceError, TypeError)):
        instance.anything = 1  # type: ignore[attr-defined]


@each("name", STRATEGIES)
def test_every_strategy_names_its_source_and_says_when_to_choose_it(name: str) -> None:
    docstring = f"{import_module(STRATEGIES[name].__module__).__doc__}\n{getdoc(STRATEGIES[name])}"
    assert re.search(r"^Source: ", docstring, re.MULTILINE)
    assert "Choose it" in docstring


def test_options_are_read_by_the_type_of_their_default() -> None:
    assert make_strategy("best-first", {"anchor": "0.7", "depth": "5"}) == BestFirst(anchor=0.7, depth=5)
    assert make_strategy("mixed", {"table": "0/1/10, 1/5/2"}) == Mixed((LevelRow(0, 1, 10), LevelRow(1, 5, 2)))


@each(
    ("name", "options", "message"),
    [
        ("whale", {}, "there is no strategy 'whale'; there are polling, breadth-first"),
        ("fish", {"with": "3"}, "fish has no option 'with'; it has width, energy, depth"),
        ("fish", {"width": "many"}, "width=many: say a whole number from 0 to 32767"),
        ("fish", {"width": "-1"}, "width=-1: say a whole number from 0 to 32767"),
        ("fish", {"width": "1.5"}, "width=1.5: say a whole number from 0 to 32767"),
        ("fish", {"depth": "32768"}, "depth=32768: say a whole number from 0 to 32767"),
        ("fish", {"depth": "9" * 5000}, ": say a whole number from 0 to 32767"),
        ("best-first", {"page": "nan"}, "page=nan: say a number from 0 to 1000000000"),
        ("best-first", {"page": "x"}, "page=x: say a number from 0 to 1000000000"),
        ("page-weight", {"indegree": "1e300"}, "indegree=1e300: say a number from 0 to 1000000000"),
        ("breadth-first", {"cycle_seconds": "inf"}, "cycle_seconds=inf: say a number from 0 to 1000000000"),
        ("mixed", {"table": "0/1/" + "9" * 5000}, "three whole numbers from 0 to 999999999"),
        ("mixed", {"table": "0/1"}, "'0/1' is not DEPTH/PAGES/IMPORTANCE"),
        ("mixed", {"table": "0/-1/2"}, "is not DEPTH/PAGES/IMPORTANCE"),
        ("mixed", {"table": "1/2/3,1/4/5"}, "a depth occurs twice"),
        ("rbse", {"order": "random"}, "breadth-first or depth-first"),
    ],
)
def test_wrong_names_and_options_are_told_in_a_sentence(name: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make_strategy(name, options)


@given(st.builds(StrategyState, st.integers(0, 99), st.floats(0, 1), st.integers(0, 1 << 40)))
def test_strategy_state_survives_being_stored(carried: StrategyState) -> None:
    assert StrategyState.read(carried.text()) == carried
    assert len(carried.text()) < 100


def test_a_link_that_waits_takes_what_is_better_and_stays_where_nothing_is() -> None:
    waits = FrontierPosition(5, 3, StrategyState(1, 0.5), 60.0)
    link = LinkSeen("http://h/", "h", waits=waits)
    assert if_better(link, FrontierPosition(5, 1, StrategyState(1, 0.9))) is None
    assert if_better(link, FrontierPosition(9, 4, StrategyState(0, 0.2))) == FrontierPosition(9, 3, StrategyState(1, 0.5), 60.0)
    assert if_better(link, FrontierPosition(2, 4, StrategyState(2, 0.7))) == FrontierPosition(5, 3, StrategyState(2, 0.7), 60.0)
    assert if_new(link, FrontierPosition(9, 4)) is None


def test_the_guide_knows_every_strategy_and_every_option() -> None:
    guide = (Path(__file__).parents[4] / "docs" / "how-to" / "choose-a-strategy.md").read_text("utf-8")
    expected_names = {*STRATEGIES, *(option for name in STRATEGIES for option in options_of(name))}
    assert not {name for name in expected_names if f"`{name}`" not in guide}
