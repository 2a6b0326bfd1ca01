"""The workers that share a crawl, and the hosts that are assigned to them.

Revision: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "workers",
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("watched", sa.Text(), nullable=False),
        sa.Column("beats", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("worker"),
    )
    op.create_table(
        "assigned_hosts",
        sa.Column("watched", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("watched", "host"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_assigned_hosts_worker", "assigned_hosts", ["worker", "host"])
