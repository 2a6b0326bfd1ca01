"""Search over the stored articles."""
