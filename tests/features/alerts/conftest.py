"""The same stores as those of the tests of the store, and a receiver of webhooks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.features.alerts.receiver import Receiver
from tests.store.conftest import backend, conn, store, url, writer

__all__ = ["backend", "conn", "store", "url", "writer"]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as there:
        yield there
