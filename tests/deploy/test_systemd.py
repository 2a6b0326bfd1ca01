"""The units for systemd: they start what the containers start, with no rights that they do not need."""

import re
import shlex
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

from tests.deploy.compose import OURS
from tests.support.scrapyd import ROOT

UNITS = ROOT / "deploy/systemd"
SERVICES = sorted(UNITS.glob("*.service"))
PROGRAM = "/opt/newsspider/bin/newsspider"


class Unit(RawConfigParser):
    """A unit; the names of its options have capitals."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False)
        self.read_string(path.read_text("utf-8"))

    def optionxform(self, optionstr: str) -> str:
        return optionstr


@pytest.mark.parametrize("path", SERVICES, ids=lambda path: path.stem)
def test_no_service_is_root_or_writes_outside_its_folder(path: Path) -> None:
    service = Unit(path)["Service"]
    assert service["User"] == "newsspider"
    assert service["ProtectSystem"] == "strict"
    assert service["NoNewPrivileges"] == service["PrivateTmp"] == service["ProtectHome"] == "true"
    assert service["StateDirectory"] == Path(service["WorkingDirectory"]).name
    assert PROGRAM in service["ExecStart"]


def test_the_units_start_the_same_commands_as_the_containers() -> None:
    ours = {path.stem.removeprefix("newsspider-"): shlex.split(Unit(path)["Service"]["ExecStart"])[1:] for path in SERVICES}
    names = {"crawler": "crawl", "console": "console", "alerts": "alerts"}
    for container, unit in names.items():
        words = [word for word in OURS[container]["command"] if word not in ("--name", "${CONSOLE_NAME:-localhost}")]
        assert [word.replace("0.0.0.0", "127.0.0.1") for word in words] == ours[unit]


def test_the_units_of_the_how_to_are_those_of_the_folder() -> None:
    text = (ROOT / "docs/how-to/run-as-a-service.md").read_text("utf-8")
    named = set(re.findall(r"newsspider-[a-z]+(?:\.timer)?(?= |`|\n)", text))
    files = {path.name.removesuffix(".service") for path in UNITS.iterdir()}
    assert named - {"newsspider-"} <= files
    assert {path.stem for path in SERVICES} - {"newsspider-backup"} <= named


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd to check them")
def test_systemd_finds_no_fault(tmp_path: Path) -> None:
    for path in UNITS.glob("*.*"):
        if path.suffix in (".service", ".timer"):
            text = path.read_text("utf-8").replace(PROGRAM, "/bin/true")
            (tmp_path / path.name).write_text(text, "utf-8")
    units = sorted(map(str, tmp_path.iterdir()))
    ran = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert not re.search(re.escape(str(tmp_path)) + r"|newsspider-\w+\.(?:service|timer): (?!Command)", ran.stderr), ran.stderr
