"""A store as the first release made it."""

from pathlib import Path

from sqlalchemy import Engine

REVISION = "0102"


def create_first_release(engine: Engine) -> None:
    """Create its tables and views in an empty database."""
    script = (Path(__file__).parent / f"{engine.dialect.name}.sql").read_text("utf-8")
    with engine.begin() as conn:
        for statement in script.split(";\n"):
            if statement.strip():
                conn.exec_driver_sql(statement)
        conn.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        conn.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{REVISION}')")
