"""How often each list brings something new, and when each site publishes.

Revision: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("channels", sa.Column("belief", sa.Text(), nullable=False, server_default=""))
    op.add_column("channels", sa.Column("rate", sa.Float(precision=53)))
    op.add_column("channels", sa.Column("seen_at", sa.Float(precision=53)))
    op.add_column("channels", sa.Column("found_since", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "rhythms",
        sa.Column("site", sa.Text(), primary_key=True),
        sa.Column("seen", sa.Text(), nullable=False),
    )
