"""The parts of the topic's field that an article belongs to.

Revision: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    key = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "subtopics",
        sa.Column("article_id", key, sa.ForeignKey("articles.id", ondelete="CASCADE"), nullable=False, autoincrement=False),
        sa.Column("position", sa.SmallInteger(), nullable=False, autoincrement=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("article_id", "position"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_subtopics_name", "subtopics", ["name", "article_id"], unique=True)
