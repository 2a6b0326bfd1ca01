"""How much memory this process took: asked by tests in processes of their own."""

import re
from pathlib import Path


def peak_mb() -> float:
    """The most memory that this program ever had, in MB; ``ru_maxrss`` also counts that of the process that started it."""
    match = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("utf-8"))
    assert match is not None
    return int(match[1]) / 1000
