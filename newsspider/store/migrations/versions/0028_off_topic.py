"""What a topic refused, in the order in which it was read.

Revision: 0028
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

WHERE = sa.text("reason = 'off_topic'")


def upgrade() -> None:
    op.drop_index("ix_urls_off_topic", "urls")
    op.create_index("ix_urls_off_topic", "urls", ["topic", "last_fetched_at"], sqlite_where=WHERE, postgresql_where=WHERE)
