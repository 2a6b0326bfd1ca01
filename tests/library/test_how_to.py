"""The scripts of docs/how-to/use-as-a-library.md run; ``tests/test_docs.py`` runs its examples."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.library.saved import page
from tests.support.commands import database
from tests.support.docs import PYTHON_BLOCK, ROOT, text_of

__all__ = ["database"]

SCRIPTS = [block for block in PYTHON_BLOCK.findall(text_of(ROOT / "docs/how-to/use-as-a-library.md")) if ">>>" not in block]


@pytest.mark.slow
def test_the_scripts_of_the_page_run(tmp_path: Path, database: str) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    names, pool, store, table = SCRIPTS
    (tmp_path / "data").mkdir()
    shutil.copy(database.removeprefix("sqlite:///"), tmp_path / "data/newsspider.db")
    (tmp_path / "saved").mkdir()
    for number in range(3):
        (tmp_path / f"saved/{number}.html").write_bytes(page(number)[0])
    assert run(tmp_path, names) == ""
    assert run(tmp_path, pool).count("所学校今天开学") == 3
    assert run(tmp_path, store.replace('since="2026-11-01", topic="education"', "")).count("\n") == 2
    run(tmp_path, f"{names}\n{table}")
    assert (tmp_path / "november.parquet").exists()


def run(folder: Path, script: str) -> str:
    """The output of a script."""
    (folder / "script.py").write_text(script, encoding="utf-8")
    process = subprocess.run([sys.executable, "-X", "utf8", "script.py"], cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout
