"""The console of the tests of the console."""

from tests.features.console.conftest import _warm_child_processes, backend, console, filled, new_child_processes

__all__ = ["_warm_child_processes", "backend", "console", "filled", "new_child_processes"]
