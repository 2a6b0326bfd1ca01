"""The wheel and the project that it makes."""

import os
import zipfile
from pathlib import Path

import pytest

from tests.contract.conftest import NOBODY, Installed
from tests.support.scrapyd import ROOT
from tests.support.serving import QUICK, article, listing, served, site

pytestmark = pytest.mark.slow

TYPED = "from newsspider import read_article; import newsspider; print(newsspider.__file__, read_article.__module__)"


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "newsspider").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name for name in names if name.startswith("newsspider/")} == package
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"newsspider"}


def test_the_installed_library_is_that_of_the_wheel(installed: Installed) -> None:
    ran = installed.run("python", "-c", TYPED, folder=installed.home)
    file, module = ran.stdout.split()
    assert Path(file).is_relative_to(installed.home)
    assert module == "newsspider.library.articles"


def test_a_project_belongs_to_who_made_it_and_its_commands_work_in_its_folders(installed: Installed, project: Path) -> None:
    assert project.stat().st_uid == (NOBODY if installed.user else os.geteuid())
    for program in (("newsspider",), ("python", "-m", "scrapy")):
        listed = installed.run(*program, "list", folder=project / "sites")
        assert (listed.stdout.split(), listed.stderr) == (["education", "explore", "query"], "")


def test_a_second_project_of_that_name_is_refused(installed: Installed, project: Path) -> None:
    refused = installed.run("newsspider", "init", "mywatch", folder=project.parent)
    assert refused.returncode == 2
    assert "is not empty" in refused.stderr


def test_without_a_project_the_store_is_in_the_user_s_data_folder(installed: Installed, project: Path) -> None:
    data = project.parent / "share"
    listed = installed.run("newsspider", "sites", "list", folder=Path("/"), XDG_DATA_HOME=str(data))
    assert listed.returncode == 0, listed.stderr
    assert "www.moe.gov.cn" in listed.stdout
    assert [path.name for path in data.glob("newsspider/*.db")] == ["newsspider.db"]


def test_settings_may_be_in_a_module_of_this_folder(installed: Installed, project: Path) -> None:
    own = project / "sites/own_settings.py"
    own.write_text("from newsspider.settings import *\n\nTOPIC = 'any'\n", "utf-8")
    command = ("newsspider", "settings", "--get", "TOPIC")
    answer = installed.run(*command, folder=own.parent, SCRAPY_SETTINGS_MODULE="own_settings")
    assert (answer.returncode, answer.stdout) == (0, "any\n"), answer.stderr
    own.unlink()
    refused = installed.run(*command, folder=own.parent, SCRAPY_SETTINGS_MODULE="own_settings.py")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "newsspider: SCRAPY_SETTINGS_MODULE=own_settings.py: there is no such module\n"


def test_a_project_crawls_its_own_site_into_its_own_store(installed: Installed, project: Path) -> None:
    pages = {"/": listing(1, 2), **{f"/2024/0501/1000{n}.html": article(n) for n in (1, 2)}}
    with served("127.0.0.1", lambda path, _: pages.get(path, (404, "", {}))) as (base, requests):
        (project / "own").mkdir(exist_ok=True)
        site(project / "own", base, {"/": 5})
        arguments = ("crawl", "education", "-a", "sites=own", "-a", "topic=education", *QUICK, "--nolog")
        crawled = installed.run("newsspider", *arguments, folder=project, NEWSSPIDER_ALLOWED_ADDRESSES="127.0.0.0/8")
    assert crawled.returncode == 0, crawled.stderr
    assert {path: requests[path] for path in pages} == dict.fromkeys(pages, 1)
    exported = installed.run("newsspider", "export", folder=project)
    assert exported.stdout.count("\n") == 2, exported.stderr
    assert (project / "data/newsspider.db").is_file()
