"""Settings of ours in the benchmark: the project's, and the meter."""

from newsspider.settings import *  # noqa: F403 -- these are the settings that are measured
from newsspider.settings import EXTENSIONS as _EXTENSIONS

EXTENSIONS = {"bench.cpu.CpuMeter": 0, **_EXTENSIONS}
