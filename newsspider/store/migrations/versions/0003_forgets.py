"""How often URLs were forgotten: by it a writer knows whether the keys that it remembers are all in the ledger still.

Revision: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "forgets",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("times", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
