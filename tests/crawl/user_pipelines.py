"""Pipelines as Scrapy's users write them, put in place by an add-on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem
from scrapy.settings import BaseSettings

ADDON = ("-s", 'ADDONS={"tests.crawl.user_pipelines.OwnPipelines": 0}')
SEEN = "SEEN_BY_USER"  # setting: the file that the last pipeline writes to


class OwnPipelines:
    """The add-on."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add pipelines before, between and after ours."""
        settings["ITEM_PIPELINES"].update({ToDict: 50, Chooses: 450, Writes: 950}, priority="addon")


class ToDict:
    """Makes a dict of each article, and adds a field."""

    def process_item(self, item: Any) -> dict[str, Any]:
        return ItemAdapter(item).asdict() | {"length": len(item["text"] if isinstance(item, dict) else item.text)}


class Chooses:
    """Changes a title, drops an article, and the first time fails over another and loses the page of a third."""

    failed = lost = False

    def process_item(self, item: Any) -> Any:
        article = ItemAdapter(item)
        if "第3场" in article["title"]:
            raise DropItem("the third is not wanted")
        if "第5场" in article["title"] and not Chooses.failed:
            Chooses.failed = True
            raise KeyError("a fault of the user's")
        if "第6场" in article["title"] and not Chooses.lost:
            Chooses.lost = True
            return {"title": article["title"], "length": 0, "url": article["url"]}
        article["title"] = article["title"].replace("第7场", "第七场")
        return item


class Writes:
    """Writes what is stored to a file of its own."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Writes:
        return cls(crawler.settings[SEEN])

    def process_item(self, item: Any) -> Any:
        article = ItemAdapter(item)
        if "第9场" in article["title"]:
            raise RuntimeError("the database of the user is down")
        if "第8场" in article["title"]:
            raise DropItem("the eighth is not written")
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([article["url"], article["title"], article["length"]], ensure_ascii=False) + "\n")
        return item
