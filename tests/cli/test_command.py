"""What every data command does with streams that are closed, full or gone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import ROOT, database
from tests.support.process import Process, completed

__all__ = ["database"]

COMMANDS = ["export", "status", "sites list", "sites show 教育部"]  # a way to print each


@pytest.fixture
def shell(database):
    """``shell("export > /dev/full")``: the words after ``scrapy``, run by a shell on a store that holds two articles."""
    environment = {**os.environ, "NEWSSPIDER_DATABASE_URL": database}

    def run(words: str, code: str = "-m scrapy", **more: str) -> subprocess.CompletedProcess[str]:
        call = f"{sys.executable} {code} {words}"
        env = {**environment, **more}
        return subprocess.run(call, shell=True, capture_output=True, encoding="utf-8", cwd=ROOT, env=env, check=False)

    return run


@pytest.fixture
def scrapy(database):
    """``scrapy(word, ...)`` on that store, without a shell."""
    return lambda *words: completed(words, {**os.environ, "NEWSSPIDER_DATABASE_URL": database}, 120)


def full_disk(command):
    return f"scrapy {command.split()[0]}: stdout cannot be written: No space left on device\n"


@pytest.mark.parametrize("command", COMMANDS[1:])
def test_a_full_disk_is_one_sentence_and_exit_code_1(database, tmp_path, command):
    log = tmp_path / "log"
    process = Process(command.split(), {**os.environ, "NEWSSPIDER_DATABASE_URL": database}, log, Path("/dev/full"))
    assert process.wait(240) == 1
    assert full_disk(command) in log.read_text("utf-8")
    assert "Traceback" not in log.read_text("utf-8")


def test_python_that_ends_with_a_full_disk_adds_nothing(shell):
    ran = shell(f"{COMMANDS[0]} > /dev/full")
    assert (ran.returncode, ran.stderr) == (1, full_disk(COMMANDS[0]))


@pytest.mark.parametrize("command", COMMANDS[:2])
def test_a_closed_stdout_is_one_sentence_and_exit_code_1(shell, command):
    ran = shell(f"{command} >&-")
    assert (ran.returncode, ran.stderr) == (1, f"scrapy {command.split()[0]}: stdout is closed; there is nowhere to print to\n")


def test_what_is_said_on_a_closed_stderr_does_not_stray_to_stdout(shell):
    ran = shell("export --site 乙 2>&-")
    assert ran.returncode == 0
    assert ran.stdout.count("\n") == 1


def test_a_closed_stdin_is_empty(shell):
    ran = shell("score <&-")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_reader_that_goes_away_is_no_trouble(shell):
    ran = shell("sites list | head -n 1")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_pid_file_that_cannot_be_written_is_wrong_use(scrapy):
    ran = scrapy("export", "--pidfile", "/nowhere/pid")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.endswith("error: --pidfile /nowhere/pid: No such file or directory\n")


def test_the_database_of_another_application_is_wrong_use(scrapy, tmp_path):
    other = tmp_path / "other.db"
    other.write_bytes(b"no database" * 100)
    ran = scrapy("export", "-s", f"DATABASE_URL=sqlite:///{other}")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.endswith(f"error: DATABASE_URL=sqlite:///{other}: the file is no SQLite database\n")


NO_UTF8 = os.fsdecode(b"\xff")


@pytest.mark.parametrize(
    "words",
    [
        "search {}", "export --site {}", "export --topic {}", "reread --site {}", "crawl query -a q={}", "crawl {}",
        "crawl education -s TOPIC={}", "explain {}",
        "extract {} --url http://a.cn/", "topics show {}", "topics test education {}", "submit {}", "score --topic {}",
    ],
)  # fmt: skip
def test_an_argument_that_is_not_utf8_is_one_sentence(scrapy, words):
    ran = scrapy(*[word.format(NO_UTF8) for word in words.split()])
    assert (ran.returncode, ran.stdout) == (2, "")
    assert " is not UTF-8\n" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("words", ["export --site 乙", "search --site 乙 中小学"])
def test_utf8_is_understood_whatever_the_locale_says(shell, scrapy, words):
    plain = scrapy(*words.split())
    assert plain.stdout
    bare = shell(words, "-X utf8=0 -m scrapy", LC_ALL="C", PYTHONCOERCECLOCALE="0")
    assert (bare.returncode, bare.stdout) == (0, plain.stdout)


def test_a_file_name_that_the_locale_cannot_tell_is_one_sentence(shell, tmp_path):
    ran = shell(f"topics show {tmp_path}/高考.toml", "-X utf8=0 -m scrapy", LC_ALL="C", PYTHONCOERCECLOCALE="0")
    assert ran.returncode in (1, 2)
    assert "高考" in ran.stderr
    assert "Traceback" not in ran.stderr
