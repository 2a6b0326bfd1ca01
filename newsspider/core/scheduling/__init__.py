"""When a list is polled, when an article is revisited, and what its change or absence means."""
