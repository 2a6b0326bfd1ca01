"""How far the articles were grouped anew, and who names a snapshot.

Revision: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "regroupings",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("after_id", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("last_id", sa.BigInteger(), nullable=False),
        sa.Column("placed", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("began_at", sa.Float(precision=53), nullable=False),
        sa.Column("finished_at", sa.Float(precision=53)),
    )
    for name, column, where in (("ix_articles_snapshot", "snapshot", "snapshot <> ''"), ("ix_articles_parts", "id", "length(parts) > 2")):
        op.create_index(name, "articles", [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))
