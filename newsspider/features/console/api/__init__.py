"""The JSON API under ``/api/v1``: each module does for programs what pages do for people."""
