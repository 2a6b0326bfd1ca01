"""``python -m bench.bytes [STORE]``: the bytes that a page takes in a store in SQLite, by table, and those of its links beside a row
for each link, with its URL and text.

STORE is the file that ``make demo`` leaves. The exit code is 1 if the links take more than a fifth of the rows.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, text

from newsspider.store.engine.database import open_store
from newsspider.store.ledger.stored_links import of_pages
from newsspider.store.maintenance.disk_space import Size, table_sizes

STORE = Path("data/demo/newsspider.db")
LINKS = ("distinct_links", "link_lists", "list_links", "page_links")
A_DAY = 60  # pages that a site publishes
ROW_EACH = (
    "CREATE TABLE links (src BIGINT, dst BIGINT, url TEXT, anchor TEXT, kind TEXT, region TEXT, channel TEXT, found_at FLOAT,"
    " nofollow BOOLEAN, PRIMARY KEY (src, dst)) WITHOUT ROWID",
    "CREATE INDEX ix_links_shown ON links (dst, channel) WHERE channel IS NOT NULL AND NOT nofollow",
    "CREATE INDEX ix_links_nofollow ON links (src, dst) WHERE nofollow",
)
ADD = text("INSERT INTO links VALUES (:src, :dst, :url, :anchor, :kind, :region, :channel, :found_at, :nofollow)")
LINE = "{:<26}{:>10}{:>14}{:>14}"


def main() -> int:
    """Print all figures; the exit code is 1 if the links take more than wanted."""
    parser = argparse.ArgumentParser(prog="python -m bench.bytes", description=__doc__)
    parser.add_argument("store", metavar="STORE", nargs="?", type=Path, default=STORE)
    store = parser.parse_args().store
    if not store.is_file():
        parser.error(f"there is no store at {store}: run make demo")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        engine = open_store(f"sqlite:///{copy}")
        with engine.begin() as conn:
            tables, bytes_before, pages = table_sizes(conn), as_rows(conn), pages_in(conn)
        engine.dispose()
    bytes_now = sum(size.bytes for size in tables if size.table in LINKS)
    show(tables, pages)
    ratio = bytes_before / bytes_now
    print(
        f"links: {bytes_before / pages:.0f} bytes a page as a row each, {bytes_now / pages:.0f} as stored: 1/{ratio:.1f}"
    )
    return int(5 * bytes_now > bytes_before)


def show(tables: list[Size], pages: int) -> None:
    """The tables, the largest first, and what a year of news takes at this rate."""
    print(f"{pages} pages were read")
    print(LINE.format("", "rows", "bytes", "bytes a page"))
    for size in [*tables, Size("in all", 0, sum(size.bytes for size in tables))]:
        print(LINE.format(size.table, size.rows or "", size.bytes, f"{size.bytes / pages:.0f}"))
    total = sum(size.bytes for size in tables)
    content = sum(size.bytes for size in tables if size.table != "snapshots")
    for sites in (35, 1000):
        year = sites * A_DAY * 365 / pages / 1e9
        print(
            f"a year of {sites} sites with {A_DAY} pages a day: {year * total:.1f} GB, without snapshots {year * content:.1f}"
        )


def pages_in(conn: Connection) -> int:
    """How many pages were read."""
    return conn.execute(text("SELECT count(*) FROM urls WHERE fetch_count > 0 AND kind <> 'robots'")).scalar_one()


def as_rows(conn: Connection) -> int:
    """The bytes that all links take as a row each."""
    for statement in ROW_EACH:
        conn.execute(text(statement))
    sources = conn.execute(text("SELECT src FROM link_lists UNION SELECT src FROM page_links")).scalars()
    links = sorted(of_pages(conn, sources), key=lambda link: link.found_at)  # as a crawl writes them
    conn.execute(ADD, [link._asdict() for link in links])
    page_bytes = "SELECT sum(pgsize) FROM dbstat WHERE name IN ('links', 'ix_links_shown', 'ix_links_nofollow')"
    return conn.execute(text(page_bytes)).scalar_one()


if __name__ == "__main__":
    sys.exit(main())
