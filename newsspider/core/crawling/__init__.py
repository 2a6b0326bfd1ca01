"""One visit from offer to settlement, whose turn it is, and how a crawl ends."""
