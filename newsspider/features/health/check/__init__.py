"""``scrapy sites check``: one visit to each chosen site, what is wrong with it by name, and what can be repaired."""
