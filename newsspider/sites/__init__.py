"""The sites that are watched: one TOML file a site, and the loader that validates it."""
