"""What people do to sites, alerts and topics, whether at the terminal or in the browser."""
