"""The text of an article and what belongs to it."""
