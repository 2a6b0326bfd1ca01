"""``scrapy schedule``."""
