"""What people do to sites, topics and URLs, whether at the terminal or in the browser."""
