"""What the stored articles say together: events, hot words, who took what from whom."""
