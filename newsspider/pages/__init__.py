"""Turns a response into the result that is committed: page type, article, links, redirects, failures."""
