"""The links of a page: where its list stands, where each link leads, and the next page; feeds and sitemaps."""
