"""The console of the tests of the console."""

from tests.features.console.conftest import filled

__all__ = ["filled"]
