"""What people say of stored articles: whether they are on a topic.

Revision: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "labels",
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("relevant", sa.Boolean(), nullable=False),
        sa.Column("labelled_at", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("topic", "key"),
        sqlite_with_rowid=False,
    )
