"""``scrapy doctor``, with faults that are real."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from newsspider.sites.model import from_home
from newsspider.store import sites
from newsspider.store.engine.database import open_store
from tests.support.commands import ROOT, database, scrapy
from tests.support.disk import KIB, disk
from tests.support.name_server import name_server
from tests.support.servers import free_port, redis_server

__all__ = ["database", "scrapy"]

MIB = 1024 * KIB


@pytest.fixture
def doctor(scrapy, database):
    """``doctor(SETTING=value)``: the exit code, and the worst finding of each check."""
    with open_store(database).begin() as conn:
        conn.execute(text("UPDATE hosts SET last_visit_at = :at"), {"at": time.time() - 60})

    def ask(**changed: str) -> tuple[int, dict[str, dict]]:
        ran = scrapy("doctor", "--json", **changed)
        rank = ("ok", "warn", "fail")
        rows = sorted((json.loads(line) for line in ran.out.splitlines()), key=lambda row: rank.index(row["verdict"]))
        return ran.code, {row["check"]: row for row in rows}

    return ask


def test_a_machine_that_is_well_ends_with_0(scrapy, doctor):
    code, findings = doctor(CONTACT="mail@example.cn")
    assert code == 0, [finding for finding in findings.values() if finding["verdict"] == "fail"]
    assert {name for name, finding in findings.items() if finding["verdict"] == "fail"} == set()
    assert {name: findings[name]["verdict"] for name in ("installation", "settings", "store", "clock", "identity")} == dict.fromkeys(
        ("installation", "settings", "store", "clock", "identity"), "ok"
    )  # fmt: skip
    assert scrapy("doctor").out.startswith("ok     installation  newsspider ")
    assert ">=" not in str(findings["installation"])  # extras are named, not their packages


def test_a_site_that_cannot_be_used_is_a_fault_until_it_is_disabled(doctor, database):
    with open_store(database).begin() as conn:
        sites.put(conn, from_home("http://127.0.0.1:9/"), 1.0)
        conn.execute(text("UPDATE sites SET toml = 'x'"))
    code, checks = doctor()
    assert (code, checks["sites"]["verdict"]) == (1, "fail")
    assert "'127.0.0.1:9' cannot be used: TOML: " in checks["sites"]["found"]
    assert "scrapy sites remove 127.0.0.1:9" in checks["sites"]["advice"]
    with open_store(database).begin() as conn:
        sites.enable(conn, "127.0.0.1:9", False, 1.0)
    assert doctor()[1]["sites"]["verdict"] == "warn"


def test_a_crawler_without_a_contact_is_in_doubt_and_told_what_to_set(scrapy, doctor):
    code, findings = doctor(CONTACT="")
    assert (code, findings["identity"]["verdict"]) == (0, "warn")
    assert "CONTACT" in findings["identity"]["advice"]
    assert "       do: set CONTACT" in scrapy("doctor", CONTACT="").out
    assert doctor(ROBOTS_AGENT="other")[1]["identity"]["verdict"] == "warn"


def test_a_store_that_is_not_there_is_not_made(doctor, tmp_path):
    file = tmp_path / "typo" / "news.db"
    code, findings = doctor(DATABASE_URL=f"sqlite:///{file}")
    assert (code, findings["store"]["verdict"]) == (0, "warn")
    assert not file.parent.exists()


@pytest.mark.parametrize("url", ["sqlite:////dev/null/x/news.db", "postgresql://127.0.0.1:1/news"])
def test_a_store_that_cannot_be_used_must_be_mended(doctor, url):
    code, findings = doctor(DATABASE_URL=url)
    assert (code, findings["store"]["verdict"]) == (1, "fail")
    assert "DATABASE_URL" in findings["store"]["advice"]


def test_a_damaged_store_must_be_mended(doctor, database):
    file = Path(make_url(database).database)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    code, findings = doctor()
    assert (code, findings["store"]["verdict"]) == (1, "fail")


def test_a_redis_that_is_down_must_be_mended_and_one_that_answers_is_well(doctor):
    code, findings = doctor(REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")
    assert (code, findings["redis"]["verdict"]) == (1, "fail")
    with redis_server() as server:
        assert doctor(REDIS_URL=server.url)[1]["redis"]["verdict"] == "ok"


@pytest.mark.slow
def test_a_full_disk_must_be_mended(doctor, tmp_path):
    with disk(tmp_path / "disk", 300 * MIB) as small:
        url = f"sqlite:///{small.folder}/news.db"
        open_store(url).dispose()
        assert doctor(DATABASE_URL=url)[1]["disk"]["verdict"] == "warn"
        small.leave(10 * MIB)
        code, findings = doctor(DATABASE_URL=url)
    assert (code, findings["disk"]["verdict"]) == (1, "fail")
    assert "MiB are free in" in findings["disk"]["found"]


def test_a_clock_that_was_set_back_must_be_mended(doctor, database):
    with open_store(database).begin() as conn:
        conn.execute(text("UPDATE hosts SET last_visit_at = :at"), {"at": time.time() + 86_400})
    code, findings = doctor()
    assert (code, findings["clock"]["verdict"]) == (1, "fail")
    assert "NTP" in findings["clock"]["advice"]


def test_names_that_nobody_resolves_must_be_mended(doctor, database):
    with open_store(database).begin() as conn:
        for name in ("one", "two"):
            sites.put(conn, from_home(f"http://{name}.example.test/"), time.time())
    code, findings = doctor(DNS_SERVERS=f"127.0.0.1:{free_port()}")
    assert (code, findings["dns"]["verdict"]) == (1, "fail")
    with name_server() as (server, address):
        server.add("one.example.test", "A", "192.0.2.1")
        assert doctor(DNS_SERVERS=address)[1]["dns"]["verdict"] == "warn"
        server.add("two.example.test", "AAAA", "2001:db8::2")
        assert doctor(DNS_SERVERS=address)[1]["dns"]["verdict"] == "ok", "an address of IPv6 is one"
        with open_store(database).begin() as conn:
            sites.put(conn, from_home("http://localhost:9/"), time.time())
        assert doctor(DNS_SERVERS=address)[1]["dns"]["verdict"] == "ok", "this machine knows it"


@pytest.mark.slow
def test_too_few_descriptors_must_be_mended(database):
    command = f"ulimit -n 200; exec {sys.executable} -m scrapy doctor --json -s DATABASE_URL={database}"
    ran = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    (finding,) = [row for line in ran.stdout.splitlines() if (row := json.loads(line))["check"] == "descriptors"]
    assert (ran.returncode, finding["verdict"]) == (1, "fail"), ran.stderr
    assert "LimitNOFILE" in finding["advice"]


@pytest.mark.parametrize("command", ["doctor", "status"])
@pytest.mark.parametrize("url", ["postgresql://u:sEcret9@127.0.0.1:abc/db", "mysql://u:sEcret9@127.0.0.1/db"])
def test_a_database_url_that_is_wrong_is_shown_without_its_password(scrapy, command, url):
    ran = scrapy(command, DATABASE_URL=url)
    assert ran.code == (1 if command == "doctor" and "abc" in url else 2)
    assert "//***@127.0.0.1" in ran.out + ran.err
    assert "sEcret9" not in ran.out + ran.err
    assert "Traceback" not in ran.err


def test_a_path_that_cannot_be_looked_at_is_a_finding(doctor, tmp_path):
    _, findings = doctor(DATABASE_URL=f"sqlite:///{tmp_path / ('a' * 300) / 'news.db'}")
    assert {"store", "disk", "identity"} <= findings.keys()
