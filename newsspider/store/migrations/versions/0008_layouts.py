"""Where the lists of a channel stand.

Revision: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("channels", sa.Column("list_paths", sa.Text(), server_default="", nullable=False))
    op.add_column("channels", sa.Column("list_learned_at", sa.Float(precision=53)))
    op.add_column("channels", sa.Column("list_moves", sa.Integer(), server_default="0", nullable=False))
    op.add_column("channels", sa.Column("list_lost_at", sa.Float(precision=53)))
