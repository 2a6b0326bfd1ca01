"""The console of the tests of the console."""

from tests.features.console.conftest import backend, console, filled

__all__ = ["backend", "console", "filled"]
