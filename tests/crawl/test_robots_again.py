"""A robots.txt that can no longer be fetched: its last good copy is obeyed for a month, then its host is closed. A host
that never had one, but a guard's page in its place, opens after an hour."""

import sqlite3
from pathlib import Path

import pytest

from tests.support.guard_pages import GUARD_PAGES
from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, Answer, article, listing, served, site

DAY = 86_400


@pytest.mark.parametrize("status", [500, 429])
def test_the_last_good_robots_txt_is_obeyed_while_asking_again_fails(tmp_path: Path, status: int) -> None:
    database = tmp_path / "n.db"

    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return (200, "User-agent: *\nDisallow: /2024/0501/10002", {}) if times == 1 else (status, "", {})
            case "/":
                return listing(*range(requests["/"] + 2))
        return article(int(path[-9:-5]))

    def aged(fetched: float, good: float) -> None:
        """Let so many seconds have passed since the robots.txt was fetched, and since it was last good."""
        with sqlite3.connect(database) as conn:
            conn.execute(f"UPDATE hosts SET robots_fetched_at = robots_fetched_at - {fetched}, robots_good_at = robots_good_at - {good}")
            conn.execute(f"UPDATE urls SET last_fetched_at = last_fetched_at - {fetched} WHERE kind = 'robots'")

    with served("127.0.0.85", play) as (base, requests):
        arguments = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 9})}", "-a", "topic=any", *QUICK)
        assert scrapy(database, *arguments).returncode == 0
        aged(DAY + 1, DAY + 1)
        done = scrapy(database, *arguments)
        assert done.returncode == 0, done.stderr[-2000:]
        assert requests["/robots.txt"] >= 2
        assert requests["/"] == 2
        assert requests["/2024/0501/10003.html"] == 1  # new in the second round
        assert requests["/2024/0501/10002.html"] == 0  # forbidden by the last good copy
        aged(DAY, 30 * DAY)
        scrapy(database, *arguments)
        assert requests["/"] == 2  # the host is closed now
        assert rows(database, "SELECT count(*) FROM urls WHERE reason = 'no_robots'") == [(1,)]


def test_a_guard_in_the_place_of_robots_txt_does_not_open_what_it_closes(tmp_path: Path) -> None:
    database = tmp_path / "n.db"

    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt" if times < 3:
                return 200, GUARD_PAGES["a human check"], {"Content-Type": "text/html"}
            case "/robots.txt":
                return 200, "User-agent: *\nDisallow: /2024/0501/10002", {}
            case "/":
                return listing(1, 2)
        return article(int(path[-9:-5]))

    with served("127.0.0.85", play) as (base, requests):
        done = scrapy(database, "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 9})}", "-a", "topic=any", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]
    assert requests["/robots.txt"] == 3
    assert requests["/2024/0501/10001.html"] == 1
    assert requests["/2024/0501/10002.html"] == 0


@pytest.mark.parametrize("guarded", [False, True], ids=["robots.txt alone", "each page"])
def test_a_guard_that_stays_in_the_place_of_robots_txt_closes_a_host_for_an_hour(tmp_path: Path, guarded: bool) -> None:
    database = tmp_path / "n.db"

    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt" or guarded:
            return 200, GUARD_PAGES["a human check"], {"Content-Type": "text/html"}
        return listing(1, 2) if path == "/" else article(int(path[-9:-5]))

    with served("127.0.0.85", play) as (base, requests):
        arguments = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 9})}", "-a", "topic=any", *QUICK)
        scrapy(database, *arguments)
        assert requests["/"] == 0  # closed
        asked = requests["/robots.txt"]
        with sqlite3.connect(database) as conn:
            conn.execute("UPDATE hosts SET robots_fetched_at = robots_fetched_at - 7200, paused_until = 0, next_at = 0")
            conn.execute("UPDATE urls SET last_fetched_at = last_fetched_at - 7200, due_at = due_at - 7200")
        done = scrapy(database, *arguments)
        assert done.returncode == (7 if guarded else 0), done.stderr[-2000:]  # 7: no list could be read
        assert requests["/robots.txt"] > asked
        assert requests["/"] >= 1
    (stored,) = rows(database, "SELECT count(*) FROM articles")
    assert stored == ((0,) if guarded else (2,))
