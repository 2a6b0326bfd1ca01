"""The decisions of words by a model, without I/O or clock."""
