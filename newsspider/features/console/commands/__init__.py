"""``scrapy web`` and ``scrapy accounts``."""
