"""From the name of a host to the addresses that may be connected to."""
