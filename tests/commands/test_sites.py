"""``scrapy sites`` on a real store."""

import json
import sqlite3
from dataclasses import replace

import pytest

from newsspider.core.model import Layout, PageType, Standing
from newsspider.core.text.terminal_columns import column_count
from newsspider.sites.loader import load_site, load_sites, shipped_texts
from newsspider.store.engine import database as opening
from newsspider.store.engine.database import open_store
from newsspider.store.ledger import site_knowledge
from tests.support.crawler import lease_of_kind
from tests.support.process import with_an_ascii_locale
from tests.support.sites_command import ROOT, sites

__all__ = ["sites"]

TOML = """\
name = "示例网"
home = "http://edu.example.cn/"
weight = 7
media_class = "trade"

[[channels]]
name = "要闻"
url = "http://edu.example.cn/yaowen/"

[[channels]]
name = "论坛"
url = "http://edu.example.cn/bbs/"
weight = 2
"""


@pytest.fixture
def site_file(tmp_path):
    file = tmp_path / "example.toml"
    file.write_text(TOML, "utf-8")
    return file


def listed(sites) -> dict[str, dict]:
    ran = sites("list", "--json")
    assert ran.code == 0
    return {site["name"]: site for site in map(json.loads, ran.out.splitlines())}


def test_the_shipped_sites_are_there_from_the_first_call(sites):
    assert set(listed(sites)) == {load_site(text, name).name for name, text in shipped_texts()}


def test_the_list_is_a_table_of_80_columns_heaviest_first(sites):
    head, *lines = sites("list").out.splitlines()
    assert head.split() == ["name", "weight", "class", "channels", "enabled", "home"]
    assert lines[0].split() == ["教育部", "10", "official", "9", "yes", "www.moe.gov.cn"]
    assert max(map(column_count, lines)) <= 80
    assert {column_count(line.partition(" yes ")[0]) for line in lines} == {column_count(lines[0].partition(" yes ")[0])}


def test_a_file_is_added_and_shown_as_toml(sites, site_file):
    assert sites("add", site_file).code == 0
    assert load_site(sites("show", "示例网").out, "shown") == load_site(TOML, "file")


def test_where_the_lists_of_a_site_stand_is_shown_in_comments(sites, site_file, tmp_path):
    sites("add", site_file)
    assert "#" not in sites("show", "示例网").out
    engine = open_store(f"sqlite:///{tmp_path}/store/newsspider.db")
    with engine.begin() as conn:
        for moment, standing in enumerate((Standing.LEARNED, Standing.MOVED, Standing.LOST)):
            lease = lease_of_kind(PageType.LIST)
            layout = Layout(standing, ("//ul/li/a" if moment else "//dl/dd/a",))
            site_knowledge.note_list_position(conn, replace(lease, site="示例网", channel="要闻"), layout, 60.0 * moment)
    engine.dispose()
    out = sites("show", "示例网").out
    assert load_site(out, "shown") == load_site(TOML, "file")
    assert out.splitlines()[-2:] == [
        "# the list of 要闻 stands since 1970-01-01 08:01, learned again 1 time, LOST since 1970-01-01 08:02 at",
        "#     //ul/li/a",
    ]


def test_lines_around_the_texts_of_a_site_are_shown_and_forgotten(sites, site_file, tmp_path):
    sites("add", site_file)
    engine = open_store(f"sqlite:///{tmp_path}/store/newsspider.db")
    with engine.begin() as conn:
        site_knowledge.note_boilerplate(conn, "示例网", ["关注本报微信公众号"], 60.0)
    engine.dispose()
    out = sites("show", "示例网").out
    assert load_site(out, "shown") == load_site(TOML, "file")
    assert out.splitlines()[-1] == "# left out around the texts of articles: 关注本报微信公众号"
    assert "示例网: 1 line around its articles forgotten" in sites("relearn", "示例网").err
    assert "#" not in sites("show", "示例网").out
    assert sites("relearn", "nobody").code == 2


def test_a_site_is_added_by_its_url_alone(sites):
    ran = sites("add", "http://new.example.cn/", "http://other.example.cn:8080")
    assert (ran.code, ran.out) == (0, "")
    assert "added new.example.cn" in ran.err
    by_name = listed(sites)
    assert by_name["new.example.cn"]["weight"] == 5
    assert [channel["kind"] for channel in by_name["other.example.cn:8080"]["channels"]] == ["home"]
    assert "added 又一; new.example.cn has its host, too" in sites("add", "http://new.example.cn/b/", "--name", "又一").err


