"""Alerts in the store: their rules, their stories, and the messages to be delivered."""
