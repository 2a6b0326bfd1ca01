"""Scheduling: when a list page is polled, when an article is revisited, and when it has changed or vanished."""
