"""Item pipelines: the steps from a read page to a stored one."""
