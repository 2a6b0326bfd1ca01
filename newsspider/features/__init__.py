"""The features: each a folder that takes part by the hooks of :mod:`newsspider.hooks`. The base imports none of them."""
