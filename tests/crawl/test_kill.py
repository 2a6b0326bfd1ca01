"""A crawl that is killed at any moment continues where it was: nothing lost, nothing twice."""

from __future__ import annotations

import random
import signal
from pathlib import Path

from tests.crawl.events import until
from tests.crawl.portal import Portal, rows, scrapy, start

KILLS = 5
SETTLED = "SELECT count(*) FROM urls WHERE state IN ('done', 'error')"
STATES = "SELECT count(*), sum(state IN ('waiting', 'processing', 'error', 'done')) FROM urls"


def stored(database: Path) -> tuple[set[str], set[str], set[str]]:
    """Canonical URLs of the articles, hashes of their bodies, and all URLs of the ledger."""
    canonical = {url for (url,) in rows(database, "SELECT canonical_url FROM article_urls")}
    bodies = {body for (body,) in rows(database, "SELECT body_md5 FROM articles")}
    return canonical, bodies, {url for (url,) in rows(database, "SELECT url FROM urls")}


def test_five_kills_at_random_moments_change_nothing_in_what_is_stored(quiet: Portal, tmp_path: Path) -> None:
    command = ("crawl", "education", "-a", f"sites={quiet.sites}")
    whole = tmp_path / "whole.db"
    assert scrapy(whole, *command).returncode == 0
    pages = rows(whole, SETTLED)[0][0]
    killed, log = tmp_path / "killed.db", tmp_path / "log"
    moments = sorted(random.sample(range(1, pages - 1), KILLS))
    for moment in moments:
        process = start(killed, *command, log=log)
        until(lambda moment=moment: rows(killed, SETTLED)[0][0] >= moment, process)  # type: ignore[misc]
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        known, in_states = rows(killed, STATES)[0]
        assert known == in_states
    done = scrapy(killed, *command)
    assert done.returncode == 0, done.stderr[-3000:]
    assert stored(killed) == stored(whole), f"killed at {moments}"
    assert rows(killed, "SELECT count(*) FROM articles")[0][0] > 50
    assert rows(killed, "SELECT count(*) FROM urls WHERE state IN ('waiting', 'processing')") == [(0,)]
