"""A real name server for each test, and what asks it."""

from collections.abc import Iterator

import pytest

from tests.support.name_server import Running, name_server


@pytest.fixture
def server() -> Iterator[Running]:
    """A name server that runs, and its address with the port."""
    with name_server() as running:
        yield running
