"""What is kept of articles: texts, revisions, absences, reprints, labels, and the passes through all of them."""
