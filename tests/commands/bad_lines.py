"""Command lines with one thing wrong, generated from the parsers of all commands."""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from zlib import crc32

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from newsspider.crawl import arguments
from newsspider.crawl.setting_checks import check_settings, fields
from newsspider.features.explore import explore_arguments, query_arguments
from newsspider.features.explore.rules.strategy_names import STRATEGIES, options_of
from tests.commands.running import Line
from tests.support.docs import actions_of

ESC = "\x1b[31m\u202e红\x9b"
NO_UTF8 = os.fsdecode(b"\xff\xfe")
LONG = "长" * 50_000
HUGE = "9" * 400

# What is wrong wherever a value of this kind is asked for.
NO_COUNT = ("", " ", "x", "0", "-1", "1.5", "nan", "inf", "1e400", HUGE, "1_000_000_000_000", "二", ESC, NO_UTF8, LONG)
NO_NUMBER = ("", "x", "-1", "nan", "inf", "1e400", HUGE, ESC, NO_UTF8, LONG)
NO_DATE = (
    "", " ", "x", "2026", "2026-13-01", "2026-02-30", "-1", "0", "26-1-1", "2026-11-01T25:00", "99999-01-01", "0001-01-01", "2000y",
    ESC, NO_UTF8, LONG,
)  # fmt: skip
NO_NAME = ("", " ", "nope", "-", "教育部 ", "' OR 1=1", ESC, NO_UTF8, LONG)
NO_URL = ("", " ", "x", "http://", "https://", "ftp://a.cn/", "file:///etc/passwd", "javascript:1", "http://a b/", "http://[::1/",
    "http://a.cn:99999/",
          ESC, NO_UTF8, LONG)  # fmt: skip
NO_FILE = ("", "{missing}", "{folder}", "{missing}/deeper", "/dev/null/x", "a\x1b[2Jb", LONG, NO_UTF8)
NO_FOLDER = ("", "{full}", "{full}/deeper", "/dev/null/x", NO_UTF8)


# Command lines that are right, to which something wrong is added; where a command has actions, one or more of each.
RIGHT: dict[str, tuple[str, ...]] = {
    "accounts": (
        "accounts list", "accounts add 王芳", "accounts remove 王芳", "accounts password 王芳", "accounts token 王芳",
    ),
    "alerts": (
        "alerts list", "alerts add a --query 高考 --to http://127.0.0.1:1/", "alerts remove a", "alerts mute a", "alerts test a",
        "alerts preview --query 高考", "alerts deliveries", "alerts run --once", "alerts brief a --to http://127.0.0.1:1/",
        "alerts send a",
    ),
    "attention": ("attention 高考",),
    "brief": ("brief",),
    "changes": ("changes", "changes http://a.cn/1"),
    "crawl": (
        "crawl education -a sites={site}",
        "crawl explore -a strategy=breadth-first -a seeds=http://127.0.0.1:1/",
        "crawl query -a q=高考 -a seeds=http://127.0.0.1:1/",
    ),
    "dupes": ("dupes",),
    "event": ("event 1",),
    "explain": ("explain http://a.cn/1",),
    "export": ("export",),
    "extract": ("extract {page} --url http://a.cn/1", "extract --batch {manifest}", "extract --snapshot http://a.cn/1"),
    "forget": ("forget http://a.cn/none",),
    "graph": ("graph top", "graph rank"),
    "doctor": ("doctor",),
    "health": ("health",),
    "hot": ("hot events", "hot headlines", "hot words", "hot terms --topic education", "hot sources", "hot searches"),
    "init": ("init {folder}/two-words",),
    "links": ("links {page} --url http://a.cn/1",),
    "mcp": ("mcp",),
    "news": ("news",),
    "reprints": ("reprints", "reprints http://a.cn/1", "reprints --rebuild"),
    "reindex": ("reindex", "reindex --merge"),
    "reread": ("reread",),
    "score": ("score",),
    "search": ("search 高考",),
    "show": ("show http://a.cn/1",),
    "sites": (
        "sites list", "sites show 教育部", "sites add {site}", "sites weight 教育部 10", "sites enable 教育部", "sites disable 站",
        "sites remove 站", "sites relearn 教育部", "sites test {site}", "sites import {site}",
        "sites export -", "sites suggest", "sites catalogue", "sites check {site}",
    ),
    "status": ("status", "status --hosts"),
    "store": (
        "store check", "store backup {new}", "store restore {new}", "store move postgresql://127.0.0.1:1/news", "store prune --runs 90",
        "store vacuum", "store sizes", "store archive {folder}/archive --older-than 90", "store unarchive {folder}/archive",
    ),
    "schedule": ("schedule list --file {schedule}", "schedule next --file {schedule}", "schedule run --dry-run --file {schedule}"),
    "submit": ("submit http://a.cn/new",),
    "topics": (
        "topics list", "topics show education", "topics test education 高考", "topics train {topic} {labelled} --out {new}",
        "topics eval education {labelled}", "topics label education http://a.cn/1 --relevant", "topics labels education",
        "topics borderline education", "topics rejudge education", "topics drift education", "topics dictionary education",
    ),
    "web": ("web",),
}  # fmt: skip

