"""What a fetched page becomes, whatever happens to it."""
