"""The spiders of exploring."""
