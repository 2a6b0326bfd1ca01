"""``scrapy sites test --all``, asked of real servers on loopback addresses."""

from __future__ import annotations

import os
import pty
import sqlite3
import subprocess
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.portal import ROOT, command, environment, scrapy
from tests.support.serving import Answer, article, listing, served


def play(path: str, times: int) -> Answer:
    match path:
        case "/robots.txt":
            return 404, "", {}
        case "/list/":
            return listing(*range(12))
        case "/empty/":
            return 404, "", {}
    return article(int(path[-9:-5]))


def site(folder: Path, name: str, base: str, path: str, more: str = "", regions: str = "") -> Path:
    file = folder / f"{name}.toml"
    file.write_text(
        f'name = "{name}"\nhome = "{base}/"\nweight = 5\nmedia_class = "portal"\n{more}'
        f'[[channels]]\nname = "c"\nurl = "{base}{path}"\nweight = 5\nkind = "list"\n{regions}',
        encoding="utf-8",
    )
    return file


@pytest.mark.slow
def test_all_sites_are_tested_and_broken_rules_and_dead_sites_are_marked(tmp_path: Path) -> None:
    database = tmp_path / "n.db"
    assert scrapy(database, "sites", "list").returncode == 0
    with sqlite3.connect(database) as conn:
        conn.execute("UPDATE sites SET removed = 1")  # those that newsspider ships are elsewhere
    with served("127.0.0.71", play) as (well, counts), served("127.0.0.72", play) as (broken, _), served("127.0.0.73", play) as (dead, _):
        site(tmp_path, "well", well, "/list/", regions='regions = ["//ul"]\n')
        site(tmp_path, "region", broken, "/list/", regions='regions = ["//div[@id=\'gone\']"]\n')
        site(tmp_path, "rule", broken, "/list/", "[xpaths]\nbody = \"//div[@class='old']\"\n")
        site(tmp_path, "dead", dead, "/empty/")
        added = scrapy(database, "sites", "add", *map(str, tmp_path.glob("*.toml")))
        assert added.returncode == 0, added.stderr
        assert scrapy(database, "sites", "disable", "dead").returncode == 0
        ran = scrapy(database, "sites", "test", "--all", "-s", "DELAY_MIN_SECONDS=0.01")
        with sqlite3.connect(database) as conn:
            conn.execute("UPDATE sites SET removed = 0")
        alone = scrapy(database, "sites", "test", "--all", "--only", str(tmp_path / "well.toml"), "-s", "DELAY_MIN_SECONDS=0.01")
    assert (alone.returncode, alone.stdout) == (0, "well: ok, 12 article links\n"), "the shipped sites are asked, too"
    verdicts = dict(line.split(": ", 1) for line in ran.stdout.splitlines())
    assert ran.returncode == 1, ran.stderr
    assert verdicts["well"] == "ok, 12 article links"
    assert verdicts["region"] == "rule broken, 12 article links; c regions //div[@id='gone'] selects nothing"
    assert verdicts["rule"] == "rule broken, 12 article links; body //div[@class='old'] selects nothing"
    assert verdicts["dead (disabled)"] == "dead: c: HTTP status 404"
    assert "4 sites: 1 ok, 2 with a rule that is broken, 1 dead" in ran.stderr
    assert counts["/robots.txt"] == 2, "robots.txt is asked first in each run"


@pytest.mark.slow
def test_each_site_is_asked_with_the_delay_of_its_own_file(tmp_path: Path) -> None:
    database, requests = tmp_path / "n.db", []
    assert scrapy(database, "sites", "list").returncode == 0
    with sqlite3.connect(database) as conn:
        conn.execute("UPDATE sites SET removed = 1")

    def noting(name: str) -> Callable[[str, int], Answer]:
        def noted(path: str, times: int) -> Answer:
            requests.append((name, time.monotonic()))
            return play(path, times)

        return noted

    with served("127.0.0.74", noting("quick")) as (quick, _), served("127.0.0.75", noting("slow")) as (slow, _):
        for name, base, delay in (("quick", quick, 0.01), ("slow", slow, 6)):
            more = f'delay_seconds = {delay}\ndelay_reason = "a test"\n[xpaths]\nbody = "//p"\n'
            site(tmp_path, name, base, "/list/", more)
        added = scrapy(database, "sites", "add", *map(str, tmp_path.glob("*.toml")))
        assert added.returncode == 0, added.stderr
        scrapy(database, "sites", "test", "--all")
    moments = [moment for name, moment in requests if name == "slow"]
    assert len(moments) == 3  # robots.txt, the list, an article
    assert all(later - earlier > 5.9 for earlier, later in pairwise(moments[1:]))
    assert [name for name, _ in requests].count("quick") == 3
    assert requests[-1][0] == "slow", "the quick site waited for the slow one"


def test_without_a_terminal_no_public_host_is_asked_and_the_option_that_allows_it_is_named(tmp_path: Path) -> None:
    ran = scrapy(tmp_path / "n.db", "sites", "test", "--all")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "public hosts" in ran.stderr
    assert "--yes" in ran.stderr
    assert "--only PATH" in ran.stderr


@pytest.mark.parametrize("answer", ["n", "", "no", "yesterday"])
def test_at_a_terminal_no_public_host_is_asked_before_somebody_agrees(tmp_path: Path, answer: str) -> None:
    asking, terminal = pty.openpty()
    os.write(asking, f"{answer}\n".encode())
    ran = subprocess.run(
        command("sites", "test", "--all"), cwd=ROOT, env=environment(tmp_path / "n.db"), stdin=terminal,
        capture_output=True, text=True, encoding="utf-8", timeout=240, check=False,
    )  # fmt: skip
    os.close(asking)
    os.close(terminal)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.endswith("Go on? [y/N]\n")


@pytest.mark.parametrize("more", [["--yes"], []])
def test_sites_that_are_not_public_are_asked_without_a_question(tmp_path: Path, more: list[str]) -> None:
    database = tmp_path / "n.db"
    assert scrapy(database, "sites", "list").returncode == 0
    with sqlite3.connect(database) as conn:
        conn.execute("UPDATE sites SET removed = 1")
    with served("127.0.0.76", play) as (own, _):
        added = scrapy(database, "sites", "add", str(site(tmp_path, "own", own, "/list/")))
        assert added.returncode == 0, added.stderr
        ran = scrapy(database, "sites", "test", "--all", *more, "-s", "DELAY_MIN_SECONDS=0.01")
    assert (ran.returncode, ran.stdout) == (0, "own: ok, 12 article links\n"), ran.stderr
