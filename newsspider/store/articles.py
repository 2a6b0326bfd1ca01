"""The articles of the store, each body once: writing them here, finding them below :mod:`newsspider.search`."""
