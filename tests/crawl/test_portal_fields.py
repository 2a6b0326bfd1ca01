"""The fields of the sample portal's pages beside the text, after one crawl of all of it: pictures, duty editors, replies."""

import pytest

from tests.crawl.conftest import Crawled


@pytest.mark.parametrize("field", ["images", "editors", "comments"])
def test_a_record_holds_what_its_page_tells_and_nothing_else(crawled: Crawled, field: str) -> None:
    pairs = [(article[field], crawled.pages[article["url"]][field]) for article in crawled.articles]
    compared = [([image["url"] for image in stored] if field == "images" else stored, expected) for stored, expected in pairs]
    assert sum(bool(expected) for _, expected in compared) >= 20
    assert sum(stored == expected for stored, expected in compared) >= 0.98 * len(compared)
