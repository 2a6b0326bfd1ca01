"""``scrapy alerts``."""
