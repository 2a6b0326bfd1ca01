"""A list that leads off its site brings no more news, and the crawl says so."""

import json
from pathlib import Path

from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, Answer, article, listing, served, site


def test_a_list_that_leads_off_its_site_fails_loudly_and_is_polled_again(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/a/":
                return 302, "", {"Location": "http://127.0.0.99:9/login"}
            case "/b/":
                return listing(1, 2)
            case "/c/":
                return 302, "", {"Location": "/c/hop"}
            case "/c/hop":
                return 302, "", {"Location": "http://127.0.0.99:9/login"}
        return article(int(path[-9:-5]))

    database = tmp_path / "n.db"
    with served("127.0.0.93", play) as (base, requests):
        command = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/a/': 9, '/b/': 3, '/c/': 3})}", *QUICK)
        first, second = scrapy(database, *command), scrapy(database, *command)
        status, explained = scrapy(database, "status", "--json"), scrapy(database, "explain", f"{base}/a/")
    assert (first.returncode, second.returncode) == (9, 9), first.stderr[-2000:]
    warned = [line for line in (first.stderr + second.stderr).splitlines() if "WARNING" in line and f"{base}/a/ " in line]
    assert len(warned) == 1
    assert "127.0.0.99:9/login" in warned[0]
    assert (requests["/a/"], requests["/c/"], requests["/c/hop"]) == (2, 2, 2)
    failing = {row["url"]: row for row in json.loads(status.stdout)["lists_that_fail"]}
    assert set(failing) == {f"{base}/a/", f"{base}/c/hop"}
    assert (failing[f"{base}/a/"]["reason"], failing[f"{base}/a/"]["failures"]) == ("http_status", 2)
    assert "leads elsewhere, not followed: http://127.0.0.99:9/login" in explained.stdout
    assert rows(database, f"SELECT state, due_at > last_fetched_at FROM urls WHERE url = '{base}/a/'") == [("error", 1)]
    assert rows(database, "SELECT count(*) FROM articles") == [(2,)]


def test_a_list_that_moved_within_its_site_is_read_where_it_is(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/a/":
                return 301, "", {"Location": "/new/"}
            case "/new/":
                return listing(1, 2)
        return article(int(path[-9:-5]))

    with served("127.0.0.94", play) as (base, _):
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/a/': 9})}", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "leads elsewhere" not in done.stderr
    assert rows(tmp_path / "n.db", "SELECT reason, failures FROM urls WHERE url LIKE '%/a/'") == [("redirect", 0)]
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM articles") == [(2,)]
