"""The stores of the tests of the store."""

from tests.support.stores import backend, store, url

__all__ = ["backend", "store", "url"]
