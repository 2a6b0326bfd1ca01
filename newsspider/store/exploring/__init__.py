"""The data of explore crawls: their rows and counters, the link graph with its ranks, the lists that they found."""
