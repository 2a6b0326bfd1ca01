"""Maintenance of a store over years: backups, archives, moves to another database, retention, sizes."""
