"""``scrapy sites suggest`` on a real store."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from newsspider.core.text.terminal_columns import column_count
from newsspider.sites.loader import load_sites
from newsspider.store.engine.database import open_store
from tests.support.explored import Crawl
from tests.support.sites_command import ROOT, sites

__all__ = ["sites"]

EDU = "http://edu.example.cn/"
MOE = "http://www.moe.gov.cn/"


def articles(host: str, *numbers: int) -> list[str]:
    return [f"{host}2026/{number}.html" for number in numbers]


@pytest.fixture
def explored(sites, tmp_path):
    """Runs ``scrapy sites`` on a store in which a crawl found a list, a part of it, one of a watched site, a search and an impure one."""
    sites("list")
    engine = open_store(f"sqlite:///{tmp_path}/store/newsspider.db")
    with engine.begin() as conn:
        crawl = Crawl(conn)
        crawl.list(f"{EDU}yaowen/", articles(EDU, *range(8)), title="要闻_示例教育网")
        crawl.list(f"{EDU}gaokao/", articles(EDU, *range(5)), title="高考_示例教育网")
        crawl.list(f"{EDU}search?q=edu", articles(EDU, *range(8)))
        crawl.list(f"{EDU}ball/", articles(EDU, *range(20, 26)), title="体育_示例教育网")
        crawl.list(f"{MOE}jyzt/", articles(MOE, *range(6)), title="专题_教育部")
        for url in (*articles(EDU, *range(8)), *articles(MOE, *range(6))):
            crawl.keep(url, published_at=None)
        for url in articles(EDU, *range(20, 26)):
            crawl.refuse(url)
    engine.dispose()
    return sites


def records(ran) -> dict[str, dict]:
    return {record["url"]: record for record in map(json.loads, ran.out.splitlines())}


def test_lists_worth_watching_are_suggested_and_the_others_are_counted(explored):
    ran = explored("suggest")
    assert ran.code == 0
    assert max(map(column_count, ran.out.splitlines())) <= 80
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[0].split() == ["list", "weight", "share", "least", "read", "a", "day", "original"]
    assert "edu.example.cn  (new: weight 3, trade)" in lines
    assert f"{EDU}yaowen/" in lines
    assert "教育部  (watched: 1 channel more)" in lines
    assert ran.err == (
        "worth watching: 2 lists of 2 domains; "
        "left out: 3 (1 answer to a search, 1 shown by better lists, 1 too few articles read or on topic)\n"
    )


def test_the_number_of_hidden_suggestions_is_reported(explored):
    assert "2 lists of 2 domains (shown: 1); left out" in explored("suggest", "--limit", "1").err


def test_json_has_a_line_a_list(explored):
    suggestions = records(explored("suggest", "--json"))
    assert suggestions.keys() == {f"{EDU}yaowen/", f"{MOE}jyzt/"}
    row = suggestions[f"{EDU}yaowen/"]
    assert (row["site"], row["new"], row["name"], row["kind"]) == ("edu.example.cn", True, "要闻", "list")
    assert (row["on_topic"], row["read"], row["least_share"], row["a_day"]) == (8, 8, 0.6756, None)


@pytest.mark.slow
def test_the_files_are_written_though_the_reader_of_stdout_has_gone(explored, tmp_path):
    read, write = os.pipe()
    os.close(read)
    store = f"DATABASE_URL=sqlite:///{tmp_path}/store/newsspider.db"
    words = ("-m", "scrapy", "sites", "suggest", "--toml", str(tmp_path / "found"), "-s", store)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, *words]
    with os.fdopen(write, "w") as stdout:
        ran = subprocess.run(command, check=False, stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment, cwd=ROOT)
    assert "Traceback" not in ran.stderr
    assert sorted(path.name for path in (tmp_path / "found").iterdir()) == ["edu.example.cn.toml", "教育部.toml"]


def test_the_files_are_taken_by_add(explored, tmp_path):
    ran = explored("suggest", "--toml", tmp_path / "found")
    assert "2 sites written to" in ran.err
    files = sorted(path.name for path in (tmp_path / "found").iterdir())
    assert files == ["edu.example.cn.toml", "教育部.toml"]
    (site,) = load_sites(tmp_path / "found" / "edu.example.cn.toml")
    assert [channel.url for channel in site.channels] == [f"{EDU}yaowen/"]
    assert explored("add", tmp_path / "found" / "edu.example.cn.toml").code == 0
    assert explored("add", tmp_path / "found" / "教育部.toml").code == 2, "it is a site already"
    assert explored("add", tmp_path / "found" / "教育部.toml", "--replace").code == 0
    assert f"{MOE}jyzt/" in explored("show", "教育部").out
    assert explored("suggest").out == "", "what is watched is not suggested again"
    explored("disable", "edu.example.cn")
    assert explored("suggest").out == "", "nor what was switched off"


@pytest.mark.parametrize(
    ("options", "urls"),
    [
        (["--min-articles", "7"], {f"{EDU}yaowen/"}),
        (["--min-share", "0.7"], set()),
        (["--min-share", "0"], {f"{EDU}yaowen/", f"{MOE}jyzt/"}),
        (["--limit", "1"], {f"{EDU}yaowen/"}),
        (["--crawl", "web"], {f"{EDU}yaowen/", f"{MOE}jyzt/"}),
        (["--min-rate", "5"], {f"{EDU}yaowen/", f"{MOE}jyzt/"}),
    ],
)
def test_the_options_narrow_the_suggestions(explored, options, urls):
    assert records(explored("suggest", "--json", *options)).keys() == urls


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--crawl", "other"], "there is no crawl 'other'"),
        (["--min-share", "2"], "say a number from 0 to 1"),
        (["--min-share", "nan"], "say a number from 0 to 1"),
        (["--min-share", "much"], "min-share much: say a number from 0 to 1"),
        (["--min-articles", "0"], "say a min-articles and a limit of 1 or more"),
        (["--min-rate", "nan"], "a min-rate of 0 or more"),
        (["--limit", "x"], "limit x: say a whole number"),
        (["--toml", "/dev/null/x"], "/dev/null/x: Not a directory"),
        (["--replace"], "unknown option --replace; see scrapy sites suggest --help"),
        (["x"], "say: scrapy sites suggest"),
    ],
)
def test_wrong_use_is_one_sentence(explored, words, sentence):
    ran = explored("suggest", *words)
    assert ran.code == 2
    assert sentence in ran.err
    assert "Traceback" not in ran.err


def test_without_a_crawl_it_says_how_to_begin_one(sites):
    ran = sites("suggest")
    assert (ran.code, ran.out) == (2, "")
    assert "scrapy crawl explore -a strategy=focused" in ran.err


def test_the_options_belong_to_suggest_alone(sites):
    assert "unknown option --limit; see scrapy sites list --help" in sites("list", "--limit", "3").err


def test_a_folder_that_holds_files_keeps_the_others(explored, tmp_path):
    Path(tmp_path / "mine.toml").write_text("mine", "utf-8")
    assert explored("suggest", "--toml", tmp_path).code == 0
    assert (tmp_path / "mine.toml").read_text("utf-8") == "mine"
