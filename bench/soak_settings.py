"""Settings of the soak: the project's, with lists that are asked often enough to find what is new, and the meter."""

from newsspider.settings import *  # noqa: F403 -- these are the settings that are measured

EXTENSIONS = {"bench.soak_meter.SoakMeter": 900}
REVISIT_REQUESTS_PER_LIST = 60.0
REVISIT_REQUESTS_PER_HOUR = 60_000.0
REVISIT_REQUESTS_PER_HOST = 360.0
REVISIT_SHORTEST_SECONDS = 10.0
ARTICLE_REVISITS = ["3m", "6m", "12m"]  # so that visits to stored articles are a part of the load
LOG_LEVEL = "WARNING"
