"""The full-text search index of articles and revisions, on SQLite, PostgreSQL and OpenSearch."""
