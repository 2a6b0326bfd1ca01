"""Settings of a crawl of the hostile hosts: the project's, with short waits, and the meter."""

from newsspider.settings import *  # noqa: F403 -- these are the settings that are tried

EXTENSIONS = {"tests.hostile.lateness.Lateness": -1}  # before ours
CONCURRENT_REQUESTS = 48
DELAY_FACTOR = 0.0
DELAY_MIN_SECONDS = 0.0
DOWNLOAD_TIMEOUT = 45  # on a busy machine a long page waits for longer until those before it are read
DOWNLOAD_FIRST_BYTE_SECONDS = 15.0  # of a machine that is four times slower
RETRY_TIMES = 1
RETRY_BASE_SECONDS = 0.05
RETRY_CAP_SECONDS = 0.1
ROUND_PATIENCE_SECONDS = 5.0
