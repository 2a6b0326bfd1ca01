"""The stored articles: texts, revisions, absences, reprints, labels, and passes through all of them."""
