"""What else a page tells of its article, the further pages of it, and how far it was read again.

Revision: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    for name in ("editors", "images", "comments", "parts"):
        op.add_column("articles", sa.Column(name, sa.Text(), nullable=False, server_default="[]"))
    op.add_column("articles", sa.Column("modified_at", sa.Text()))
    op.create_table(
        "rereads",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("filters", sa.Text(), nullable=False),
        sa.Column("after_id", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("last_id", sa.BigInteger(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False, server_default="{}"),
        sa.Column("began_at", sa.Float(precision=53), nullable=False),
        sa.Column("finished_at", sa.Float(precision=53)),
    )
