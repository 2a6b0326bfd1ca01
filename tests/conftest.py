"""What holds for every test: the sites that they crawl are on this machine, and so are the servers."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest

from newsspider.core.text.words import only_words
from tests.servers import migrated, never_written, shared_postgres, shared_redis

__all__ = ["migrated", "never_written", "shared_postgres", "shared_redis"]

os.environ.setdefault("NEWSSPIDER_ALLOWED_ADDRESSES", "127.0.0.0/8")
for proxy in [name for name in os.environ if name.lower().endswith("_proxy")]:  # the servers of the tests are on this machine
    del os.environ[proxy]
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)  # what passes once passes again, however slowly
hypothesis.settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def words_of_one_test() -> Iterator[None]:
    """The words of a topic, which a command names for its whole process, are those of its test alone."""
    with only_words(()):
        yield
