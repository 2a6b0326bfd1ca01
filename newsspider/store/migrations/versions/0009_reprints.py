"""Groups of near reprints, and the index by which they are found.

Revision: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

OF_THE_MAIN_PAGE = "(SELECT {column} FROM articles a WHERE a.id = article_id AND a.key = article_urls.key)"


def upgrade() -> None:
    key = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("article_urls", sa.Column("title", sa.Text(), nullable=False, server_default=""))
    op.add_column("article_urls", sa.Column("source", sa.Text()))
    op.add_column("article_urls", sa.Column("published_ts", sa.BigInteger()))
    op.add_column("article_urls", sa.Column("priority", sa.Integer(), nullable=False, server_default="0"))
    told = ", ".join(f"{name} = {OF_THE_MAIN_PAGE.format(column='a.' + name)}" for name in ("source", "published_ts"))
    also = ", ".join(
        f"{name} = COALESCE({OF_THE_MAIN_PAGE.format(column='a.' + name)}, {other})"
        for name, other in (("title", "''"), ("priority", "0"))
    )
    op.execute(f"UPDATE article_urls SET {told}, {also}")
    op.drop_table("fingerprints")  # it held nothing that the articles do not
    op.create_table(
        "fingerprints",
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("article_id", key, nullable=False),
        sa.PrimaryKeyConstraint("value", "article_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reprints",
        sa.Column("article_id", key, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
        sa.Column("group_id", sa.BigInteger(), nullable=False),
        sa.Column("is_first", sa.Boolean(), nullable=False),
        sa.Column("like_id", sa.BigInteger()),
        sa.Column("containment", sa.Float(precision=53)),
        sa.Column("resemblance", sa.Float(precision=53)),
    )
    op.create_index("ix_reprints_group_id", "reprints", ["group_id"])
