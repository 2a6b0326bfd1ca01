"""Chinese text as such: its script, words, n-grams and terms, and the fingerprint of its letters."""
