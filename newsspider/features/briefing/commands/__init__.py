"""The command of briefings."""
