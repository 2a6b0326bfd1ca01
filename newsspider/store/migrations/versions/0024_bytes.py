"""What came, byte for byte, beside what was read: a page that is read otherwise has not changed.

Revision: 0024
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.add_column("urls", sa.Column("bytes_hash", sa.Text(), nullable=True))
