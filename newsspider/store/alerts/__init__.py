"""Alerts in the store: what is asked for, the stories to be told, and the messages on their way."""
