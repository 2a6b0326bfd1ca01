"""The last good robots.txt of a host, which serves while asking again fails.

Revision: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("hosts", sa.Column("robots_good_status", sa.SmallInteger()))
    op.add_column("hosts", sa.Column("robots_good_at", sa.Float(53)))
    op.execute(
        "UPDATE hosts SET robots_good_status = robots_status, robots_good_at = robots_fetched_at "
        "WHERE robots_status < 500 AND robots_status <> 429"
    )
