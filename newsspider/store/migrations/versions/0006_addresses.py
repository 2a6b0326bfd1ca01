"""Where each host lies, and the clocks of the addresses that several hosts share.

Revision: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("hosts", sa.Column("address", sa.Text(), nullable=False, server_default=""))
    told = sa.text("address <> ''")
    op.create_index("ix_hosts_address", "hosts", ["address"], sqlite_where=told, postgresql_where=told)
    op.create_table(
        "addresses",
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("next_at", sa.Float(precision=53), server_default="0", nullable=False),
        sa.Column("busy_key", sa.BigInteger()),
        sa.PrimaryKeyConstraint("address"),
    )
    busy = sa.text("busy_key IS NOT NULL")
    op.create_index("ix_addresses_busy", "addresses", ["busy_key"], sqlite_where=busy, postgresql_where=busy)
