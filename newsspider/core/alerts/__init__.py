"""Alerts: their messages, when these go out, and when one is tried again."""
