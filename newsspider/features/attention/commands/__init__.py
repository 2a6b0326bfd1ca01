"""The command of attention over time."""
