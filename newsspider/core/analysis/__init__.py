"""What the stored articles say together: happenings, hot words, who took what from whom."""
