"""The memory of large values goes back to the system."""

import subprocess
import sys

import pytest

# The first large block that is freed raises glibc's threshold; the second lies on the heap, below a small one that stays.
KEPT_MB = """
from newsspider.crawl.freed_memory import LARGE_BYTES, return_large_blocks
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
if {returned}:
    return_large_blocks()
block = b"x" * (20 * LARGE_BYTES)
del block
before = resident()
blocks = []
for _ in range(8):
    blocks.append(b"x" * LARGE_BYTES)
    blocks.append(b"x" * 2000)
del blocks[::2]
print((resident() - before) / LARGE_BYTES)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measured in /proc, with glibc")
def test_large_blocks_are_returned_though_small_ones_lie_behind_them():
    megabytes = {}
    for returned in (True, False):
        done = subprocess.run([sys.executable, "-c", KEPT_MB.format(returned=returned)], capture_output=True, check=True)
        megabytes[returned] = float(done.stdout)
    assert megabytes[False] > 6
    assert megabytes[True] < 1
