"""Settings of ours in the benchmark: the project's, and the meter."""

from newsspider.settings import *  # noqa: F403 -- these are the settings that are measured

EXTENSIONS = {"bench.cpu.CpuMeter": -1}  # before ours
