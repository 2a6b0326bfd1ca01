"""When alerts are told, and when a message is tried again."""
