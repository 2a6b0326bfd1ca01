"""One table for all passes through the stored articles. Passes that were not finished go on; those that were are dropped.

Revision: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

CARRY = """
    INSERT INTO passes (kind, asked, after_id, last_id, figures, began_at)
    SELECT '{kind}', {asked}, after_id, last_id, {figures}, began_at FROM {table} WHERE finished_at IS NULL
    """


def upgrade() -> None:
    op.create_table(
        "passes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("after_id", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("last_id", sa.BigInteger(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False, server_default="{}"),
        sa.Column("began_at", sa.Float(precision=53), nullable=False),
        sa.Column("finished_at", sa.Float(precision=53)),
    )
    op.execute(CARRY.format(kind="reread", asked="filters", figures="figures", table="rereads"))
    op.execute(CARRY.format(kind="regroup", asked="method", figures="'{\"placed\": ' || placed || '}'", table="regroupings"))
    op.drop_table("rereads")
    op.drop_table("regroupings")