# Where each option that takes a value belongs, by the right line that it is added to, and what is wrong there.
WRONG_VALUES: dict[tuple[str, str], tuple[str, Sequence[str]]] = {
    **{("store", f"--{kind}"): ("store prune", (*NO_COUNT, "36501")) for kind in ("snapshots", "links", "revisions", "runs")},
    ("store", "--older-than"): ("store archive {folder}/archive", (*NO_COUNT, "36501")),
    ("accounts", "--role"): ("accounts add 王芳", NO_NAME), ("accounts", "--scope"): ("accounts token 王芳", NO_NAME),
    ("accounts", "--label"): ("accounts token 王芳", ("", " ", LONG, NO_UTF8)),
    ("accounts", "--days"): ("accounts token 王芳", (*NO_COUNT, "3651")),
    ("alerts", "--query"): ("alerts preview", ("", " ", "(", "高考 OR", "nope:x", '"', "title:", NO_UTF8, LONG)),
    ("alerts", "--event"): ("alerts preview", (*NO_COUNT, "1", "100001")),
    ("alerts", "--source"): ("alerts preview", NO_NAME),
    ("alerts", "--per"): ("alerts preview --query 高考", NO_NAME),
    ("alerts", "--to"): ("alerts add a --query 高考", ("", " ", "x", "http://", "nope://x", "http://a b/", "https://a.cn/#x", ESC,
        NO_UTF8, LONG)),
    ("alerts", "--rhythm"): ("alerts add a --query 高考 --to http://127.0.0.1:1/", ("", "x", "daily", "daily 24:00", ESC, NO_UTF8, LONG)),
    ("alerts", "--quiet"): ("alerts add a --query 高考 --to http://127.0.0.1:1/", ("x", "22:00", "7:00-7:00", ESC, NO_UTF8, LONG)),
    ("alerts", "--owner"): ("alerts remove a", ("nobody", ESC, NO_UTF8, LONG)),
    ("alerts", "--for"): ("alerts mute a", (*NO_COUNT, "today", "2026-11-01")),
    ("alerts", "--state"): ("alerts deliveries", NO_NAME[1:]),
    ("alerts", "--resend"): ("alerts deliveries", NO_NAME),
    **{("alerts", option): ("alerts brief a --to http://127.0.0.1:1/", NO_NAME) for option in ("--topic", "--region")},
    ("alerts", "--template"): ("alerts brief a --to http://127.0.0.1:1/", NO_FILE),
    ("attention", "--by"): ("attention 高考", NO_NAME), ("attention", "--split"): ("attention 高考", NO_NAME),
    **{("attention", option): ("attention 高考", NO_DATE) for option in ("--since", "--until")},
    ("attention", "--output"): ("attention 高考", ("", "{folder}", "{missing}/b.svg", "b.png", NO_UTF8)),
    **{("brief", option): ("brief", NO_DATE) for option in ("--since", "--until")}, ("brief", "--limit"): ("brief", NO_COUNT),
    **{("brief", option): ("brief", NO_NAME) for option in ("--topic", "--region")}, ("brief", "--template"): ("brief", NO_FILE),
    ("brief", "--query"): ("brief", ("", " ", "(", "高考 OR", "nope:x", '"', "title:", NO_UTF8, LONG)),
    ("brief", "--title"): ("brief", ("", " ")), ("brief", "--output"): ("brief", ("", "{folder}", "{missing}/b.md", "b.x", NO_UTF8)),
    ("changes", "--since"): ("changes", NO_DATE), ("changes", "--site"): ("changes", NO_NAME), ("changes", "--limit"): ("changes",
        NO_COUNT),
    **{(command, "--since"): (line, NO_DATE)
        for command, line in (("export", "export"), ("hot", "hot events"), ("reread", "reread"), ("search", "search 高考"))
    },
    **{(command, "--until"): (line, NO_DATE)
        for command, line in (("export", "export"), ("hot", "hot events"), ("reread", "reread"), ("search", "search 高考"))
    },
    **{
        (command, option): (line, NO_NAME)
        for command, line in (
            ("export", "export"), ("hot", "hot events"), ("news", "news"), ("reread", "reread"), ("search", "search 高考"),
        )
        for option in ("--site", "--topic", "--subtopic", "--region", "--about")
    },
    **{(command, "--limit"): (line, NO_COUNT) for command, line in (
        ("export", "export"), ("hot", "hot events"), ("news", "news"),
        ("reread", "reread"), ("search", "search 高考"), ("graph", "graph top"),
        ("reprints", "reprints"),
        ("sites", "sites suggest"), ("status", "status --hosts"),
    )},
    ("sites", "--report"): ("sites check {site}", ("/dev/null/x", "")),
    ("sites", "-o"): ("sites check {site}", ("/dev/null/x.html", "", "x.txt")),
    ("event", "--limit"): ("event 1", NO_COUNT), ("event", "--split"): ("event 1", (*NO_COUNT, "1", "1,", "1,x", "1.2")),
    ("event", "--merge"): ("event 1", NO_COUNT), ("event", "--title"): ("event 1", ("x" * 201, ESC)),
    ("health", "--site"): ("health", NO_NAME),
    ("export", "--query"): ("export", ("", " ", "(", "高考 OR", "nope:x", '"', "title:", NO_UTF8, LONG)),
    ("export", "--format"): ("export", NO_NAME), ("export", "--fields"): ("export", NO_NAME),
    ("export", "--output"): ("export --format parquet", ("", "{folder}", "{missing}/deeper", NO_UTF8)),
    ("hot", "--beside"): ("hot words", NO_NAME),
    ("search", "--sort"): ("search 高考", NO_NAME),
    ("graph", "--site"): ("graph top", NO_NAME),
    ("extract", "--url"): ("extract {page}", NO_URL),
    ("extract", "--content-type"): ("extract --batch {manifest}", ("text/html",)),
    ("extract", "--batch"): ("extract", NO_FILE),
    ("extract", "--now"): ("extract {page} --url http://a.cn/1", (*NO_DATE, "9999-12-31")),
    ("extract", "--snapshot"): ("extract", (*NO_URL, "http://a.cn/never-seen")),
    ("extract", "--revision"): ("extract --snapshot http://a.cn/1", (*NO_COUNT, "1")),
    ("extract", "--site"): ("extract {page} --url http://a.cn/1", ("nobody", "{missing}.toml")),
    ("links", "--site"): ("links {page} --url http://a.cn/1", ("nobody", "{missing}.toml")),
    ("links", "--url"): ("links {page}", NO_URL),
    ("links", "--content-type"): ("links --url http://a.cn/1", ("text/html",)),
    ("links", "--region"): ("links {page} --url http://a.cn/1", ("", " ", "//[", "1 +", "nope(", "//a/@href", "count(//a)", "$x", ESC,
        NO_UTF8, LONG)),
    ("schedule", "--file"): ("schedule list", (*NO_FILE, "{binary}", "{empty}", "{page}", "{site}")),
    ("schedule", "--count"): ("schedule next --file {schedule}", (*NO_COUNT, "10001", "9" * 5000)),
    ("score", "--topic"): ("score", (*NO_NAME, *NO_FILE, "{binary}", "{empty}", "{page}", "{site}", "{loop}")),
    ("score", "--model"): ("score", NO_NAME),
    ("sites", "--name"): ("sites add {site}", ("", " ", "a\nb", ESC, NO_UTF8, LONG)),
    ("sites", "--weight"): ("sites add {site}", (*NO_COUNT, "11")),
    ("sites", "--delay"): ("sites add {site}", NO_NUMBER),
    ("sites", "--delay-reason"): ("sites list", ("x",)),
    ("sites", "--crawl"): ("sites suggest", NO_NAME),
    ("sites", "--toml"): ("sites list", NO_FOLDER),
    ("init", "--region"): ("init {folder}/mywatch", NO_NAME),
    ("sites", "--region"): ("sites catalogue", NO_NAME),
    ("sites", "--level"): ("sites catalogue", NO_NAME),
    ("sites", "--class"): ("sites catalogue", NO_NAME),
    ("sites", "--min-share"): ("sites suggest", (*NO_NUMBER, "1.1")),
    ("sites", "--min-articles"): ("sites suggest", NO_COUNT),
    ("sites", "--min-rate"): ("sites suggest", NO_NUMBER),
    ("topics", "--out"): ("topics train {topic} {labelled}", ("", "{folder}", "{missing}/deeper", "/dev/null/x", NO_UTF8)),
    ("topics", "--suggest"): ("topics label education", (*NO_COUNT, "1001")),
    ("topics", "--limit"): ("topics borderline education", (*NO_COUNT, "100001")),
    ("topics", "--weeks"): ("topics drift education", (*NO_COUNT, "521")),
    ("topics", "--model"): ("topics eval education {labelled}", NO_NAME),
    ("web", "--host"): ("web", ("", "0.0.0.0", "::", "192.0.2.1", "x", ESC)),
    ("web", "--port"): ("web", ("", "x", "-1", "65536", "1.5", HUGE)),
    ("web", "--name"): ("web", ("", "a b", "x/y", "a:80", ESC)),
    ("web", "--prefix"): ("web", ("news", "/a b", "//x", "/?q", ESC)),
}  # fmt: skip
OF_EVERY_COMMAND = {
    "--logfile": ("", "{folder}", "{missing}/deeper", "/dev/null/x", NO_UTF8),
    "--loglevel": ("", "nope", "-1", ESC, NO_UTF8),
    "--profile": ("", "{folder}", "{missing}/deeper", "/dev/null/x", NO_UTF8),
    "--pidfile": ("", "{folder}", "{missing}/deeper", "/dev/null/x", NO_UTF8),
    "--set": ("", "x", "=1", "TOPIC=nope", "TOPIC=", "HOLIDAYS=XX", "HOLIDAYS=x", "DATABASE_URL=", "DATABASE_URL=x",
        "DATABASE_URL=sqlite://",
              "DATABASE_URL=mysql://a/b", "DATABASE_URL=sqlite:///{folder}", "DATABASE_URL=sqlite:///{binary}", "LOG_LEVEL=x", NO_UTF8,
              "DATABASE_URL=sqlite:////dev/null/x", f"DATABASE_URL={LONG}", "DATABASE_URL=postgresql://127.0.0.1:1/none",
              "DATABASE_URL=postgresql://127.0.0.1:99999/none", "DATABASE_URL=postgresql://u:%ff@[::1/x", "REDIS_URL=x"),
}  # fmt: skip
WITHOUT_STORE = ("doctor", "dupes", "extract", "links", "score", "topics")  # their first right lines need none

