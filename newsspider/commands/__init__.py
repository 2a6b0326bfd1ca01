"""The commands of ``scrapy``; each imports what it needs inside ``run()``."""