def test_sites_of_one_address_and_of_a_chinese_domain_are_named_after_their_hosts(sites):
    for url in ("http://127.0.0.1:8900/", "http://127.0.0.1:8901/", "http://中文.中国/"):
        assert sites("add", url).code == 0
    assert 'home = "http://127.0.0.1:8901/"' in sites("show", "127.0.0.1:8901").out
    for word in ("中文.中国", "xn--fiq228c.xn--fiqs8s", "XN--fiq228c.xn--fiqs8s"):
        assert 'name = "中文.中国"' in sites("show", word).out


def test_a_name_like_an_option_is_refused(sites):
    done = sites("add", "http://edu.example.cn/", "--name=-a")
    assert done.code == 2
    assert "hyphen" in done.err


def test_options_say_what_the_url_does_not(sites):
    words = ("--name", "新站", "--weight", "8", "--delay", "0.1", "--delay-reason", "our own server")
    assert sites("add", "http://new.example.cn/", *words).code == 0
    site = listed(sites)["新站"]
    assert (site["weight"], site["delay_seconds"], site["channels"][0]["weight"]) == (8, 0.1, 8)


def test_a_known_site_is_replaced_only_when_asked(sites, site_file):
    sites("add", site_file)
    site_file.write_text(TOML.replace("weight = 7", "weight = 3"), "utf-8")
    ran = sites("add", site_file)
    assert (ran.code, listed(sites)["示例网"]["weight"]) == (2, 7)
    assert "--replace" in ran.err
    assert sites("add", site_file, "--replace").code == 0
    assert listed(sites)["示例网"]["weight"] == 3


def test_all_that_is_named_is_added_or_nothing(sites, site_file):
    assert sites("add", site_file, "http://www.moe.gov.cn/", "--weight", "4").code == 0
    ran = sites("add", "http://new.example.cn/", site_file)
    assert ran.code == 2
    assert "added" not in ran.err
    assert "new.example.cn" not in listed(sites)


def test_channels_move_with_the_weight_of_their_site(sites, site_file):
    sites("add", site_file)
    assert sites("weight", "示例网", "10").code == 0
    site = listed(sites)["示例网"]
    assert (site["weight"], [channel["weight"] for channel in site["channels"]]) == (10, [10, 5])


def test_sites_are_switched_by_name_or_host(sites):
    assert sites("disable", "教育部", "bbs.kaoyan.com").code == 0
    by_name = listed(sites)
    assert (by_name["教育部"]["enabled"], by_name["考研论坛"]["enabled"], by_name["中国教育新闻网"]["enabled"]) == (
        False,
        False,
        True,
    )
    assert sites("enable", "www.moe.gov.cn").code == 0
    assert listed(sites)["教育部"]["enabled"]


def test_a_shipped_site_that_was_removed_stays_removed_until_it_is_added(sites):
    assert sites("remove", "教育部").code == 0
    assert "教育部" not in listed(sites)
    assert sites("show", "教育部").code == 2
    assert sites("add", ROOT / "newsspider" / "sites" / "moe.toml").code == 0
    assert "教育部" in listed(sites)


def test_what_was_exported_can_be_imported(sites, tmp_path):
    sites("weight", "教育部", "3")
    old_sites = listed(sites)
    assert sites("export", tmp_path / "out").code == 0
    assert {site.name for site in load_sites(tmp_path / "out")} == set(old_sites)
    sites("remove", "教育部")
    sites("weight", "中国教育新闻网", "1")
    assert sites("import", tmp_path / "out").code == 0
    assert listed(sites) == old_sites


def test_feeds_come_in_and_sites_go_out_as_opml(sites, tmp_path):
    feeds = tmp_path / "feeds.opml"
    feeds.write_text(
        '<opml version="2.0"><body><outline text="要闻" xmlUrl="http://daily.example.cn/rss"/></body></opml>', "utf-8"
    )
    assert "要闻: 1 channel added" in sites("import", feeds).err
    assert "is watched already" in sites("import", feeds).err
    assert sites("export", tmp_path / "all.opml").code == 0
    assert 'xmlUrl="http://daily.example.cn/rss"' in (tmp_path / "all.opml").read_text("utf-8")
    old_sites = listed(sites)
    assert "is watched already" in sites("import", tmp_path / "all.opml").err
    assert sites("disable", "要闻").code == 0
    assert "要闻 is disabled, so nothing of it is polled; see `scrapy sites enable`" in sites("import", feeds).err
    assert sites("enable", "要闻").code == 0
    assert listed(sites) == old_sites
    missing = sites("import", tmp_path / "missing.opml")
    assert (missing.code, "missing.opml: No such file or directory" in missing.err) == (2, True)


