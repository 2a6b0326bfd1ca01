"""The tests have the same names at every collection: several workers that run them together refuse to start otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_a_second_collection_finds_the_same_tests_in_the_same_order(request: pytest.FixtureRequest) -> None:
    """At another second and with another order of sets: neither a time nor a set is part of a test's name."""
    first = [item.nodeid for item in request.session.items]
    files = dict.fromkeys(name.split("::")[0] for name in first)
    command = [sys.executable, "-m", "pytest", "--collect-only", "--assert=plain", "-p", "no:cacheprovider", *files]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")} | {"PYTHONHASHSEED": "1"}
    output = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    test_ids = set(first)
    assert [name for name in output.splitlines() if name in test_ids] == first
