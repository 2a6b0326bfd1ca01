"""What may be asked, how fast, and how long for."""
