"""What has vanished and came back is still told to have vanished.

Revision: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("absences", sa.Column("gone_at", sa.Float(precision=53)))
    op.execute("UPDATE absences SET gone_at = vanished_at")
