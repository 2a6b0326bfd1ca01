"""Duplicate detection (deduplication): which texts are reprints of which, and which page had a text first."""
