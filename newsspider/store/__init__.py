"""The data on disk: the ledger of URLs and hosts, the articles, the sites, and the one thread that writes them."""
