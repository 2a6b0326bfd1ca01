"""Caches of the store in the process and in Redis, so that the tables are queried less often."""
