"""A real scrapyd runs the egg."""

import json
import re
import socket
import tomllib
from pathlib import Path

import pytest

from tests.support.scrapyd import PROJECT, ROOT, Scrapyd


def test_the_service_listens_on_this_machine_only(scrapyd: Scrapyd) -> None:
    socket.create_connection(("127.0.0.1", scrapyd.port)).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", scrapyd.port))


def test_a_deployed_project_lists_its_spiders(deployed: Scrapyd) -> None:
    assert deployed.get("listversions", project=PROJECT)["versions"] == ["test"]
    assert "education" in deployed.get("listspiders", project=PROJECT)["spiders"]


def test_a_command_of_the_egg_finds_the_data_files_inside_it(deployed: Scrapyd, tmp_path: Path) -> None:
    listed = deployed.command("sites", "list", "--json", "-s", f"DATABASE_URL=sqlite:///{tmp_path}/new.db")
    assert listed.returncode == 0, listed.stderr
    files = (ROOT / "newsspider/sites").glob("*.toml")
    shipped = {tomllib.loads(path.read_text(encoding="utf-8"))["name"] for path in files}
    assert {json.loads(line)["name"] for line in listed.stdout.splitlines()} == shipped


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"pages": "many"}, "-a pages=many: say a whole number from 1 to 1000000000"),
        ({"topic": "no-such-topic"}, "no-such-topic"),
    ],
)
def test_a_wrong_argument_ends_the_job_with_one_clear_sentence_in_its_log(
    deployed: Scrapyd, arguments: dict[str, str], sentence: str
) -> None:
    ended = deployed.wait(deployed.schedule(**arguments))
    assert ended.exit_code == 2
    assert re.search(rf"ERROR: scrapy crawl: .*{re.escape(sentence)}", ended.log.splitlines()[-1])
    assert "Traceback" not in ended.log
