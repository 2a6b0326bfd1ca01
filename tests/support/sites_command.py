"""``scrapy sites`` in this process."""

import pytest
from scrapy.cmdline import execute
from scrapy.utils.project import get_project_settings

from tests.support.commands import Ran
from tests.support.process import ROOT
from tests.support.servers import new_file


@pytest.fixture
def sites(tmp_path, monkeypatch, capsys):
    """Runs ``scrapy sites`` in this process on a store of its own."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)
    settings = get_project_settings()
    settings.set("DATABASE_URL", new_file(tmp_path / "store" / "newsspider.db"), priority="cmdline")

    def run(*words: str) -> Ran:
        with pytest.raises(SystemExit) as ended:
            execute(["scrapy", "sites", *map(str, words)], settings.copy())
        captured = capsys.readouterr()
        return Ran(int(ended.value.code or 0), captured.out, captured.err)

    return run
