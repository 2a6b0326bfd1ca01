"""Alerts: what they ask for, what they tell, and that they do so once."""
