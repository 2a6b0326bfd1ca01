"""The visit of a URL from offer to settlement, the order of visits, and the end of a crawl."""
