"""One running crawl: its wiring, leases, host policy, filters and shutdown."""
