"""A sample portal on the loopback address: several news sites of different make that know the truth of every page."""
