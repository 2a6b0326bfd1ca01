"""A clock that a test moves by hand."""

from newsspider.store.engine.clock import Clock

NOW = 1_800_000_000.0


class HeldClock(Clock):
    """Stands still until it is moved."""

    def __init__(self, now: float = NOW) -> None:
        self.moment = now

    def now(self) -> float:
        return self.moment

    def advance(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self.moment += seconds
