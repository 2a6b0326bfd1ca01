"""From the bytes of a page to what it is and the article that it holds."""
