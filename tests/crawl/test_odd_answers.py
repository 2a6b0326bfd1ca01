"""Answers that break the rules of HTTP: what can be made out is read; what cannot costs the page and not its host."""

from pathlib import Path

from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, Answer, article, listing, served, site

TWICE, UNREADABLE = 2, 3  # numbers of articles


def test_an_odd_answer_is_read_and_an_unreadable_one_pauses_no_host(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt":
            return 404, "", {}
        if not path.startswith("/2024/"):
            return listing(1, TWICE, UNREADABLE)
        number = int(path[-9:-5])
        status, text, headers = article(number)
        lengths = {TWICE: str(len(str(text).encode())), UNREADABLE: "7"}
        return status, text, headers | ({"content-length": lengths[number]} if number in lengths else {})

    database = tmp_path / "n.db"
    with served("127.0.0.87", play) as (base, requests):
        done = scrapy(database, "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]
    assert rows(database, "SELECT count(*) FROM articles") == [(2,)]
    assert rows(database, "SELECT state FROM urls WHERE reason = 'bad_answer'") == [("error",)]
    assert rows(database, "SELECT failures FROM hosts") == [(0,)]
    assert [requests[f"/2024/0501/1{n:04}.html"] for n in (1, UNREADABLE)] == [1, 3]
    assert requests[f"/2024/0501/1{TWICE:04}.html"] == 1
