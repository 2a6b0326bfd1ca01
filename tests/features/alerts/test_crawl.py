"""What a real crawl stores is told, also by one that was killed on its way."""

from pathlib import Path

import pytest

from tests.support.events import until
from tests.support.portal import exported, rows, scrapy, start
from tests.support.receiver import Receiver, failing_a_third
from tests.support.servers import new_file
from tests.support.serving import QUICK, article, served, site

COUNT = 12


def play(path: str, _: int) -> tuple[int, str, dict[str, str]]:
    if path == "/list.html":
        links = "".join(f'<li><a href="/2024/0501/{n}.html">学校教育改革座谈会第{n}场举行</a> 2024-05-01</li>' for n in range(COUNT))
        return 200, f"<html><head><meta charset=utf-8><title>教育新闻列表</title></head><body><ul>{links}</ul></body></html>", {}
    number = path.rpartition("/")[2].removesuffix(".html")
    return article(int(number)) if number.isdecimal() else (404, "", {})


@pytest.mark.slow
def test_every_article_of_a_killed_crawl_is_told_once(tmp_path: Path) -> None:
    new_file(database := tmp_path / "news.db")
    retry = ("-s", "ALERT_RETRY_SECONDS=0.05")
    with served("127.0.0.232", play) as (base, _), Receiver(failing_a_third(3)) as receiver:
        sites = site(tmp_path, base, {"/list.html": 5})
        added = scrapy(database, "alerts", "add", "all", "--query", "学校 教育", "--to", receiver.url, "--per", "reprints")
        assert added.returncode == 0, added.stderr
        delivering = start(database, "alerts", "run", *retry, log=tmp_path / "log")
        crawling = start(database, "crawl", "education", "-a", f"sites={sites}", *QUICK, log=tmp_path / "crawl.log")
        until(lambda: rows(database, "SELECT count(*) FROM articles")[0][0] >= 1 or crawling.poll() is not None)
        crawling.kill()
        delivering.kill()
        delivering = start(database, "alerts", "run", *retry, log=tmp_path / "log")
        done = scrapy(database, "crawl", "education", "-a", f"sites={sites}", *QUICK)
        assert done.returncode == 0, done.stderr
        stories = {record["title"] for record in exported(database)}
        total = rows(database, "SELECT count(*) FROM alert_stories")[0][0]
        until(lambda: len(receiver.taken) == total, seconds=240, progress=lambda: f"{len(receiver.taken)} of {total}")
        delivering.send_signal(15)
        assert delivering.wait(240) == 0
    assert total == len(set(receiver.titles())) == len(receiver.titles())
    assert set(receiver.titles()) == stories
    assert len(stories) == COUNT
