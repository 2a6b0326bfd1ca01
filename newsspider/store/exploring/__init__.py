"""What explore crawls keep: their rows and lessons, the graph of links with its ranks, the lists that they found."""
