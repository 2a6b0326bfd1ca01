"""The reader, which can be used alone: from the bytes of a page to its type and the article that it holds."""
