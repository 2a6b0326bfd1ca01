"""The first release, from which later migrations start (0001 to 0101 came before it; their stores are refused).

A new store is created from ``newsspider.store.tables``, so there is nothing to do here.
"""

revision = "0102"
down_revision = None


def upgrade() -> None:
    """Nothing: no store has an earlier revision."""