# Arguments that are wrong, each as the words behind the command.
WRONG_WORDS: dict[str, Sequence[str]] = {
    "accounts": [
        "", "nope", "list x", "add", "add a b", "add {account}", "add 王芳", "remove", "remove {account}", "password", "password {account}",
        "token", "token {account}",
    ],
    "alerts": [
        "", "nope", "list x", "add", "add a", "add a --query 高考", "add a --to http://127.0.0.1:1/", "add {name} --query ( --to x",
        "add a --event 5 --source all --to http://127.0.0.1:1/", "remove", "remove {name}", "remove a b", "mute", "mute {name}",
        "mute a --for 1d --off", "test", "test {name}", "preview", "preview {name}", "preview a --query 高考", "deliveries {name}", "run x",
        "brief", "brief a", "brief a --to x", "brief a --to http://127.0.0.1:1/ --rhythm hourly", "send", "send {name}",
        "brief a --to http://127.0.0.1:1/ --query (", "add a --query 高考 --to http://127.0.0.1:1/ --rhythm 'by hand'",
    ],
    "attention": [
        "", "( --by day", "a b --by region", "高考 --by about --split site",
        "a b c d e f", "a b --split site", "高考 --json --csv", "高考 --csv -o a.csv", "高考 --by site -o a.svg",
        "a b --compare -o a.svg", "高考 --compare", "高考 --since 2020-01-01",
        "高考 --since 2026-11-02 --until 2026-11-01",
    ],
    "brief": ["x", "daily weekly", "weekly --since 2026-11-01", "--since 2026-11-02 --until 2026-11-01"],
    "changes": ["{url}", "http://a.cn/1 http://a.cn/2", "http://a.cn/never-seen"],
    "dupes": ["x", "{page}"],
    "event": ["", "x", "1 2", "0", "99999", HUGE],
    "explain": ["", "{url}", "http://a.cn/1 http://a.cn/2", "http://a.cn/never-seen"],
    "export": ["x", "--reprints", "--since 2026-12-01 --until 2026-11-01", "--site 站 教育部"],
    "extract": [
        "", "{page}", "--url http://a.cn/", "{page} {page} --url http://a.cn/", "{page} --url http://a.cn/ --batch {manifest}", "--content",
        "--revision 1", "--snapshot http://a.cn/1 {page}", "--batch {manifest} --content", "--batch {manifest} {page}",
    ],
    "forget": ["", "{url}", "http://a.cn/1 http://a.cn/2", "http://a.cn/never-seen"],
    "graph": [
        "", "nope", "rank top", "top 教育部", "top --hubs --weight", "rank --hubs", "rank --limit 5", "rank --json",
        "rank --site 站",
    ],
    "doctor": ["x", "store"],
    "health": ["x", "教育部"],
    "hot": ["", "nope", "events x", "headlines 1", "words --rebuild", "sources 高考", "terms", "terms --topic nope",
        "searches 高考", "searches --site 站"],
    "mcp": ["x"],
    "links": ["", "{page}", "--url http://a.cn/", "{page} {page} --url http://a.cn/", "{file} --url http://a.cn/"],
    "news": ["x", "3h", "1w", "2026-13-01", "2026-11-01T08:30", "0", "99999-01-01", ESC, LONG, "today yesterday"],
    "reprints": ["{url}", "http://a.cn/1 http://a.cn/2", "http://a.cn/never-seen", "--rebuild http://a.cn/1", "--rebuild --json",
        "--rebuild --limit 5"],
    "reread": ["x", "--since 2026-12-01 --until 2026-11-01"],
    "score": ["x", "{page}"],
    "search": ["", "高考 --since 2026-12-01 --until 2026-11-01"],
    "show": [
        "", "{url}", "http://a.cn/1 http://a.cn/2", "http://a.cn/never-seen", "0", "99999", HUGE, "http://a.cn/1 --html --json",
    ],
    "sites": [
        "catalogue 江苏", "catalogue --add",
        "", "nope", "list 教育部", "show", "show {name}", "show 教育部 站", "show --json 教育部", "add", "add {name}", "add {nositefile}",
        "add {site} --json", "add {site} http://b.cn/ --name x", "add {badurl}", "add {again}", "weight", "weight 教育部",
        "weight 教育部 {weight}",
        "weight {name} 5", "enable", "enable {name}", "enable 教育部 {name}", "disable", "disable {name}", "disable 教育部 {name}",
        "remove", "remove {name}", "remove 教育部 {name}", "relearn", "relearn {name}", "test", "test {name}", "test {nositefile}",
        "check", "check {name}", "check 教育部 --region 江苏", "check --catalogue --apply", "check {site} --catalogue",
        "check {nositefile}",
        "test 教育部 站", "import", "import {nositefile}", "import {site} {site}", "export", "export {nofolder}", "export - -", "suggest x",
        "suggest", "list --weight 5", "suggest --toml {nofolder}",
    ],
    "status": ["x", "高考"],
    "store": [
        "", "nope", "check x", "vacuum x", "sizes x", "backup", "backup {page}", "backup {new} {new}", "restore", "restore {page}",
        "restore {name}", "move", "move nope", "move sqlite:///x.db", "move postgresql://127.0.0.1:1/news", "prune", "prune x",
        "prune --dry-run", "archive", "archive {folder}", "archive {page} --older-than 90", "archive {missing}/deeper --older-than 90",
        "archive {folder} --dry-run", "unarchive", "unarchive {page}", "unarchive {folder}", "unarchive {missing}",
    ],
    "schedule": ["", "nope", "list x", "next x", "run x", "list --file {page}", "list --file {site}"],
    "submit": ["", "{url}", "http://a.cn/new {url}"],  # what is never fetched stands in the ledger, see test_submit.py
    "topics": [
        "", "nope", "list x", "show", "show {profile}", "show education any", "test", "test education", "test {profile} 高考", "train",
        "train {topic}",
        "train education {labelled}", "train {topic} {nolabels} --out {new}", "train {profile} {labelled} --out {new}",
        "train {topic} --labels",
        "eval", "eval education", "eval education {nolabels}", "eval {profile} {labelled}", "label", "label education",
        "label education http://a.cn/1",
        "label education http://a.cn/1 --relevant --irrelevant",
        "label education http://a.cn/1 --suggest 5", "label education {url} --relevant", "label any http://a.cn/1 --relevant",
        "label education http://a.cn/never-seen --relevant", "label education http://a.cn/1 --remove",
        "label {profile} http://a.cn/1 --relevant",
        "labels", "labels {profile}", "labels education any", "drift", "drift {profile}", "drift education any", "dictionary",
        "dictionary {profile}",
    ],
    "web": ["x", "教育部"],
}  # fmt: skip
NO_SITE_FILE = ("", "{missing}", "{empty}", "{binary}", "{page}", "{topic}", "{loop}", "{emptyfolder}", "{binary.toml}",
    "a\x1b[2Jb.toml", NO_UTF8)
