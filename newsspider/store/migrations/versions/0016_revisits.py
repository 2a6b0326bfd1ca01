"""Stored articles are visited again: a queue of their own, what changed, what vanished, and whether validators can be believed.

Revision: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_LAST = "ELSE 1 END"
_AGED = "WHEN state = 'done' AND update_cycle IS NULL AND kind IN ('article', 'blog', 'forum') THEN 3 ELSE 1 END"
_QUEUE = (
    "CASE WHEN due_at IS NULL OR state = 'processing' THEN NULL WHEN deaths >= 3 THEN 2 "
    f"WHEN state = 'waiting' OR reason IN ('retry', 'rate_limited', 'no_robots') THEN 0 {_AGED}"
)
_INDEXES = (
    "CREATE INDEX ix_urls_waiting ON urls (host, site, priority DESC, due_at, found_at) WHERE queue = 0",
    "CREATE INDEX ix_urls_due ON urls (host, site, queue, due_at) WHERE queue IS NOT NULL",
    "CREATE INDEX ix_urls_suspect ON urls (due_at) WHERE queue = 2",
)


def upgrade() -> None:
    op.add_column("urls", sa.Column("proving", sa.Boolean(), nullable=False, server_default=sa.text("false")))
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE urls DROP COLUMN queue")
        op.execute(f"ALTER TABLE urls ADD COLUMN queue SMALLINT GENERATED ALWAYS AS ({_QUEUE}) STORED")
        for index in _INDEXES:
            op.execute(index)
    else:
        _made_anew()
    op.execute(
        "INSERT INTO queues (host, site, queue, due_at, top) SELECT host, site, 3, min(due_at), max(priority) - 1000000 FROM urls"
        " WHERE queue = 3 GROUP BY host, site"
    )
    for name in ("page_at", "article_at", "lied_at"):
        op.add_column("hosts", sa.Column(name, sa.Float(precision=53)))
    for name in ("conditional", "not_modified", "useless", "checked"):
        op.add_column("hosts", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.add_column("hosts", sa.Column("lie", sa.Text(), nullable=False, server_default=""))
    _add_tables()


def _made_anew() -> None:
    """SQLite changes no stored column in place: the table is copied, with all that hangs on it."""
    conn = op.get_bind()
    table = conn.scalar(sa.text("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'urls'"))
    changed = table.replace(_LAST, _AGED).replace("CREATE TABLE urls", "CREATE TABLE urls_anew", 1)
    if _AGED not in changed or "urls_anew" not in changed:
        raise RuntimeError(f"the table urls is not as it was made: {table}")
    hanging = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND "
    indexes = conn.scalars(sa.text(hanging + "type = 'index' AND tbl_name = 'urls'")).all()
    views = conn.execute(sa.text("SELECT name, sql FROM sqlite_master WHERE type = 'view'")).all()
    columns = ", ".join(row.name for row in conn.execute(sa.text("PRAGMA table_info(urls)")))  # without the generated one
    for view in views:
        op.execute(f"DROP VIEW {view.name}")
    op.execute(changed)
    op.execute(f"INSERT INTO urls_anew ({columns}) SELECT {columns} FROM urls")
    op.execute("DROP TABLE urls")
    op.execute("ALTER TABLE urls_anew RENAME TO urls")
    for sql in [*indexes, *(view.sql for view in views)]:
        op.execute(sql)


def _add_tables() -> None:
    op.create_table(
        "absences",
        sa.Column("key", _KEY, primary_key=True, autoincrement=False),
        sa.Column("absence", sa.Text(), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("since", sa.Float(precision=53)),
        sa.Column("last_at", sa.Float(precision=53)),
        sa.Column("returned", sa.Integer(), nullable=False),
        sa.Column("returned_at", sa.Float(precision=53)),
        sa.Column("vanished_at", sa.Float(precision=53)),
        sa.Column("deleted_at", sa.Float(precision=53)),
        sa.ForeignKeyConstraint(["key"], ["article_urls.key"], ondelete="CASCADE"),
    )
    _index("ix_absences_vanished", "absences", "vanished_at", "vanished_at IS NOT NULL")
    op.create_table(
        "revisions",
        sa.Column("id", _KEY, primary_key=True),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.Float(precision=53), nullable=False),
        sa.Column("parts", sa.Text(), nullable=False),
        sa.Column("edits", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("published_at", sa.Text()),
        sa.Column("crawled_at", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("charset", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("further", sa.Text(), nullable=False, server_default="[]"),
    )
    op.create_index("ix_revisions_key", "revisions", ["key"])
    op.create_index("ix_revisions_changed", "revisions", ["changed_at"])
    _index("ix_revisions_snapshot", "revisions", "snapshot", "snapshot <> ''")
    _index("ix_revisions_further", "revisions", "id", "length(further) > 2")
    op.create_table(
        "revisited",
        sa.Column("site", sa.Text(), primary_key=True),
        sa.Column("visits", sa.Integer(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
    )


def _index(name: str, table: str, column: str, where: str) -> None:
    op.create_index(name, table, [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))
