"""Plain functions that decide: no Scrapy, no database, no network, no clock."""
