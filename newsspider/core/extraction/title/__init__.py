"""The title of an article."""
