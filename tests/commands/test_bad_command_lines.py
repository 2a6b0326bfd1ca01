"""Hundreds of command lines with one thing wrong: one sentence each, never a traceback, never exit code 0, nothing done."""

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import make_url

from tests.commands.bad_lines import files, lines, placed
from tests.commands.running import Line, faults, run_all
from tests.support.commands import database
from tests.support.docs import commands

__all__ = ["database"]

SCRAPYS = ("bench", "parse", "shell")  # with a little added: it is Scrapy that reads their lines
AT_ONCE = 100
SECONDS = 240  # for so many, on a machine that has other things to do


@pytest.fixture
def environment(database):
    others = {name: value for name, value in os.environ.items() if not name.startswith(("NEWSSPIDER_", "SCRAPY_"))}
    return {**others, "NEWSSPIDER_DATABASE_URL": database, "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.1"}


def content(database: str) -> list[str]:
    """All that the store holds but the runs, among which a refused crawl is noted."""
    with sqlite3.connect(make_url(database).database) as conn:
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('search_index', 'runs')"
        tables = [name for (name,) in conn.execute(named)]
        return [repr(row) for table in tables for row in conn.execute(f"SELECT * FROM {table}")]


@pytest.mark.slow
@pytest.mark.parametrize("one_in", [64, pytest.param(4, marks=pytest.mark.long)])
def test_each_wrong_line_is_refused_with_one_sentence(database, environment, tmp_path, one_in):
    folder = tmp_path / "files"
    folder.mkdir()
    named = files(folder)
    ours = {name: parser for name, parser in commands().items() if name not in SCRAPYS}
    wrong = [placed(line, named) for line in lines(ours, one_in)]
    assert len(wrong) >= 7000 / one_in
    first = [Line(("sites", "list")), Line(("hot", "events"))]  # take the shipped sites over; analyse what is stored
    assert [ran.code for ran in run_all(first, environment, SECONDS)] == [0, 0]
    old_content = content(database)
    parts = [wrong[start : start + AT_ONCE] for start in range(0, len(wrong), AT_ONCE)]
    with ThreadPoolExecutor(2) as pool:
        ran = [end for part in pool.map(lambda part: run_all(part, environment, SECONDS), parts) for end in part]
    assert None not in ran, f"this took too long: {wrong[ran.index(None)].words}"
    bad = [(line.words, flaws, end) for line, end in zip(wrong, ran, strict=True) if (flaws := faults(line, end))]
    assert not bad, f"{len(bad)} of {len(wrong)}:\n" + "\n".join(report(*entry) for entry in bad)
    assert content(database) == old_content


def report(words, flaws, ran) -> str:
    last_lines = " | ".join(ran.err.splitlines()[-3:])
    return f"{[word[:60] for word in words]}: {', '.join(flaws)}: {last_lines[-300:]!r} {ran.out[:80]!r}"
