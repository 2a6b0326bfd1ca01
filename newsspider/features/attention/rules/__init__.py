"""What attention over time decides, without I/O or clock."""
