"""What a label was said of: the article may leave the store, and what was said of it is learned from all the same.

Revision: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"

OF_ARTICLE = "SELECT {} FROM article_urls u JOIN articles a ON a.id = u.article_id WHERE u.key = labels.key"


def upgrade() -> None:
    for name in ("url", "title", "text"):
        op.add_column("labels", sa.Column(name, sa.Text(), nullable=False, server_default=""))
    op.execute(f"DELETE FROM labels WHERE NOT EXISTS ({OF_ARTICLE.format('1')})")
    values = {"url": "u.url", "title": "a.title", "text": "a.text"}
    op.execute("UPDATE labels SET " + ", ".join(f"{name} = ({OF_ARTICLE.format(value)})" for name, value in values.items()))
