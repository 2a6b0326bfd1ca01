"""Writes the reference pages that follow from the code: ``python tools/docs.py``, or ``make docs``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.api_page import api_page, openapi
from tools.articles_page import article_schema, articles_page, records_module
from tools.caches_page import caches_page
from tools.commands_page import commands_page
from tools.metrics_page import metrics_page
from tools.reasons_page import reasons_page
from tools.scrapy_settings_page import scrapy_settings_page
from tools.settings_page import settings_page
from tools.stats_page import stats_page
from tools.tables_page import tables_page

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"

PAGES: dict[str, Callable[[], str]] = {
    "../../newsspider/library/records.py": records_module,
    "api.md": api_page,
    "articles.md": articles_page,
    "article.schema.json": article_schema,
    "caches.md": caches_page,
    "commands.md": commands_page,
    "metrics.md": metrics_page,
    "openapi.json": openapi,
    "reasons.md": reasons_page,
    "scrapy-settings.md": scrapy_settings_page,
    "settings.md": settings_page,
    "stats.md": stats_page,
    "tables.md": tables_page,
}


def stale() -> list[str]:
    """The generated pages that are not what the code says now."""
    return [
        name
        for name, page in PAGES.items()
        if not (REFERENCE / name).exists() or (REFERENCE / name).read_text("utf-8") != page()
    ]


def main() -> int:
    """Write the pages that are stale."""
    for name in stale():
        (REFERENCE / name).write_text(PAGES[name](), "utf-8")
        print(f"docs/reference/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
