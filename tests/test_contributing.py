"""The steps of CONTRIBUTING.md, carried out in a copy of the project."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STEP = re.compile(r"^```diff\n(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
USE = """
import json
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from newsspider import read_article
from newsspider.core.crawling.mood import Mood
from newsspider.core.crawling.visit import PageResult
from newsspider.features.explore.rules.strategy_names import make_strategy
from newsspider.store import pages
from newsspider.store.articles.article_records import export_records
from newsspider.store.engine.database import open_store
from newsspider.store.tables import metadata
from sqlalchemy import create_engine, text
from tests.store.first_release import create_first_release
from tests.support.samples import NOW, STORED, lease_on, save_article

page = "<title>{0}</title><h1>{0}</h1><p>全省各地学校今天开学，教师和学生回到课堂，新的课程从这一天开始。</p>"
titles = ("全省学校今天开学", "页面维护中")
article, about = (read_article(page.format(title).encode(), "http://a.cn/2024/0901/1.html") for title in titles)
create_first_release(create_engine("sqlite:///store.db"))
engine = open_store("sqlite:///store.db")
with engine.begin() as conn:
    save_article(conn, "http://a.cn/1", dateline="北京")
    stored = next(export_records(conn))
    lease = lease_on(conn, "http://a.cn/2", site="s")
    pages.save(conn, PageResult(lease, STORED, effects=(Mood("glad"),)), NOW)
    mood = conn.execute(text("SELECT site, mood FROM moods")).one()
    opts = {"include_name": lambda name, kind, _: kind != "table" or not name.startswith(("search_index", "search_vectors"))}
    differences = compare_metadata(MigrationContext.configure(conn, opts=opts), metadata)
print(json.dumps({
    "read": article["dateline"], "exported": stored["dateline"], "differences": differences,
    "moods": metadata.tables["moods"].info["meaning"], "depth": make_strategy("shallow", {}).depth,
    "kinds": [article["kind"], about["kind"]], "mood": list(mood),
}))
"""


def apply(step: str, path: Path) -> None:
    """Insert each added line behind the line before it; a file without such a line is new."""
    text, place = path.read_text("utf-8") if path.exists() else "", 0
    for line in step.splitlines():
        if line.startswith("+"):
            text = f"{text[:place]}{line[1:]}\n{text[place:]}"
            place += len(line)
        else:
            place = text.index(line[1:] + "\n") + len(line)
    path.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project after all steps."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("newsspider", "tools", "tests/store", "tests/support", "docs/reference"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("scrapy.cfg", "tests/__init__.py"):
        shutil.copy(ROOT / name, folder / name)
    for file, step in STEP.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        apply(step, folder / file)
    return folder


def run(project: Path, *words: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(project)}
    done = subprocess.run([sys.executable, *words], cwd=project, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def reference(project):
    """The reference pages of that copy, written again."""
    run(project, "tools/docs.py")
    return project / "docs" / "reference"


@pytest.mark.slow
def test_each_step_adds_what_it_says(project):
    used = json.loads(run(project, "-c", USE))
    assert (used["read"], used["exported"]) == ("全省", "北京")
    assert used["differences"] == []
    assert (used["moods"], used["depth"]) == ("The mood of each site.", 1)
    assert used["kinds"] == ["article", "error"]
    assert used["mood"] == ["s", "glad"]
    assert json.loads(run(project, "-m", "scrapy", "hello")) == {"hello": "world"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("articles.md", "`dateline`"),
        ("article.schema.json", '"dateline"'),
        ("tables.md", "## `moods`"),
        ("settings.md", "`DATELINE_REQUIRED`"),
    ],
)
def test_the_reference_follows_the_steps(reference, page, words):
    assert words in (reference / page).read_text("utf-8")
