"""What breaks while a crawl runs, and what is in the store after it."""
