"""URLs that lead where others of their site lead, or show what others show, found by what is in their place.

Revision: 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

ALIKE = sa.text("reason IN ('redirect', 'duplicate')")


def upgrade() -> None:
    op.create_index("ix_urls_alike", "urls", ["site", "detail"], sqlite_where=ALIKE, postgresql_where=ALIKE)
