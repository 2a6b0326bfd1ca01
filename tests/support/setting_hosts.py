"""A host that tells which settings of Scrapy a crawl obeyed."""

import time
from collections.abc import Mapping
from typing import Any

from tests.support.serving import Answer, article, listing

HERE = "tests.crawl.own_components"
SLOW: Mapping[str, Any] = {"DELAY_MIN_SECONDS": 0, "DELAY_FACTOR": 0, "DOWNLOAD_DELAY": 0.4, "RANDOMIZE_DOWNLOAD_DELAY": True}
ENDING: Mapping[str, Mapping[str, Any]] = {
    "closespider_pagecount": {**SLOW, "CLOSESPIDER_PAGECOUNT": 3},
    "closespider_itemcount": {"DELAY_FACTOR": 0, "DELAY_MIN_SECONDS": 0, "CLOSESPIDER_ITEMCOUNT": 1},
    "closespider_pagecount_no_item": {"DELAY_FACTOR": 0, "DELAY_MIN_SECONDS": 0, "CLOSESPIDER_PAGECOUNT_NO_ITEM": 2},
    "closespider_timeout": {"CLOSESPIDER_TIMEOUT": 0.01},
    "closespider_timeout_no_item": {"CLOSESPIDER_TIMEOUT_NO_ITEM": 1, "DELAY_FACTOR": 0, "DOWNLOAD_DELAY": 4},
    "closespider_errorcount": {
        "DELAY_FACTOR": 0, "DELAY_MIN_SECONDS": 0, "CLOSESPIDER_ERRORCOUNT": 1, "SPIDER_MIDDLEWARES": {f"{HERE}.Failing": 5},
    },
}  # fmt: skip
ALL = {"/": 1, "/robots.txt": 1, "/index_2.html": 1, **{f"/2024/0501/1000{n}.html": 1 for n in (1, 2, 3, 4, 8, 9)}}


class Host:
    """A list with three articles, a page that has moved and one that fails, and its second page with a fourth article;
    notes when each is asked for."""

    def __init__(self) -> None:
        self.asked_at: list[float] = []

    def play(self, path: str, _: int) -> Answer:
        """The answer to a path."""
        self.asked_at.append(time.monotonic())
        if path == "/":
            status, text, headers = listing(1, 2, 3, 8, 9)
            assert isinstance(text, str)
            return status, text.replace("</body>", '<p><a href="/index_2.html">下一页</a></p></body>'), headers
        if path == "/index_2.html":
            return listing(4)
        if path.endswith("8.html"):
            return 302, "", {"Location": "/2024/0501/10001.html"}
        if path.endswith("9.html"):
            return 503, "", {}
        return article(int(path[-9:-5])) if path.startswith("/2024/") else (404, "", {})
