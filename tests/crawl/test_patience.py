"""Hosts that ask for patience, robots.txt that moved, a store that is full: what the crawl does then."""

import subprocess
from pathlib import Path

from tests.support.portal import ROOT, Portal, command, environment, rows, scrapy
from tests.support.servers import new_file
from tests.support.serving import QUICK, Answer, article, listing, served, site

IMPATIENT = ("-s", "WRITER_PATIENCE_SECONDS=5")  # a checkpoint may make room once more: then it begins anew


def test_a_robots_file_that_moved_is_followed_and_obeyed(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 301, "", {"Location": "/rules/robots.txt"}
            case "/rules/robots.txt":
                return 200, "User-agent: *\nDisallow: /2024/", {"Content-Type": "text/plain"}
        return listing(1, 2, 3)

    with served("127.0.0.81", play) as (base, requests):
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]
    assert requests["/rules/robots.txt"] == 1
    assert not [path for path in requests if path.startswith("/2024/")]


def test_a_list_that_always_answers_503_does_not_starve_its_host(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/a/":
                return 503, "", {}
            case "/b/":
                return listing(1, 2, 3)
        return article(int(path[-9:-5]))

    with served("127.0.0.82", play) as (base, requests):
        sites = site(tmp_path, base, {"/a/": 9, "/b/": 3})
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={sites}", *QUICK)
    assert done.returncode == 9, done.stderr[-2000:]
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM articles") == [(3,)]
    assert 2 <= requests["/a/"] <= 4


def test_a_known_list_that_fails_is_tried_again_within_the_round(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/a/":
                return (500, "", {}) if times == 2 else listing(*range(times))
            case "/b/":
                return listing(7)
        return article(int(path[-9:-5]))

    with served("127.0.0.83", play) as (base, requests):
        arguments = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/a/': 9, '/b/': 3})}", *QUICK)
        assert scrapy(tmp_path / "n.db", *arguments).returncode == 0
        assert scrapy(tmp_path / "n.db", *arguments).returncode == 0
    assert requests["/a/"] == 3
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM articles") == [(4,)]


def test_a_patience_longer_than_the_round_ends_it_as_postponed(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/b/":
                return listing(1, 2)
        return 429, "", {"Retry-After": "3600"}

    with served("127.0.0.84", play) as (base, requests):
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/b/': 3})}", *QUICK)
    assert done.returncode == 6, done.stderr[-2000:]
    assert "put off" in done.stderr.splitlines()[-1]
    assert sum(requests[path] for path in requests if path.startswith("/2024/")) == 1


def test_a_host_that_always_sends_429_with_a_pause_of_nothing_does_not_hold_up_the_end(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/b/":
                return listing(1)
        return 429, "", {"Retry-After": "0"}

    with served("127.0.0.239", play) as (base, requests):
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/b/': 3})}", *QUICK)
    assert done.returncode == 6, done.stderr[-2000:]
    assert 2 <= requests["/2024/0501/10001.html"] <= 4


def test_a_full_disk_stops_the_crawl_loudly(quiet: Portal, tmp_path: Path) -> None:
    new_file(tmp_path / "n.db")
    limited = ["bash", "-c", 'ulimit -f 700; exec "$0" "$@"', *command("crawl", "education", "-a", f"sites={quiet.sites}", *IMPATIENT)]
    unmeasured = {name: value for name, value in environment(tmp_path / "n.db").items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        limited, cwd=ROOT, env=unmeasured, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 8, done.stderr[-3000:]
    assert "the store failed" in done.stderr.splitlines()[-1]
