"""Which URL is due and whose turn it is."""
