"""Explore and query crawls beside pages without end: most of their fetches go elsewhere."""

import re
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.support.explore_crawls import QUICK, explore
from tests.support.portal import rows, scrapy
from tests.support.serving import Answer, served

PAGES = 300
REAL = 240
MOST_WASTED = 90  # days, months, and what both have in common
FIRST = date(2026, 1, 1)


def story(n: int) -> Answer:
    paragraph = "<p>第{}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排。</p>"
    text = "".join(paragraph.format(f"{n}之{line}") for line in range(8))
    title = f"学校教育改革座谈会第{n}场举行"
    further = "".join(f'<li><a href="/news/{m}.html">中小学教育改革第{m}场</a></li>' for m in range(15 * n + 1, 15 * n + 16) if m < REAL)
    calendar = '<a href="/events/2026-01-01">学校教育活动日历</a>'
    head = f"<html><head><meta charset=utf-8><title>{title}</title></head>"
    return 200, f"{head}<body><h1>{title}</h1>{text}<ul>{further}</ul>{calendar}</body></html>", {}


def day(iso_date: str) -> Answer:
    """A day on which nothing is, with its month and the days around it."""
    when = date.fromisoformat(iso_date)
    days = [when + timedelta(days=n) for n in range(-3, 32)]
    links = "".join(f'<li><a href="/events/{moment}">{moment}学校教育活动安排</a></li>' for moment in days)
    months = "".join(f'<a href="/events/month-{moment:%Y-%m}">{moment:%Y年%m月}</a>' for moment in days[::15])
    return 200, f"<html><head><meta charset=utf-8><title>教育活动日历</title></head><body>{months}<ul>{links}</ul></body></html>", {}


def play(path: str, _: int) -> Answer:
    if match := re.fullmatch(r"/news/(\d+)\.html", path):
        return story(int(match[1]))
    if match := re.fullmatch(r"/events/(?:month-)?(\d{4}-\d\d)(-\d\d)?", path):
        return day(match[1] + (match[2] or "-01"))
    return 404, "", {}


def wasted(requests: Counter[str]) -> int:
    return sum(count for path, count in requests.items() if path.startswith("/events/"))


@pytest.mark.parametrize("name", ["breadth-first", "depth-first", "best-first", "fish", "rbse"])  # the last one stores no article
def test_most_fetches_of_an_explore_crawl_do_not_go_into_a_calendar(tmp_path: Path, name: str) -> None:
    with served("127.0.0.97", play) as (base, requests):
        options = ("-a", "stage=discover") if name == "rbse" else ()
        assert explore(tmp_path / "n.db", name, f"{base}/news/0.html", "-a", f"pages={PAGES}", *options) in (0, 4)
    assert 0 < wasted(requests) <= MOST_WASTED
    assert sum(path.startswith("/news/") for path in requests) > (PAGES - MOST_WASTED) * 0.9, name
    refused = rows(tmp_path / "n.db", "SELECT DISTINCT detail FROM urls WHERE reason = 'trap'")
    assert any("127.0.0.97" in detail and detail.startswith("too many pages ") for (detail,) in refused)


def test_a_question_does_not_lead_into_a_calendar(tmp_path: Path) -> None:
    with served("127.0.0.97", play) as (base, requests):
        question = ("-a", "q=教育 活动", "-a", f"seeds={base}/news/0.html")
        limits = ("-a", f"pages={PAGES}", "-a", "enough=100000", "-a", "seconds=600")
        done = scrapy(tmp_path / "n.db", "crawl", "query", *question, *limits, *QUICK)
        assert done.returncode in (0, 4), done.stderr[-2000:]
    assert 0 < wasted(requests) <= MOST_WASTED
