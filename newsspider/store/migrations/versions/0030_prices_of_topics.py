"""The prices of requests are those of one topic's crawl; they are found again in some hours.

Revision: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.drop_table("prices")
    op.create_table(
        "prices",
        sa.Column("topic", sa.Text(), primary_key=True),
        sa.Column("host", sa.Text(), primary_key=True),
        sa.Column("factor", sa.Float(precision=53), nullable=False),
    )
