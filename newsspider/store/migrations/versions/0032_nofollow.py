"""Links that a page asks not to follow are stored with a mark.

Revision: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.add_column("links", sa.Column("nofollow", sa.Boolean(), nullable=False, server_default=sa.text("false")))
    op.drop_index("ix_links_shown", "links")
    shown, marked = sa.text("channel IS NOT NULL AND NOT nofollow"), sa.text("nofollow")
    op.create_index("ix_links_shown", "links", ["dst", "channel"], sqlite_where=shown, postgresql_where=shown)
    op.create_index("ix_links_nofollow", "links", ["src", "dst"], sqlite_where=marked, postgresql_where=marked)
