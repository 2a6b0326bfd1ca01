"""What one line of a page says: a moment, a name, a credit, boilerplate or running text."""
