"""The pages of the console: each module works out what its template shows."""
