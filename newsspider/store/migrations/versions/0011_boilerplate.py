"""The lines that sites put around the texts of their articles.

Revision: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "boilerplate",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("learned_at", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("site", "line"),
        sqlite_with_rowid=False,
    )
