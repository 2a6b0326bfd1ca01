"""Fetching: whether and when a URL may be requested, and how to read the head and encoding of a response."""
