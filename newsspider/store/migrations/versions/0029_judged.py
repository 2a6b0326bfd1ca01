"""What a topic kept, in the order in which it was read.

Revision: 0029
"""

from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.create_index("ix_articles_judged", "articles", ["topic", "crawled_ts"])
