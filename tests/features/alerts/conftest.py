"""The same stores as those of the tests of the store, and a receiver of webhooks."""

from collections.abc import Iterator

import pytest

from tests.support.receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as there:
        yield there
