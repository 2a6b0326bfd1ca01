"""The full-text search index in the store: what it has of articles and revisions, on SQLite and PostgreSQL."""