def test_an_export_to_stdout_names_its_files(sites):
    out = sites("export", "-").out
    assert out.count("# ---- ") == len(shipped_texts())
    first = out.split("# ---- ")[1].partition("\n")[2]
    assert load_site(first, "stdout").name


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "arguments are required: ACTION"),
        (["lst"], "invalid choice: 'lst' (choose from 'list', 'show'"),
        (["list", "x"], "say: scrapy sites list"),
        (["show"], "scrapy sites show: error: the following arguments are required: NAME"),
        (["show", "nowhere"], "there is no site 'nowhere'"),
        (["list", "--replace"], "unknown option --replace; see scrapy sites list --help"),
        (["list", "--weight", "3"], "unknown option --weight"),
        (["list", "--jason"], "--jason"),
        (["add", "ftp://example.cn/"], "is not an http or https URL"),
        (["add", "example.cn"], "neither a file nor a URL"),
        (["add", "gone.toml"], "gone.toml: file: No such file"),
        (["add", "http://a.cn/", "--weight", "11"], "weight: must be a whole number from 1 to 10"),
        (["add", "http://a.cn/", "--weight", "heavy"], "weight heavy: say a whole number from 1 to 10"),
        (["add", "http://a.cn/", "--delay", "slow"], "delay slow: say a number of seconds"),
        (["add", "http://a.cn/", "--delay", "0.1"], "delay_reason: is needed"),
        (["add", "http://a.cn/", "--delay", "nan"], "delay_seconds: must be a number"),
        (["add", "http://a.cn/", "http://b.cn/", "--name", "c"], "--name is for one site"),
        (["weight", "教育部", "0"], "from 1 to 10"),
        (["disable", "教育部", "nowhere"], "there is no site 'nowhere'"),
        (["export", "/dev/null/x"], "/dev/null/x: Not a directory"),
        (["test", "nowhere"], "there is no site 'nowhere'"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(sites, words, sentence):
    ran = sites(*words)
    error_lines = [line for line in ran.err.splitlines() if not line.startswith("usage: ")]
    assert (ran.code, ran.out, len(error_lines)) == (2, "", 1)
    assert sentence in error_lines[0]


def test_a_bad_file_is_refused_with_file_key_and_reason(sites, site_file):
    site_file.write_text(TOML.replace("weight = 7", "weight = 70"), "utf-8")
    ran = sites("add", site_file)
    assert ran.code == 2
    assert f"{site_file}: weight: must be a whole number from 1 to 10, not 70" in ran.err


@pytest.mark.slow
def test_chinese_is_utf_8_whatever_the_locale_says(tmp_path):
    ran = with_an_ascii_locale("sites", "show", "教育部", NEWSSPIDER_DATABASE_URL=f"sqlite:///{tmp_path}/n.db")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert 'name = "教育部"' in ran.stdout.decode()


def test_sites_are_shown_while_somebody_writes_but_not_changed(sites, tmp_path, monkeypatch):
    listed(sites)
    monkeypatch.setattr(opening, "PRAGMAS", (*opening.PRAGMAS, "busy_timeout = 50"))
    other = sqlite3.connect(tmp_path / "store" / "newsspider.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert sites("list").code == sites("show", "教育部").code == sites("export", "-").code == 0
    ran = sites("disable", "教育部")
    other.close()
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
    assert "database is locked" in ran.err
    assert listed(sites)["教育部"]["enabled"]


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://[::1]/", "http://0251.0376.169.254/"])
def test_a_site_that_can_never_be_asked_is_refused(sites, url):
    ran = sites("add", url)
    assert (ran.code, ran.out) == (2, "")
    assert "is never fetched: " in ran.err
    assert "ALLOWED_ADDRESSES" in ran.err
    assert sites("add", url, "-s", "ALLOWED_ADDRESSES=10.0.0.1,::1,169.254.169.254").code == 0
