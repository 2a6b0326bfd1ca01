"""One crawl of hostile hosts, and what it left."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hostile.articles import HOSTILE, title_of
from tests.hostile.behaviour import ANY, Behaviour
from tests.hostile.server import GOOD, HostileWeb, served
from tests.support.portal import ROOT, rows

TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Crawled:
    """What is known of a crawl after its end."""

    web: HostileWeb
    code: int
    log: str
    figures: dict[str, Any]  # of tests.hostile.lateness
    ledger: dict[str, tuple[str, str, str]]  # state, reason, detail by URL
    titles: dict[str, str]  # of the articles, by URL

    @property
    def wrong(self) -> dict[str, list[str]]:
        """What went wrong, by the name of the behaviour."""
        return {
            behaviour.name: faults
            for address, (n, behaviour) in self.web.behaviours.items()
            if (faults := self._wrong(address, n, behaviour))
        }

    def _wrong(self, address: str, number: int, behaviour: Behaviour) -> list[str]:
        url, faults = self.web.url(address), []
        state, reason, detail = self.ledger.get(url, ("unknown", "", ""))
        if (state, reason) != (behaviour.state, behaviour.reason) or behaviour.detail not in detail:
            faults.append(f"{state}/{reason} ({detail}), not {behaviour.state}/{behaviour.reason} ({behaviour.detail})")
        stored = [path for path, n in GOOD.items() if self.titles.get(self.web.base(address) + path) == title_of(number, n)]
        if behaviour.neighbours not in (ANY, len(stored)):
            faults.append(f"{len(stored)} articles beside it, not {behaviour.neighbours}")
        if behaviour.reason == "stored" and behaviour.title and self.titles.get(url, "").replace("\ufffd", "") != title_of(number, HOSTILE):
            faults.append(f"the title {self.titles.get(url)!r}, not {title_of(number, HOSTILE)!r}")
        requests = sum(times for (host, _), times in self.web.asked.items() if host == address)
        if requests > behaviour.most:
            faults.append(f"asked {requests} times, more than {behaviour.most}")
        return faults


def crawl(behaviours: Sequence[Behaviour], folder: Path, *options: str) -> Crawled:
    """Crawl the hosts of these behaviours once, in a process of its own, with these further options."""
    database, report, log = folder / "news.db", folder / "lateness.json", folder / "crawl.log"
    with served(HostileWeb(behaviours, folder)) as web, log.open("wb") as out:
        done = subprocess.run(
            [*command_of(web, folder), *options], cwd=ROOT, env=environment_of(database), stdout=out, stderr=out,
            timeout=TIMEOUT_SECONDS, check=False,
        )  # fmt: skip
    ledger = rows(database, "SELECT url, state, reason, detail FROM urls")
    return Crawled(
        web, done.returncode, log.read_text("utf-8", "replace"), json.loads(report.read_text("utf-8")),
        {url: (state, reason, detail) for url, state, reason, detail in ledger}, titles_in(database),
    )  # fmt: skip


def command_of(web: HostileWeb, folder: Path) -> list[str]:
    """One round of newsspider over these hosts."""
    report = folder / "lateness.json"
    return [sys.executable, "-m", "scrapy", "crawl", "education", "-a", f"sites={web.sites()}", "-s", f"LATENESS_REPORT={report}"]


def environment_of(database: Path) -> dict[str, str]:
    """The environment of such a crawl."""
    return os.environ | {
        "SCRAPY_SETTINGS_MODULE": "tests.hostile.settings", "PYTHONPATH": str(ROOT),
        "NEWSSPIDER_DATABASE_URL": f"sqlite:///{database}", "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8",
    }  # fmt: skip


def titles_in(database: Path) -> dict[str, str]:
    """The titles of the stored articles, by URL."""
    return dict(rows(database, "SELECT url, title FROM article_urls"))


def tracebacks(log: str) -> list[str]:
    """The last lines of the tracebacks in a log."""
    return re.findall(r"^Traceback .*?^(\S.*)$", log, re.MULTILINE | re.DOTALL)
