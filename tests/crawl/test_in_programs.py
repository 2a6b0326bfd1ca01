"""The examples of docs/how-to/run-in-a-program.md, run as they stand there, and what is refused with their lines."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.portal import environment
from tests.support.serving import Answer, article, listing, served, site

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "run-in-a-program.md"
SCRIPT, RUNNING_LOOP, NOTEBOOK = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
TITLES = ["学校教育改革座谈会第1场举行", "学校教育改革座谈会第2场举行"]
AS_JUPYTER = """
import ast, asyncio, inspect, re, sys

async def cells():
    names = {}
    for cell in re.split(r"^# %%.*$", sys.stdin.read(), flags=re.MULTILINE) * TIMES:
        result = eval(compile(cell, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.iscoroutine(result):
            await result

asyncio.run(cells())
"""


def play(path: str, _: int) -> Answer:
    if path == "/list.html":
        return listing(1, 2)
    number = path.rpartition("/")[2].removesuffix(".html")
    return article(int(number) - 10000) if number.isdecimal() else (404, "", {})


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with served("127.0.0.224", play) as (base, _):
        site(tmp_path, base, {"/list.html": 5}).rename(tmp_path / "example.toml")
        yield tmp_path


def run(folder: Path, program: str, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A program in a folder of its own, as a user's."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=folder, env=environment(folder / "unused.db"), input=stdin,
        capture_output=True, text=True, encoding="utf-8", timeout=240, check=False,
    )  # fmt: skip


def titles(folder: Path) -> list[str]:
    done = run(folder, "from newsspider import Store\nfor record in Store('news.db').articles(): print(record['title'])")
    return sorted(done.stdout.splitlines())


@pytest.mark.parametrize("program", [SCRIPT, SCRIPT.replace("AsyncCrawlerProcess", "CrawlerProcess"), RUNNING_LOOP])
def test_a_crawl_runs_in_a_program(folder: Path, program: str) -> None:
    done = run(folder, program)
    assert done.stdout == "finished\n", done.stderr[-3000:]
    assert titles(folder) == TITLES


def test_a_crawl_runs_in_the_cells_of_a_notebook_and_again(folder: Path) -> None:
    done = run(folder, AS_JUPYTER.replace("TIMES", "2"), stdin=NOTEBOOK)
    assert sorted(done.stdout.splitlines()) == sorted(TITLES * 2), done.stderr[-3000:]


def test_several_spiders_run_side_by_side_in_a_running_loop(folder: Path) -> None:
    one = '    await runner.crawl(crawler, sites="example.toml", topic="any")\n'
    query = 'runner.crawl("query", q="教育改革", pages="3")'
    assert one in RUNNING_LOOP
    both = RUNNING_LOOP.replace(one, f'    await asyncio.gather({one.strip().removeprefix("await ")}, {query})\n')
    done = run(folder, both)
    assert done.stdout.splitlines()[-1] == "finished", done.stderr[-3000:]
    assert titles(folder) == TITLES


IN_LOOP = "\nasync def main():\n{}\nasyncio.run(main())\n"


@pytest.mark.parametrize("process", ["AsyncCrawlerProcess", "CrawlerProcess"])
@pytest.mark.parametrize("spider", ["'education'", "EducationSpider"])
def test_a_process_in_a_running_loop_is_refused_with_the_lines_that_work(folder: Path, process: str, spider: str) -> None:
    script = SCRIPT.replace("AsyncCrawlerProcess", process).replace('"education"', spider)
    head, _, crawl = script.partition("\nprocess = ")
    body = "".join(f"    {line}\n" for line in f"process = {crawl}".splitlines())
    imports = "import asyncio\nfrom newsspider.spiders.education import EducationSpider\n"
    done = run(folder, imports + head + IN_LOOP.format(body))
    assert done.returncode == 1
    message = done.stderr.splitlines()[-1]
    assert "an event loop runs here already" in message
    for line in ("install_reactor(", "reactor.startRunning(installSignalHandlers=False)", "await AsyncCrawlerRunner(settings).crawl("):
        assert line in message
        assert line in RUNNING_LOOP + NOTEBOOK
    assert not (folder / "news.db").exists()


REFUSED = """
from scrapy.crawler import AsyncCrawlerProcess
try:
    AsyncCrawlerProcess(settings).crawl("education")
except Exception as error:
    print(error)

"""


def test_after_a_refused_process_the_lines_work(folder: Path) -> None:
    cells = NOTEBOOK.replace("\ninstall_reactor(", f"{REFUSED}install_reactor(")
    done = run(folder, AS_JUPYTER.replace("TIMES", "1"), stdin=cells)
    first, *others = done.stdout.splitlines()
    assert "an event loop runs here already" in first
    assert sorted(others) == TITLES, done.stderr[-3000:]
