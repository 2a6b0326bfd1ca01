"""Whether a text or a link is about a topic."""
