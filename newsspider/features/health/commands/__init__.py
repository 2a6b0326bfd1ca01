"""``scrapy health``."""
