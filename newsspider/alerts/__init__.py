"""Tells people what their alerts ask for: over webhooks and the services of apprise."""
