"""The decisions of exploring, without I/O or clock."""
