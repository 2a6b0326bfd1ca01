"""Finds spiders by name; a name that no spider has is wrong use in every command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader

from newsspider.core.text.characters import escaped_line
from newsspider.crawl.wrong_use import check_loop, shorten_sentence
from newsspider.hooks import plugins

if TYPE_CHECKING:
    from scrapy import Spider


class UnknownSpiderError(UsageError, KeyError):
    """No spider has this name. ``scrapy genspider`` expects a ``KeyError``."""

    __str__ = Exception.__str__  # that of KeyError adds quotes


FEATURE_OF = {"explore": "explore", "query": "explore"}  # the spiders of features


class NamedSpiders(SpiderLoader):
    """Scrapy's loader, which also finds the spiders of plug-ins; it raises :exc:`UnknownSpiderError`, and
    ``UsageError`` where no spider can be started."""

    def __init__(self, settings: BaseSettings) -> None:
        own = BaseSettings(settings)  # those given are frozen
        own.set("SPIDER_MODULES", [*own.getlist("SPIDER_MODULES"), *plugins().hook.spiders()], "cmdline")
        super().__init__(own)

    def load(self, spider_name: str) -> type[Spider]:
        check_loop()
        try:
            return super().load(spider_name)
        except KeyError:
            message = f"there is no spider {spider_name!r}; there are {', '.join(sorted(self.list()))}"
            if feature := FEATURE_OF.get(spider_name):
                message = f"the spider {spider_name} needs the feature {feature}: name it in FEATURES"
            raise UnknownSpiderError(shorten_sentence(escaped_line(message)), print_help=False) from None
