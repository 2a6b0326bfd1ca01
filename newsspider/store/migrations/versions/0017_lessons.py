"""What crawls learn about links from the pages that they read.

Revision: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "lessons",
        sa.Column("crawl", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("first", sa.Float(precision=53), nullable=False),
        sa.Column("second", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("crawl", "name"),
        sqlite_with_rowid=False,
    )
    waiting = "channel = 'explore' AND queue = 0"
    op.create_index(
        "ix_urls_best", "urls", ["site", sa.text("priority DESC"), "found_at"],
        sqlite_where=sa.text(waiting), postgresql_where=sa.text(waiting),
    )  # fmt: skip
