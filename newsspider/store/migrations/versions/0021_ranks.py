"""What each page is worth by the links between pages.

Revision: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    figure = sa.Float(precision=53)
    op.create_table(
        "ranks",
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=False),
        sa.Column("pagerank", figure, nullable=False),
        sa.Column("hub", figure, nullable=False),
        sa.Column("authority", figure, nullable=False),
        sa.Column("weight", figure, nullable=False),
        sa.Column("indegree", sa.Integer(), nullable=False),
        sa.Column("father", sa.Integer(), nullable=False),
        sa.Column("mirrors", sa.Integer(), nullable=False),
        sa.Column("ranked_at", figure, nullable=False),
    )
