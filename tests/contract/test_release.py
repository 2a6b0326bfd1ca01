"""What ``make release`` builds: package indexes take it, and a project of it crawls the sample portal."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

import newsspider.settings
from tests.contract.conftest import Installed
from tests.support.portal import portal
from tests.support.scrapyd import ROOT

pytestmark = pytest.mark.slow

DEFINED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    """What the wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def test_package_indexes_take_both_files(release: Path) -> None:
    files = sorted(release.iterdir())
    assert [re.sub(r"^newsspider-[\d.]+\d", "", file.name) for file in files] == ["-py3-none-any.whl", ".tar.gz"]
    checked = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *files], capture_output=True, text=True, timeout=300, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_the_source_archive_has_no_tests_and_all_that_is_built_of_it(release: Path) -> None:
    (file,) = release.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "setup.py", "requirements.txt", "README.md", "LICENSE", "docs/NOTICE", "newsspider/settings.py"} <= names
    assert not [name for name in names if name.startswith(("tests", "bench", "data"))]


def test_the_description_has_absolute_links_to_files_that_exist(metadata: Message) -> None:
    description = str(metadata.get_payload(decode=True), "utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", description)
    assert len(targets) > 40
    assert not [target for target in targets if "://" not in target]
    ours = [target.removeprefix(DEFINED["urls"]["Repository"]) for target in targets if target.startswith(DEFINED["urls"]["Repository"])]
    kinds = {path.split("/")[1] for path in ours}
    assert kinds == {"blob", "raw"}
    assert not [path for path in ours if not (ROOT / path.split("/", 3)[3]).exists()]


def test_it_says_who_made_it_for_whom_and_under_which_licence(metadata: Message) -> None:
    assert metadata["Author"] == "The newsspider developers"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("License-File") == ["LICENSE", "docs/NOTICE"]
    assert "Framework :: Scrapy" in metadata.get_all("Classifier", [])
    assert "scrapy" in metadata["Keywords"]
    assert len(metadata.get_all("Project-URL", [])) == 4


def test_one_version_is_named_everywhere() -> None:
    version = DEFINED["version"]
    releases = re.findall(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert releases[0][0] == version
    assert re.fullmatch(r"\d{4}-\d\d-\d\d|unreleased", releases[0][1])
    assert newsspider.settings.USER_AGENT.startswith(f"newsspider/{version.rpartition('.')[0]} ")


def test_a_project_of_the_wheel_crawls_the_sample_portal(installed: Installed, tmp_path: Path) -> None:
    folder = installed.home / "empty"
    made = installed.run("newsspider", "init", "sampled", folder=folder)
    assert made.returncode == 0, made.stderr
    with portal(tmp_path, "--plain", "--articles", "40") as sample:
        tmp_path.chmod(0o755)
        options = ("-a", f"sites={sample.sites}", "-a", "topic=any", "--nolog")
        allowed = {"NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8"}
        crawled = installed.run("newsspider", "crawl", "education", *options, folder=folder / "sampled", **allowed)
        articles = {page["url"] for page in sample.get("/__truth__")["pages"] if "relevant" in page and page["reachable"]}
    assert crawled.returncode == 0, crawled.stderr
    exported = installed.run("newsspider", "export", folder=folder / "sampled").stdout
    assert len(articles) > 20
    assert not [url for url in articles if f'"{url}"' not in exported]
