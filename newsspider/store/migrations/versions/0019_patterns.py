"""What the URLs of each pattern waste and yield.

Revision: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

REFUSED_BODY = "reason = 'off_topic' AND body_hash IS NOT NULL"
TRAPPED = "reason = 'trap'"
SPENT = "spent_at IS NOT NULL"


def upgrade() -> None:
    op.create_table(
        "patterns",
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("pattern", sa.Text(), nullable=False),
        sa.Column("wasted", sa.Integer(), nullable=False),
        sa.Column("debt", sa.Integer(), nullable=False),
        sa.Column("yielded", sa.Boolean(), nullable=False),
        sa.Column("spent_at", sa.Float(precision=53)),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("retry_at", sa.Float(precision=53)),
        sa.Column("probe", sa.BigInteger()),
        sa.Column("holds", sa.Boolean(), nullable=False),
        sa.Column("quarantined", sa.Boolean(), nullable=False),
    )
    _index("ix_patterns_spent", "patterns", ["site"], SPENT)
    _index("ix_urls_refused_body", "urls", ["body_hash"], REFUSED_BODY)
    _index("ix_urls_trapped", "urls", ["site", "detail", "found_at"], TRAPPED)


def _index(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
