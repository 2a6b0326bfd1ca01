"""The frontier: which URL is due and whose turn it is."""
