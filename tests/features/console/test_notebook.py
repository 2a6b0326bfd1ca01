"""The notebook of the docs runs from its first cell to its last."""

import json
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.features.console.served import served

NOTEBOOKS = sorted((Path(__file__).parents[3] / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_code_cell_runs(path: Path, filled: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert not [cell for cell in notebook["cells"] if cell.get("outputs")], "outputs belong to nobody's store"
    names: dict[str, object] = {}
    monkeypatch.chdir(tmp_path)
    with served(filled) as (_, port):
        monkeypatch.setenv("NEWSSPIDER_URL", f"http://127.0.0.1:{port}")
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), f"{path.name}, {cell['id']}", "exec"), names)
    assert "河东县育才小学食堂火灾" in capsys.readouterr().out
    assert not [path for path in tmp_path.iterdir() if path.is_file()]
