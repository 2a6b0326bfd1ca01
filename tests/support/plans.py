"""How the databases execute a step."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection

LARGE = "urls|articles|article_urls|distinct_links|list_links|page_links|fingerprints|search_entries|search_vectors"
# or a row is looked for by another index than that of its key, or all that any topic refused is read
WRONG = (
    rf"Seq Scan on ({LARGE})\b", rf"^SCAN (?!.*USING)({LARGE}|[alsu])\b", r"Filter: \(\(key = '",
    r"ix_urls_state \(state=\? AND reason",
)  # fmt: skip
UNINDEXED = re.compile("|".join(WRONG))
T = TypeVar("T")


class Plans:
    """The lines of the plans by which a database executes a step. It may read the whole of a table only with
    ``may_scan``."""

    def __init__(self, conn: Connection, *, may_scan: bool = False) -> None:
        self.conn = conn
        self.driver: Any = conn.connection.driver_connection
        self.lines: list[str] = []
        if conn.dialect.name == "postgresql":
            # it would rather read the whole of a table that is small yet
            seqscan = f"enable_seqscan = {'on' if may_scan else 'off'}"
            for setting in ("client_min_messages = log", "auto_explain.log_min_duration = 0", seqscan):
                self.driver.execute(f"LOAD 'auto_explain'; SET {setting}")
            self.driver.add_notice_handler(lambda notice: self.lines.extend((notice.message_primary or "").splitlines()))

    def of(self, step: Callable[[Connection], T]) -> T:
        """Run a step and return its result."""
        if self.conn.dialect.name == "postgresql":
            return step(self.conn)
        statements: list[str] = []
        self.driver.set_trace_callback(statements.append)
        try:
            return step(self.conn)
        finally:
            self.driver.set_trace_callback(None)
            for statement in dict.fromkeys(statements):
                if statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")):
                    readable = statement.replace("Inf", "9e999")
                    self.lines += [row[3] for row in self.driver.execute(f"EXPLAIN QUERY PLAN {readable}")]
