"""What a fleet of workers needs: queues that say which of two copies is the newer one.

Revision: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("queues", sa.Column("revision", sa.BigInteger(), nullable=False, server_default="0"))
