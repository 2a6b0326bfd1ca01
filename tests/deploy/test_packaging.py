"""What ``scrapyd-deploy`` packs."""

import zipfile
from configparser import ConfigParser
from pathlib import Path


def test_the_egg_holds_every_file_of_the_package(project: Path, egg: Path) -> None:
    package = {path.relative_to(project).as_posix() for path in (project / "newsspider").rglob("*") if path.is_file()}
    with zipfile.ZipFile(egg) as archive:
        packed = {name for name in archive.namelist() if name.startswith("newsspider/") and not name.endswith(".pyc")}
    assert packed == package


def test_the_egg_holds_nothing_beside_the_package(egg: Path) -> None:
    with zipfile.ZipFile(egg) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {"newsspider", "EGG-INFO"}


def test_the_egg_names_the_settings_to_scrapyd(egg: Path) -> None:
    with zipfile.ZipFile(egg) as archive:
        entries = ConfigParser()
        entries.read_string(archive.read("EGG-INFO/entry_points.txt").decode())
    assert dict(entries["scrapy"]) == {"settings": "newsspider.settings"}
