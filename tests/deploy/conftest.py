"""A copy of the project (building writes into it), its egg, and a scrapyd service that the egg is deployed on."""

import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.support.scrapyd import Scrapyd, clean_environment, copied_to


def scrapyd_deploy(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``scrapyd-deploy`` in a project."""
    return subprocess.run(
        [sys.executable, "-m", "scrapyd_client.deploy", *arguments], cwd=project, env=clean_environment(project),
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


@pytest.fixture(scope="package")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project."""
    return copied_to(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="package")
def egg(project: Path) -> Path:
    """The egg that ``scrapyd-deploy`` builds of the project."""
    built = scrapyd_deploy(project, "--build-egg", "newsspider.egg")
    assert built.returncode == 0, built.stderr
    return project / "newsspider.egg"


@pytest.fixture(scope="package")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    """A scrapyd service without a project."""
    service = Scrapyd(tmp_path_factory.mktemp("scrapyd"))
    yield service
    service.close()


@pytest.fixture(scope="package")
def deployed(project: Path, egg: Path, scrapyd: Scrapyd) -> Scrapyd:
    """The service after ``scrapyd-deploy`` with the project's own targets, moved to the service's port."""
    config = ConfigParser()
    config.read(project / "scrapy.cfg", encoding="utf-8")
    for section in config.sections():
        if section.split(":")[0] == "deploy":
            assert config[section]["url"] == "http://127.0.0.1:6800/"
            config[section]["url"] = scrapyd.url
    with (project / "scrapy.cfg").open("w", encoding="utf-8") as file:
        config.write(file)
    deployment = scrapyd_deploy(project, "local", "--version", "test")
    assert '"status": "ok"' in deployment.stdout, deployment.stderr + deployment.stdout  # it exits with 0 in any case
    return scrapyd
