"""The topics that are watched for: one TOML file a topic, and the loader that validates it."""
