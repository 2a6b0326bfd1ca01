"""A project as scrapy-redis's users have it: a CrawlSpider, a RedisCrawlSpider, a RedisSpider and a pipeline, in two copies that differ in
their settings only."""

from pathlib import Path

SETTINGS = """
SPIDER_MODULES = ["example.spiders"]
NEWSPIDER_MODULE = "example.spiders"
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_PERSIST = True
ITEM_PIPELINES = {"example.pipelines.StampPipeline": 300, "scrapy_redis.pipelines.RedisPipeline": 400}
LOG_LEVEL = "INFO"
"""
FILES = {
    "example/__init__.py": "",
    "example/spiders/__init__.py": "",
    "example/items.py": '''
from scrapy import Field, Item


class Entry(Item):
    name = Field()
    url = Field()
    job = Field()
    seen_at = Field()
    spider = Field()
''',
    "example/pipelines.py": '''
from datetime import datetime, timezone


class StampPipeline:
    """Adds when, and by which spider, an item was found."""

    def process_item(self, item, spider):
        item["seen_at"] = datetime.now(timezone.utc)
        item["spider"] = spider.name
        return item
''',
    "example/spiders/directory.py": '''
import os

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from example.items import Entry


class Directory(CrawlSpider):
    """Follows the links of one site."""

    name = "directory"
    start_urls = [os.environ.get("EXAMPLE_START", "http://127.0.0.1/")]
    rules = [Rule(LinkExtractor(), callback="parse_entry", follow=True)]

    def parse_entry(self, response):
        yield Entry(name=response.css("title::text").get(), url=response.url)
''',
    "example/spiders/crawler.py": '''
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import Rule
from scrapy_redis.spiders import RedisCrawlSpider


class Crawler(RedisCrawlSpider):
    """Takes start URLs from Redis, and follows all links."""

    name = "crawler_redis"
    redis_key = "crawler:start_urls"
    rules = (Rule(LinkExtractor(), callback="parse_entry", follow=True),)

    def __init__(self, *args, **kwargs):
        domain = kwargs.pop("domain", "")
        self.allowed_domains = [each for each in domain.split(",") if each]
        super().__init__(*args, **kwargs)

    def parse_entry(self, response):
        return {"name": response.css("title::text").get(), "url": response.url}
''',
    "example/spiders/pages.py": '''
from scrapy_redis.spiders import RedisSpider


class Pages(RedisSpider):
    """Reads what is pushed, and nothing else."""

    name = "pages_redis"
    redis_key = "pages:start_urls"

    def parse(self, response):
        return {"name": response.css("title::text").get(), "url": response.url, "job": response.meta.get("job")}
''',
}


def write(folder: Path, *, ours: bool) -> None:
    """Write the project, with newsspider's settings as its base or with Scrapy's."""
    base = "from newsspider.settings import *  # noqa: F403\n" if ours else ""
    settings = {"example/settings.py": base + SETTINGS, "scrapy.cfg": "[settings]\ndefault = example.settings\n"}
    for name, text in (FILES | settings).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.lstrip("\n"), encoding="utf-8")
