"""What the sample portal's pages tell beside the text, after one crawl of all of it: pictures, duty editors, replies."""

from __future__ import annotations

import pytest

from tests.crawl.conftest import Crawled


@pytest.mark.parametrize("field", ["images", "editors", "comments"])
def test_a_record_holds_what_its_page_tells_and_nothing_else(crawled: Crawled, field: str) -> None:
    pairs = [(article[field], crawled.pages[article["url"]][field]) for article in crawled.articles]
    told = [([one["url"] for one in found] if field == "images" else found, wanted) for found, wanted in pairs]
    assert sum(bool(wanted) for _, wanted in told) >= 20
    assert sum(found == wanted for found, wanted in told) >= 0.98 * len(told)
