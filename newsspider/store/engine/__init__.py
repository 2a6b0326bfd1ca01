"""The database itself: connections, the one writer thread, transactions, integrity."""
