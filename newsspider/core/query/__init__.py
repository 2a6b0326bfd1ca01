"""Queries: the language, what it means as a tree, and which texts have it."""
