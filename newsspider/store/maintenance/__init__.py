"""Looks after a store that is kept for years: backups, moves to another database, retention, sizes."""
