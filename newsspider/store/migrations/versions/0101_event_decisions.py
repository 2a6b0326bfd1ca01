"""People decide about events."""

import sqlalchemy as sa
from alembic import op

revision = "0101"
down_revision = "0100"


def upgrade() -> None:
    op.create_table(
        "event_decisions",
        sa.Column("key", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("group_id", sa.BigInteger()),
        sa.Column("before_id", sa.BigInteger()),
        sa.Column("decision_id", sa.BigInteger(), nullable=False, server_default=sa.text("0")),
        sa.Column("title", sa.Text(), nullable=False, server_default=""),
    )
