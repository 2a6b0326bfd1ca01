"""One running crawl: what it may claim, what it holds, how it treats hosts, how it ends."""
