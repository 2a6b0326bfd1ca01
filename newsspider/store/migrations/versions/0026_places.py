"""The URLs that were read, but for a part of them that may be of no matter.

Revision: 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    key = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table("places", sa.Column("key", key, primary_key=True, autoincrement=False))
