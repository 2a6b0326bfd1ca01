"""The download handler alone, in a process with a reactor of its own."""

import json
import subprocess
import sys
from typing import Any

from scrapy.settings import default_settings

from tests.download.spider import COMPONENTS
from tests.support.process import ROOT, in_warm_process

FIRST_BYTE_SECONDS = 3.0
LARGEST = 50_000
FETCH = """
import json, sys, time
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import StopDownload
from scrapy.settings import Settings
from tests.support.memory import peak_mb

asked = json.load(sys.stdin)
ended = {}

class Fetching(Spider):
    name = "fetching"
    async def start(self):
        for url, meta in asked["requests"]:
            headers = {"If-None-Match": b'"\\xd6\\xd0"'} if url.endswith("/validator") else {}
            yield Request(url, self.parse, errback=self.failed, headers=headers, meta=dict(meta, began=time.time()), dont_filter=True)
    def parse(self, response):
        ended.setdefault(response.url, []).append({
            "status": response.status, "body": response.body.decode("latin-1"), "seconds": time.time() - response.meta["began"],
            "headers": {name.decode("latin-1"): [value.decode("latin-1") for value in values] for name, values in response.headers.items()},
            "flags": response.flags, "address": str(response.ip_address), "protocol": response.protocol,
            "latency": response.meta["download_latency"],
        })
    def failed(self, failure):
        response = getattr(failure.value, "response", None)
        ended.setdefault(failure.request.url, []).append({
            "error": failure.type.__name__, "seconds": time.time() - failure.request.meta["began"],
            "body": None if response is None else response.body.decode("latin-1"),
        })

def stop(request, **_):
    if request.url.endswith("/stopped"):
        raise StopDownload(fail=True)

settings = Settings()
settings.setmodule("newsspider.settings", priority="project")
settings.setdict(asked["settings"], priority="cmdline")
process = AsyncCrawlerProcess(settings)
crawler = process.create_crawler(Fetching)
crawler.signals.connect(stop, signals.headers_received)
process.crawl(crawler)
process.start()
print(json.dumps({"ended": ended, "peak_mb": peak_mb()}))
"""
BARE: dict[str, Any] = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    **{name: getattr(default_settings, name) for name in COMPONENTS},
    "LOG_LEVEL": "ERROR", "ALLOWED_ADDRESSES": ["127.0.0.0/8"], "DOWNLOAD_MAXSIZE": LARGEST,
    "DOWNLOAD_FIRST_BYTE_SECONDS": FIRST_BYTE_SECONDS, "DOWNLOAD_TIMEOUT": 20, "TELNETCONSOLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 40, "CONCURRENT_REQUESTS_PER_DOMAIN": 40, "DOWNLOAD_DELAY": 0, "REDIRECT_ENABLED": False,
    "MEMUSAGE_ENABLED": False,  # Scrapy's own, without ours in EXTENSIONS: it counts the memory of the process that started this one
    "COMPRESSION_ENABLED": False, "COOKIES_ENABLED": False, "RETRY_ENABLED": False, "HTTPERROR_ALLOW_ALL": True,
}  # fmt: skip


def fetched(base: str, requests: list[tuple[str, dict[str, Any]]], **settings: Any) -> dict[str, list[dict[str, Any]]]:
    """How each fetch ended, by path."""
    done = in_warm_process([FETCH], input=_task(base, requests, settings).encode(), timeout=300)
    return _by_path(base, json.loads(done.stdout))


def measured(
    base: str, requests: list[tuple[str, dict[str, Any]]], **settings: Any
) -> tuple[dict[str, list[dict[str, Any]]], float]:
    """The same in a new process, and its peak memory in MB."""
    task = _task(base, requests, settings)
    done = subprocess.run([sys.executable, "-c", FETCH], input=task, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    return _by_path(base, report), report["peak_mb"]


def _task(base: str, requests: list[tuple[str, dict[str, Any]]], settings: dict[str, Any]) -> str:
    return json.dumps({"requests": [(base + path, meta) for path, meta in requests], "settings": BARE | settings})


def _by_path(base: str, report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {url.removeprefix(base): ends for url, ends in report["ended"].items()}
