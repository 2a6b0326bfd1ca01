"""Pages that were given up because of an error of ours wait again; how many processes failed over a page is counted.

Revision: 0031
"""

import time

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

WAIT_AGAIN = """
    UPDATE urls SET state = CASE WHEN state = 'error' THEN 'waiting' ELSE state END, reason = 'retry', due_at = :now, failures = 0
    WHERE reason = 'internal' AND (state = 'error' OR (state = 'done' AND due_at IS NULL))
"""
IN_THEIR_QUEUES = """
    INSERT INTO queues (host, site, queue, due_at, top)
    SELECT host, site, 0, min(due_at), max(priority) FROM urls WHERE queue = 0 AND reason = 'retry' AND due_at = :now GROUP BY host, site
    ON CONFLICT (host, site, queue) DO UPDATE SET
        revision = queues.revision + 1,
        due_at = CASE WHEN queues.due_at <= excluded.due_at THEN queues.due_at ELSE excluded.due_at END,
        top = CASE WHEN queues.due_at IS NOT NULL AND queues.top >= excluded.top THEN queues.top ELSE excluded.top END
"""


def upgrade() -> None:
    op.add_column("urls", sa.Column("faults", sa.SmallInteger(), nullable=False, server_default="0"))
    where = sa.text("faults > 0")
    op.create_index("ix_urls_faults", "urls", ["site"], sqlite_where=where, postgresql_where=where)
    now = {"now": time.time()}
    op.get_bind().execute(sa.text(WAIT_AGAIN), now)
    op.get_bind().execute(sa.text(IN_THEIR_QUEUES), now)
