"""Dates and times, as pages, lists, feeds and URLs write them."""
