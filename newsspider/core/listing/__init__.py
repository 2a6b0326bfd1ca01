"""The links of a page: where the list stands, what each leads to, and what comes on the next page."""
