"""The decisions of briefings, without I/O or clock."""