BAD_URL = (*NO_URL[1:], "http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/")
CHOICES: dict[str, Sequence[str]] = {
    "url": NO_URL, "name": NO_NAME, "weight": (*NO_COUNT, "11"), "nositefile": NO_SITE_FILE, "nofolder": NO_FOLDER, "badurl": BAD_URL,
    "again": ("{moe}",), "profile": (*NO_NAME, "{missing}", "{empty}", "{binary}", "{folder}", "{page}", "{site}"),
    "nolabels": ("", "{missing}", "{empty}", "{binary}", "{folder}", "{page}", "{topic}"),
    "file": (*NO_FILE,), "account": ("", " ", "a b", "<b>", "nobody!", ESC, NO_UTF8, LONG),
}  # fmt: skip

# The wrong values of the arguments of each spider; those of strategies are told by their types.
NO_FLAG = ("2", "maybe", "-1", ESC, NO_UTF8)
NO_SEEDS = ("", " ", ",", "{missing}", "{folder}", "{empty}", "{binary}", "{page}", "http://", "ftp://a.cn/", "http://10.0.0.1/",
    "http://a.cn/x.jpg",
            "http://127.0.0.1:1/,nope", "{badseeds}", NO_UTF8)  # fmt: skip
WRONG_ARGUMENTS: dict[str, Sequence[str]] = {
    "sites": NO_SITE_FILE, "topic": (*NO_NAME[1:], "{page}", "{binary}"), "forever": NO_FLAG, "stay": NO_FLAG,
    "minutes": (*NO_NUMBER, "0"), "articles": (*NO_COUNT, "1" + "0" * 20), "pages": (*NO_COUNT, "1" + "0" * 20),
        "seconds": (*NO_NUMBER, "0"),
    "workers": (*NO_COUNT, "65"),
    "job": ("", " ", " a", "\t", ESC, NO_UTF8, LONG),
    "enough": NO_COUNT, "strategy": (*NO_NAME, "query"), "seeds": NO_SEEDS, "name": ("", " ", "a b", "../x", ESC, NO_UTF8, LONG),
    "within": ("a b", "http://a.cn/", "*.cn", ESC, NO_UTF8, LONG), "q": ("", " ", NO_UTF8, LONG),
}  # fmt: skip
KNOWN = {"education": arguments.KNOWN, "explore": explore_arguments.KNOWN, "query": query_arguments.KNOWN}


