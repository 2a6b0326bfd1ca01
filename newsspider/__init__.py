"""newsspider watches the news of one topic."""
