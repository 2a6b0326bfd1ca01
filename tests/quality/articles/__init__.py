"""Article pages written for the tests in the structures of many content systems, with the answers."""
