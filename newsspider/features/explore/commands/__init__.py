"""``scrapy graph``."""
