"""The decisions of the events: which articles report one matter, which words are hot, which sentence criticises."""
