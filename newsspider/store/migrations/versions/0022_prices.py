"""What the price of a request is multiplied by, in all and of each busy host.

Revision: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "prices",
        sa.Column("host", sa.Text(), primary_key=True),
        sa.Column("factor", sa.Float(precision=53), nullable=False),
    )
