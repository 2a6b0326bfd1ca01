"""The features: folders that take part by the hooks of :mod:`newsspider.hooks`. The base imports none of them."""
