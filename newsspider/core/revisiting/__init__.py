"""When a page is visited again, and what its change or absence means."""
