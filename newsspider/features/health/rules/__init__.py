"""Whether the sources of news are healthy, and what is wrong with those that are not."""
