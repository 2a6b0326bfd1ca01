"""From the bytes of a page to text and one tree, and the tree as lines."""
