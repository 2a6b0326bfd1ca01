"""Spider middlewares: every response ends in an outcome."""
