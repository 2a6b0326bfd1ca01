"""What the process remembers of the store, so that it asks the tables less often."""
