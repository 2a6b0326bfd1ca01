"""When an article was published."""
