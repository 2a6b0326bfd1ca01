"""The limit: the same pages downloaded by Scrapy and thrown away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import scrapy


class DownloadOnlySpider(scrapy.Spider):
    name = "download_only"

    def __init__(self, urls: str) -> None:
        super().__init__()
        self.start_urls = Path(urls).read_text("utf-8").split()

    def parse(self, response: Any) -> None:
        """Nothing."""
