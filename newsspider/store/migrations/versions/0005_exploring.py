"""What explore crawls need: priorities of 64 bits, what a URL carries along, and the tables of what they know.

Revision: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":  # an integer of SQLite has 64 bits, whatever it is called
        op.alter_column("urls", "priority", type_=sa.BigInteger(), existing_nullable=False, existing_server_default="0")
        op.alter_column("queues", "top", type_=sa.BigInteger(), existing_nullable=False, existing_server_default="0")
    op.add_column("urls", sa.Column("carried", sa.Text(), nullable=False, server_default=""))
    op.create_index(
        "ix_urls_explored",
        "urls",
        ["site", "depth"],
        unique=False,
        sqlite_where=sa.text("channel = 'explore'"),
        postgresql_where=sa.text("channel = 'explore'"),
    )
    op.create_table(
        "explorations",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("visits", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("hosts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("began_at", sa.Float(precision=53), nullable=False),
        sa.Column("resumed_at", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("site"),
    )
    op.create_table(
        "explored_hosts",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("lowest", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("site", "host"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "explored_pages",
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("faults", sa.Text(), server_default="[]", nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