def lines(parsers: dict[str, argparse.ArgumentParser], one_in: int = 1) -> list[Line]:
    """Every generated line once; with ``one_in`` only one line in so many, always the same ones."""
    distinct_lines = dict.fromkeys([*_of_options(parsers), *_of_words(), *_of_crawls(), *_of_settings()])
    return [line for line in distinct_lines if crc32(os.fsencode(" ".join(line.words))) % one_in == 0]


def _of_options(parsers: dict[str, argparse.ArgumentParser]) -> Iterator[Line]:
    for name, parser in _of_actions(parsers):
        command = name.split()[0]
        right = next(line for line in RIGHT[command] if f"{line} ".startswith(f"{name} "))
        is_first = right == RIGHT[command][0]
        yield from (_line(f"{right} {word}") for word in ("--nope", "--nope=1", "-Z", "-9", "--json=1", "--rebuild=x", "--js"))
        yield _line(f"{right} --{ESC}")
        yield _line(right, f"--{NO_UTF8}")
        for action in parser._actions:
            if not action.option_strings or (action.option_strings[-1] in OF_EVERY_COMMAND and not is_first):
                continue
            option = action.option_strings[-1]
            if action.nargs == 0:
                yield _line(right, f"{option}=1")
                continue
            yield _line(right, option)  # its value is missing
            wrong = OF_EVERY_COMMAND.get(option)
            if option == "--set" and command in WITHOUT_STORE:
                wrong = [value for value in wrong or () if ":" not in value]
            base, values = (right, wrong) if wrong is not None else WRONG_VALUES.get((command, option), ("", None))
            if command == "crawl" and option in ("--output", "--overwrite-output"):
                base, values = right, ("x", "", "-")
            assert values is not None or option == "-a", f"say in WRONG_VALUES what is wrong for scrapy {command} {option}"
            for value in values or ():
                yield _line(base, option, value)
                if value and not value.startswith("-"):
                    yield _line(base, f"{option}={value}")


