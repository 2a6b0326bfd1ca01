"""Downloader middlewares: which requests are allowed, how fast, and for how long."""
