"""Whether the sources of news are well, and what is wrong with those that are not."""
