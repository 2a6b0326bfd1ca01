"""Features and plug-ins: the one of the docs takes part in a crawl, and a crawl needs no feature."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from newsspider.hooks import FEATURES
from tests.support.newsroom import Newsroom, listing, story, watched
from tests.support.portal import cold, environment, rows

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs/how-to/write-a-plugin.md"
FILES = ("__init__.py", "templates/site_pages.html", "texts/english.tsv", "commands/site_pages.py")
PAGE = """
import sys
from fastapi.testclient import TestClient
from newsspider.store.engine.database import open_store
from newsspider.features.console.app import create_app
console = TestClient(create_app(open_store(sys.argv[1]), hosts=["testserver"]))
for path in sys.argv[2:]:
    answer = console.get(path)
    print(answer.status_code, answer.text)
"""
TABLES_OF_FEATURES = """
    SELECT name FROM sqlite_master
    WHERE type = 'table' AND (name LIKE 'alert%' OR name LIKE 'event%'
    OR name IN ('accounts', 'collections', 'channel_days', 'ranks', 'explore_pages'))
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plug-in of the guide, as pip would install it."""
    blocks = re.findall(r"```(?:python|html|text)\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    for name, block in zip(FILES, blocks, strict=True):
        file = tmp_path / "packages/site_pages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block, "utf-8")
    about = tmp_path / "packages/site_pages-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: site_pages\nVersion: 1\n", "utf-8")
    (about / "entry_points.txt").write_text("[newsspider]\nsite_pages = site_pages\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{tmp_path / 'packages'}")


def fill(room: Newsroom) -> None:
    room.pages = {"/list": lambda: listing("/1.html", "/2.html")}
    room.pages |= {f"/{n}.html": partial(story, f"/{n}.html") for n in (1, 2)}


def crawl(database: Path, sites: Path) -> None:
    """One round into a store that it makes."""
    options = ("-a", f"sites={sites}", "-a", "topic=any", "-s", "DELAY_MIN_SECONDS=0")
    round_of_all = cold(database, "crawl", "education", *options)
    assert round_of_all.returncode == 0, round_of_all.stderr


def console(database: Path, *paths: str) -> str:
    """What the console of a new process answers."""
    command = [sys.executable, "-c", PAGE, f"sqlite:///{database}", *paths]
    answered = subprocess.run(
        command, cwd=ROOT, env=environment(database), capture_output=True, text=True, check=False, timeout=240
    )
    assert answered.returncode == 0, answered.stderr
    return answered.stdout


@pytest.mark.usefixtures("installed")
def test_the_plugin_of_the_guide_has_a_table_a_step_a_command_and_a_page(tmp_path: Path) -> None:
    database = tmp_path / "own.db"
    with watched("127.0.0.80", tmp_path, fill) as (_, desk):
        crawl(database, desk.sites)
    fetched = rows(database, "SELECT sum(fetch_count) FROM urls")[0][0]
    assert fetched >= 3
    (tmp_path / "packages/site_pages/settings.py").write_text("SITE_PAGES_SHOWN = 5\nTOPIC = 'any'\n", "utf-8")
    assert cold(database, "settings", "--get", "SITE_PAGES_SHOWN", "-s", "LOG_ENABLED=False").stdout == "5\n"
    assert cold(database, "settings", "--get", "TOPIC").stdout == "education\n", "of newsspider itself"
    counts = cold(database, "site_pages").stdout
    assert counts == f"s {fetched}\n"
    assert ":attr:" not in cold(database, "site_pages", "--help").stdout
    page = console(database, "/site-pages", "/site-pages?lang=en")
    assert page.startswith("200 ")
    assert ">Pages</a>" in page
    assert f"<li>s {fetched}</li>" in page
    assert '<a href="/site-pages" aria-current="page">页数</a>' in page
    (tmp_path / "packages/site_pages/templates/collections.html").write_text("of the plug-in", "utf-8")
    assert "of the plug-in" not in console(database, "/collections"), "a template of the console stays"


@pytest.mark.usefixtures("installed")
def test_a_misspelt_hook_is_named(tmp_path: Path) -> None:
    module = tmp_path / "packages/site_pages/__init__.py"
    module.write_text(module.read_text("utf-8").replace("def page_steps(", "def page_step("), "utf-8")
    refused = cold(tmp_path / "own.db", "status")
    assert refused.returncode == 2
    assert "unknown hook 'page_step' in plugin" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.usefixtures("installed")
def test_a_plugin_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    module = tmp_path / "packages/site_pages/__init__.py"
    module.write_text("import a_library_that_is_not_there\n", "utf-8")
    refused = cold(tmp_path / "own.db", "status")
    assert refused.returncode == 2
    assert "a plug-in cannot be loaded: ModuleNotFoundError(\"No module named 'a_library_that_is_not_there'\")" in refused.stderr
    about = tmp_path / "packages/site_pages-1.dist-info"
    (about / "entry_points.txt").write_text("[newsspider]\nalerts = site_pages\n", "utf-8")
    assert "the plug-in site_pages is called alerts, like a feature" in cold(tmp_path / "own.db", "status").stderr


@pytest.mark.usefixtures("installed")
def test_faulty_settings_of_a_plugin_are_named(tmp_path: Path) -> None:
    (tmp_path / "packages/site_pages/settings.py").write_text("SHOWN = undefined\n", "utf-8")
    refused = cold(tmp_path / "own.db", "status")
    assert refused.returncode == 2
    assert "a plug-in cannot be loaded: NameError(\"name 'undefined' is not defined\")" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_crawl_needs_no_feature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEWSSPIDER_FEATURES", "")
    database = tmp_path / "own.db"
    with watched("127.0.0.80", tmp_path, fill) as (_, desk):
        crawl(database, desk.sites)
    assert rows(database, "SELECT count(*) FROM articles") == [(2,)]
    assert rows(database, TABLES_OF_FEATURES) == []
    assert '"health": {}' in cold(database, "status", "--json").stdout
    web = cold(database, "web")
    assert (web.returncode, web.stderr) == (2, "newsspider: scrapy web is a command of the feature console: name it in FEATURES\n")
    assert "invalid choice: 'archive'" in cold(database, "store", "archive", "old", "--older-than", "1").stderr
    recorded = cold(database, "crawl", "education", "-s", f"WARC_FOLDER={tmp_path}")
    assert recorded.returncode == 2
    assert "WARC_FOLDER needs the feature archive" in recorded.stderr
    without_fleet = cold(database, "crawl", "education", "-s", "REDIS_URL=redis://127.0.0.1:1")
    assert without_fleet.returncode == 2
    assert "REDIS_URL needs the feature fleet" in without_fleet.stderr
    explored = cold(database, "crawl", "explore", "-a", "strategy=fish", "-a", "seeds=http://127.0.0.1/")
    assert explored.returncode == 2
    assert "the spider explore needs the feature explore: name it in FEATURES" in explored.stderr
    monkeypatch.setenv("NEWSSPIDER_FEATURES", "console,health")
    assert "scrapy alerts is a command of the feature alerts: name it in FEATURES" in cold(database, "alerts", "list").stderr
    assert "  alerts " not in cold(database).stdout
    pages = console(database, "/", "/alerts", "/feeds/atom", "/feeds/opml", "/articles/1", "/events")
    assert re.findall(r"^(\d{3}) ", pages, re.MULTILINE) == ["200", "404", "200", "200", "200", "404"]
    assert 'href="/alerts"' not in pages
    assert 'href="/events"' not in pages
    monkeypatch.setenv("NEWSSPIDER_FEATURES", "events")
    assert cold(database, "hot", "events").returncode == 0

    monkeypatch.delenv("NEWSSPIDER_FEATURES")
    assert cold(database, "alerts", "list").returncode == 0
    assert {"accounts", "alerts", "collections", "events"} <= {name for (name,) in rows(database, TABLES_OF_FEATURES)}


def test_what_people_did_stays_right_while_its_feature_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "own.db"
    with watched("127.0.0.80", tmp_path, fill) as (_, desk):
        crawl(database, desk.sites)
    (url,) = rows(database, "SELECT url FROM articles")[0]
    with closing(sqlite3.connect(database)) as store, store:
        store.execute("INSERT INTO accounts VALUES ('王芳', 'reader', 'x', 1, 1)")
        store.execute(
            "INSERT INTO event_decisions (key, decision_id, title) SELECT key, 1, '开学' FROM article_urls WHERE url = ?", [url]
        )
    assert rows(database, "SELECT count(*) FROM event_decisions") == [(1,)]
    words = ("alerts", "add", "maths", "--query", "奥数", "--to", "console", "--owner", "王芳")
    assert cold(database, *words).returncode == 0

    monkeypatch.setenv("NEWSSPIDER_FEATURES", "console, events, health, events")
    assert cold(database, "accounts", "remove", "王芳").returncode == 0
    assert rows(database, "SELECT count(*) FROM alerts") == [(0,)]
    monkeypatch.setenv("NEWSSPIDER_FEATURES", "")
    assert cold(database, "forget", url).returncode == 0
    assert rows(database, "SELECT count(*) FROM event_decisions") == [(0,)]


def test_a_feature_needs_those_that_it_builds_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEWSSPIDER_FEATURES", "alerts")
    refused = cold(tmp_path / "own.db", "status")
    assert refused.returncode == 2
    assert "there are alerts (with console and events and health), " in refused.stderr


def test_features_that_a_command_names_come_too_late(tmp_path: Path) -> None:
    refused = cold(tmp_path / "own.db", "status", "-s", "FEATURES=")
    assert refused.returncode == 2
    assert "-s FEATURES: name it in the settings of the project or in NEWSSPIDER_FEATURES" in refused.stderr


def test_the_base_imports_no_feature() -> None:
    code = "import sys, newsspider.spiders.education, newsspider.commands.search; print([m for m in sys.modules if '.features.' in m])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(ROOT) | {"NEWSSPIDER_FEATURES": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "[]\n"


@pytest.mark.parametrize("feature", FEATURES)
def test_no_hook_of_a_feature_is_named_like_one_of_its_modules(feature: str) -> None:
    package = import_module(f"newsspider.features.{feature}")
    modules = {module.name for module in iter_modules(package.__path__)}
    source = Path(str(package.__file__)).read_text("utf-8")
    assert not [name for name in modules if f"\ndef {name}(" in source]
