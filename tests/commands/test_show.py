"""``scrapy show``."""

import json
import re
import sys
from datetime import UTC, datetime

import pytest

from newsspider.core.text.terminal_columns import column_count
from newsspider.store.engine.database import open_store
from tests.support.commands import FIRST, LIST, SECOND, WAITING, database, scrapy
from tests.support.samples import lease_on, save_article
from tests.support.stories import STORY, day, save

__all__ = ["database", "scrapy"]

COPY, THREAD = "http://d.cn/1", "http://t.cn/1"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def copied(database):
    """The same store with a text, its near reprint, and a thread."""
    engine = open_store(database)
    with engine.begin() as conn:
        save(conn, "http://c.cn/1", STORY, title="阳光招生", site="甲报", published_at=day(1))
        save(
            conn, COPY, STORY[1:], title="阳光招生", site="乙网", source="甲报", published_at=day(2), authors=(),
            attachments=("http://d.cn/a.pdf",),
        )  # fmt: skip
        save_article(
            conn, THREAD, f"楼主\n{SCRIPT}", title=f"{SCRIPT}帖子 & 回复", comments=("一楼", "二楼\n续"), images=(),
            attachments=("javascript:alert(1)",),
        )  # fmt: skip
    engine.dispose()


def test_an_article_is_printed_with_what_is_known_of_it(scrapy, copied):
    ran = scrapy("show", COPY)
    assert (ran.code, ran.err) == (0, "")
    head, *text = ran.out.split("\n\n")
    assert head.splitlines() == [
        "阳光招生",
        "  source       甲报 (site: 乙网, trade)",
        "  author       -",
        "  published    2026-11-02 16:00+08:00",
        "  crawled      2026-11-02 08:00+08:00",
        "  topic        education, score 0.80",
        "  sub-topics   高考, 中小学",
        "  reprints     1",
        "  first source 甲报, 2026-11-01 16:00+08:00",
        "               http://c.cn/1",
        f"  URL          {COPY}",
        "  attachment   http://d.cn/a.pdf",
    ]
    assert [part.replace("\n", "") for part in text] == STORY[1:]
    assert all(column_count(line) <= 80 for line in ran.out.splitlines())


def test_the_first_of_the_pages_with_its_text_is_named(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        save(conn, "http://c.cn/1", STORY, title="阳光招生", site="甲报", published_at=day(2))
        save(conn, "http://e.cn/1", STORY, title="阳光招生", site="丙报", published_at=day(1))
    engine.dispose()
    head = scrapy("show", "http://c.cn/1").out.split("\n\n")[0].splitlines()
    assert head[-4:] == [
        "  first source 丙报, 2026-11-01 16:00+08:00",
        "               http://e.cn/1",
        "  URL          http://c.cn/1",
        "  also at      http://e.cn/1",
    ]


def test_a_long_title_and_text_are_wrapped(scrapy):
    lines = scrapy("show", FIRST).out.splitlines()
    assert [lines[0], lines[1]] == ["高考改革方案发布" * 5, "高考改革方案发布" * 3]
    assert max(map(column_count, lines)) == 80
    assert not [line for line in lines if line.startswith("。")]


def test_the_id_of_the_export_names_an_article_too(scrapy):
    records = [json.loads(line) for line in scrapy("export").out.splitlines()]
    assert scrapy("show", str(records[1]["id"])).out == scrapy("show", SECOND).out


def test_json_is_the_record_of_the_export(scrapy):
    assert scrapy("show", FIRST, "--json").out == scrapy("export").out.splitlines(keepends=True)[0]


def test_replies_of_a_thread_have_their_numbers(scrapy, copied):
    assert scrapy("show", THREAD).out.endswith("\n\n[1] 一楼\n\n[2] 二楼\n\n续\n")


def test_html_is_escaped_and_loads_nothing(scrapy, copied):
    page = scrapy("show", THREAD, "--html").out
    assert "<title>&lt;script&gt;alert(1)&lt;/script&gt;帖子 &amp; 回复</title>" in page
    assert "<p>&lt;script&gt;" in page
    assert "<script" not in page
    assert not re.search(r"<(?:img|link|iframe|object)\b|\bsrc=|url\(|@import", page)
    assert set(re.findall(r'href="([^:"]*):', page)) == {"http"}  # no javascript:


def test_a_terminal_gets_it_through_its_pager_and_a_pipe_does_not(scrapy, monkeypatch, tmp_path):
    monkeypatch.setenv("PAGER", f"cat > {tmp_path}/paged")
    text = scrapy("show", FIRST).out
    assert not (tmp_path / "paged").exists()
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    assert scrapy("show", FIRST).out == ""
    assert (tmp_path / "paged").read_text("utf-8") == text
    for pager in ("", "/nowhere/pager"):
        monkeypatch.setenv("PAGER", pager)
        assert scrapy("show", FIRST).out == text


def test_a_vanished_or_unindexed_article_can_be_read(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        save_article(conn, "http://n.cn/1", "不要收录。", published_at=None, noindex=True, modified_at=datetime(2026, 11, 2, tzinfo=UTC))
    engine.dispose()
    ran = scrapy("show", "http://n.cn/1")
    assert "published    unknown\n  modified     2026-11-02 08:00+08:00\n" in ran.out


def test_a_shown_command_can_be_pasted(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        lease_on(conn, "http://n.cn/?a=1&b=2")
    engine.dispose()
    assert scrapy("show", "http://n.cn/?a=1&b=2").err.endswith("; see scrapy explain 'http://n.cn/?a=1&b=2'\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "say one URL, or the id of an article: scrapy show URL|ID"),
        ((FIRST, SECOND), "say one URL"),
        (("高考",), "neither an http or https URL nor the id of an article"),
        (("http://a.cn/never-seen",), "http://a.cn/never-seen is not known"),
        ((WAITING,), f": waiting to be fetched, it was found and has not been fetched yet; see scrapy explain {WAITING}"),
        ((LIST,), f"done, it was read as a list of links; see scrapy explain {LIST}"),
        (("99",), "no article has the id 99"),
        (("9" * 400,), "no article has the id"),
        ((FIRST, "--html", "--json"), "say one of them"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_sentence_and_exit_code_2(scrapy, words, sentence):
    ran = scrapy("show", *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err
