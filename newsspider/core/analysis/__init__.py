"""Analyses of the stored articles: events, hot words, who reprinted whom."""
