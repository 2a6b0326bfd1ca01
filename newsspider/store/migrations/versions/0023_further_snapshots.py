"""Who names the snapshot of a further page, in tables of their own: it is looked up, not searched for.

Revision: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

TABLES = (  # with what each is filled from
    ("part_snapshots", "article_id", "articles", "parts"),
    ("further_snapshots", "revision_id", "revisions", "further"),
)
FILL = """
    INSERT INTO {table} ({owner}, snapshot) SELECT DISTINCT id, snapshot
    FROM (SELECT r.id, {snapshot} AS snapshot FROM {source} r, {each} WHERE length(r.{pages}) > 2) named WHERE snapshot <> ''
"""


def upgrade() -> None:
    key = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    server = op.get_bind().dialect.name == "postgresql"
    for table, owner, source, pages in TABLES:
        op.create_table(
            table,
            sa.Column(owner, key, sa.ForeignKey(f"{source}.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
            sa.Column("snapshot", sa.Text(), primary_key=True),
            sqlite_with_rowid=False,
        )
        op.create_index(f"ix_{table}_snapshot", table, ["snapshot"])
        each = f"json_array_elements(CAST(r.{pages} AS json)) page" if server else f"json_each(r.{pages}) page"
        snapshot = "page.value ->> 'snapshot'" if server else "json_extract(page.value, '$.snapshot')"
        op.execute(FILL.format(table=table, owner=owner, source=source, pages=pages, each=each, snapshot=snapshot))
    op.drop_index("ix_articles_parts", "articles")
    op.drop_index("ix_revisions_further", "revisions")
