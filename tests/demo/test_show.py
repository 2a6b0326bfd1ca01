"""The report of ``make demo`` on a crawl, compared with the truth of the portal."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from demo import truth
from demo.clock import CHINA, Clock
from demo.portal import Portal
from demo.routes import Routes
from demo.show import in_parts, not_joined, report, start_in

Told = dict[str, Any]


@pytest.fixture(scope="module")
def portal_truth() -> Told:
    portal = Portal(8900, Clock(), 240)
    return truth.tell(portal, Routes(portal))


def perfect(portal_truth: Told) -> list[dict[str, Any]]:
    """The store of a crawl without a fault."""
    pages = [page for page in portal_truth["pages"] if page.get("relevant") and page["reachable"]]
    return [{"url": page["url"], "urls": [page["url"]], "text": page["text"]} for page in pages]


def test_a_crawl_without_a_fault_has_joined_every_article(portal_truth: Told) -> None:
    stored = perfect(portal_truth)
    assert len(in_parts(portal_truth)) >= 10
    assert not_joined(portal_truth, stored) == []
    joined = next(line for line in report(portal_truth, [], stored) if "joined" in line)
    assert f"{len(in_parts(portal_truth))} of {len(in_parts(portal_truth))} articles" in joined


@pytest.mark.parametrize("fault", ["missing", "cut", "twice", "apart"])
def test_an_article_that_is_missing_or_cut_or_double_or_apart_is_named(portal_truth: Told, fault: str) -> None:
    stored = perfect(portal_truth)
    url, page = next(iter(in_parts(portal_truth).items()))
    own = next(article for article in stored if article["url"] == url)
    if fault == "missing":
        stored.remove(own)
    elif fault == "cut":
        own["text"] = own["text"].rpartition("\n")[0]
    elif fault == "twice":
        stored.append({"url": "http://other/", "urls": ["http://other/", url], "text": page["text"]})
    else:
        stored.append({"url": page["parts"][1], "urls": [page["parts"][1]], "text": "第二页"})
    assert not_joined(portal_truth, stored) == [url]
    assert f"            not {url}" in report(portal_truth, [], stored)


def test_the_news_is_of_today_and_another_demo_finds_the_same(tmp_path: Path) -> None:
    start = start_in(tmp_path)
    assert timedelta() <= datetime.now(CHINA) - start < timedelta(hours=2)
    earlier = start - timedelta(days=3)
    (tmp_path / "start").write_text(earlier.isoformat(), "utf-8")
    assert start_in(tmp_path) == earlier
