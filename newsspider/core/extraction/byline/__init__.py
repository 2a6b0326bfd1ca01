"""Who wrote an article and where it came from."""
