"""Finding stored articles."""