def _of_actions(parsers: dict[str, argparse.ArgumentParser]) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Each command with its parser; a command with sub-commands gives one entry for each of them."""
    for command, parser in parsers.items():
        subcommands = {f"{command} {name}": action for name, action in actions_of(parser).items()}
        yield from (subcommands or {command: parser}).items()


def _of_words() -> Iterator[Line]:
    for command, many in WRONG_WORDS.items():
        for words in many:
            for chosen in _chosen(words.split(" ") if words else []):
                yield _line(command, *chosen)


def _chosen(words: list[str]) -> Iterator[list[str]]:
    place = next((number for number, word in enumerate(words) if word.strip("{}") in CHOICES and word[0] == "{"), None)
    if place is None:
        yield words
        return
    for value in CHOICES[words[place].strip("{}")]:
        yield [*words[:place], value, *words[place + 1 :]]


def _of_crawls() -> Iterator[Line]:
    yield from (_line("crawl", *words) for words in ([], ["nope"], [""], [ESC], [NO_UTF8], [LONG], ["education", "explore"]))
    for right in RIGHT["crawl"]:
        spider = right.split()[1]
        yield from (_line(right, "-a", word) for word in ("", "x", "=1", "nope=1", f"{ESC}=1", f"{NO_UTF8}=1", f"{LONG}=1", "Topic=any"))
        for name in KNOWN[spider]:
            for value in WRONG_ARGUMENTS[name]:
                yield _line(right, "-a", f"{name}={value}")
    for kind in STRATEGIES:
        right = "crawl query -a q=高考" if kind == "query" else f"crawl explore -a strategy={kind} -a seeds=http://127.0.0.1:1/"
        for name, default in options_of(kind).items():
            yield from (_line(right, "-a", f"{name}={value}") for value in _wrong_of(default))


def _wrong_of(default: object) -> Sequence[str]:
    if isinstance(default, int):
        return ("", "x", "-1", "1.5", "nan", "inf", "1" * 5000, NO_UTF8, ESC)
    return ("", "x", "-1", "nan", "inf", ESC, NO_UTF8) if isinstance(default, float) else ("", "nope", ESC, NO_UTF8)


def _of_settings() -> Iterator[Line]:
    """Values that a setting cannot have, in a command that does not use it."""
    for name in fields():
        for value in ("", "x", "-1", "1.5", "nan", "inf", "1e400", HUGE, "a b", "[", ESC, LONG):
            if not _is_allowed(name, value):
                yield _line("export", "-s", f"{name}={value}")
    for setting in (
        "JOBDIR=/dev/null/x", "JOBDIR={full}/deeper", 'FEEDS={"/dev/null/a.json": {"format": "json"}}',
        'FEEDS={"file://[/a.json": {"format": "json"}}',
    ):  # fmt: skip
        yield _line("crawl education -a sites={site}", "-s", setting)
    for setting in ("JOBDIR={folder}/job", "METRICS_FOLDER={folder}", 'FEEDS={"a.json": {"format": "json"}}'):
        yield _line("crawl education -a sites={site} -a workers=2", "-s", setting)
    feeds = ('["a"]', "x", '{"a.jsonl": 5}', '{"a.jsonl": {}}', '{"a.jsonl": {"format": "nope"}}')
    numbers = ("CLOSESPIDER_PAGECOUNT=abc", "CLOSESPIDER_ITEMCOUNT=1.5", "DEPTH_LIMIT=x", "LOG_COLOR=perhaps")
    for setting in (*(f"FEEDS={feed}" for feed in feeds), *numbers):
        yield _line("crawl education -a sites={site}", "-s", setting)


def _is_allowed(name: str, value: str) -> bool:
    try:
        check_settings(BaseSettings({name: value}))
    except UsageError:
        return False
    return True


def _line(right: str, *words: str, stdin: bytes = b"") -> Line:
    """The right words and what is added to them; ``extract`` reports an unreadable FILE in its answer."""
    every = (*right.split(), *words)
    answers = every[0] == "extract" and len(every) > 1 and every[1] in ("{missing}", "{folder}")
    return Line(every, answers, stdin)


def files(folder: Path) -> dict[str, str]:
    """The files that the lines name, by the names they have there."""
    texts: dict[str, str | bytes] = {
        "page": "<title>高考</title><p>教育部发布高考改革方案。", "empty": "", "binary": bytes(range(256)) * 8,
        "binary.toml": b"\xff\xfe\0" * 9,
        "manifest": json.dumps({"path": str(folder / "page"), "url": "http://a.cn/1"}), "full": "a file",
        "site": 'name = "某站"\nhome = "http://127.0.0.1:1/"\nweight = 3\nmedia_class = "official"\n'
                '[[channels]]\nname = "首页"\nurl = "http://127.0.0.1:1/"\n',
        "moe": 'name = "教育部"\nhome = "http://127.0.0.1:1/"\nweight = 3\nmedia_class = "official"\n'
               '[[channels]]\nname = "首页"\nurl = "http://127.0.0.1:1/"\n',
        "topic": 'name = "t"\n[[terms]]\nword = "高考"\nweight = 1\n', "badseeds": "http://127.0.0.1:1/ 99\n",
        "schedule": '[[jobs]]\nname = "hourly"\ncron = "5 * * * *"\n',
        "labelled": "\n".join(json.dumps({"title": f"高考{n}", "text": "", "relevant": n % 2 == 0}) for n in range(4)),
    }  # fmt: skip
    named = {}
    for name, content in texts.items():
        path = folder / (f"{name}.toml" if name in ("site", "moe", "topic") else name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        named[name] = str(path)
    for name in ("folder", "emptyfolder"):
        (folder / name).mkdir()
        named[name] = str(folder / name)
    (folder / "folder" / "inside").write_text("x")
    (folder / "loop").symlink_to(folder / "loop")
    return named | {"missing": str(folder / "missing"), "new": str(folder / "new.bin"), "loop": str(folder / "loop")}


def placed(line: Line, named: dict[str, str]) -> Line:
    """The line with the paths of its files."""
    words = [reduce(lambda word, name: word.replace(f"{{{name}}}", named[name]), named, word) for word in line.words]
    return replace(line, words=tuple(words))
