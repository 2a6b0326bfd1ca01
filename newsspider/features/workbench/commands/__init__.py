"""``scrapy topics`` and ``scrapy score``."""
