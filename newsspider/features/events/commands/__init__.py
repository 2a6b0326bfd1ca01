"""``scrapy event`` and ``scrapy hot``."""
