"""Query crawls on the loopback address: from the index's best answers to better ones."""

import subprocess
from pathlib import Path

import pytest

from newsspider.core.text.terminal_columns import column_count
from tests.support.explore_crawls import QUICK, explore
from tests.support.portal import exported, rows, scrapy
from tests.support.webs import Web

VOCATIONAL = "第{n}所职业学校与企业合作，学徒在车间里学习数控机床，职业教育的改革从课堂走进了工厂。"
NAMES = {"v": "职业教育改革", "s": "职业学校", "o": "足球比赛"}


def query(database: Path, *more: str) -> subprocess.CompletedProcess[str]:
    done = scrapy(database, "crawl", "query", *more, *QUICK)
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return done


def vocational() -> Web:
    """``v`` pages answer the question, ``o`` pages do not; anchors are named after the pages."""
    web = Web()
    for name, links in {"v1": "o1 v2 v3", "v2": "o2 v4", "v3": "v5", "v4": "", "v5": "", "o1": "v6", "o2": "", "v6": ""}.items():
        title = f"职业教育改革走进第{name[1:]}所学校" if name[0] == "v" else f"足球比赛第{name[1:]}场的结果"
        say = VOCATIONAL if name[0] == "v" else "第{n}场足球比赛昨晚结束，主队以三比一取胜，球迷在体育场外庆祝到深夜。"
        text = "".join(f"<p>{say.format(n=f'{name}之{line}')}</p>" for line in range(8))
        items = "".join(f'<li><a href="/{link}">{NAMES[link[0]]}</a></li>' for link in links.split())
        head = f"<html><head><meta charset=utf-8><title>{title}</title></head>"
        web.add(f"/{name}", f"{head}<body><h1>{title}</h1>{text}<ul>{items}</ul></body></html>")
    return web


def test_a_question_is_followed_from_the_best_answers_until_nothing_resembles_it(tmp_path: Path) -> None:
    with vocational().served("127.0.0.95") as (base, visits):
        database = tmp_path / "n.db"
        assert explore(database, "breadth-first", f"{base}/v1", "-a", "pages=1") == 4
        visits.paths.clear()
        done = query(database, "-a", "q=职业教育 改革")
        assert done.returncode == 0, done.stderr[-2000:]
        visited = visits.names().split()  # not the answer that the index has, nor what only the football leads to
        assert [set(visited[:2]), set(visited[2:])] == [{"v2", "v3"}, {"v4", "v5"}]
        answers = [line for line in done.stdout.splitlines() if line[:1].isdigit()]
        assert len(answers) == 5
        assert answers[0].startswith("1. 0.")
        scores = [float(line.split()[1]) for line in answers]
        assert scores == sorted(scores, reverse=True)
        assert all(column_count(line) <= 80 for line in done.stdout.splitlines() if "http" not in line)
        assert len(exported(database)) == 5, "each new page is indexed"
        again = query(database, "-a", "q=职业教育 改革")
        assert (again.returncode, again.stdout) == (0, done.stdout)
        assert len(visits.paths) == 4


def test_a_query_ends_with_enough_answers_or_at_its_limits(tmp_path: Path) -> None:
    with vocational().served("127.0.0.96") as (base, visits):
        seeds = ("-a", f"seeds={base}/v1", "-a", "q=职业教育")
        done = query(tmp_path / "n.db", *seeds, "-a", "enough=2")
        assert done.returncode == 0
        assert done.stdout.count("  http://") == 2
        assert visits.names() == "v1 v2"
        assert query(tmp_path / "n.db", *seeds, "-a", "pages=1").returncode == 4
        assert query(tmp_path / "n.db", *seeds, "-a", "seconds=0.001").returncode == 5
        assert len(visits.paths) in (3, 4), "what was claimed before the limit"


def test_an_index_without_an_answer_says_so(tmp_path: Path) -> None:
    done = query(tmp_path / "n.db", "-a", "q=职业教育")
    assert (done.returncode, done.stdout) == (7, "")
    assert "no result to start from" in done.stderr


def test_articles_stay_with_the_crawl_that_stored_them_first(tmp_path: Path) -> None:
    web = vocational()
    with web.served("127.0.0.97") as (base, _):
        database = tmp_path / "n.db"
        assert explore(database, "breadth-first", f"{base}/v1", "-a", "pages=2", "-a", "topic=any", "-a", "name=first") == 4
        articles_before = rows(database, "SELECT url, site, topic FROM articles ORDER BY id")
        assert explore(database, "breadth-first", f"{base}/v1", "-a", "name=second") == 0
        assert rows(database, "SELECT url, site, topic FROM articles ORDER BY id")[: len(articles_before)] == articles_before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "say what to look for"),
        (("q= ",), "say what to look for"),
        (("q=高考", "enough=0"), "-a enough=0: say a whole number from 1 to 1000000000"),
        (("q=高考", "second=3"), "there are q, enough, seconds, pages, seeds, job, resembling, depth"),
        (("q=高考", "resembling=x"), "-a resembling=x: say a number from 0 to 1000000000"),
        (("q=高考", "seconds=x"), "-a seconds=x: say a number above 0 and at most 1000000000"),
        (("q=高考", "depth=x"), "-a depth=x: say a whole number from 0 to 32767"),
    ],
)
def test_wrong_use_is_refused_with_one_sentence(tmp_path: Path, arguments: tuple[str, ...], expected: str) -> None:
    done = scrapy(tmp_path / "n.db", "crawl", "query", *[word for argument in arguments for word in ("-a", argument)])
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr.splitlines()[-1]
