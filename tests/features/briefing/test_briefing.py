"""Briefings: of a month whose events are known, and as people ask for them."""

import json
import re
from itertools import pairwise
from pathlib import Path
from shutil import which

import pytest
from lxml import html

from bench.analysis import store
from bench.briefings import measure
from bench.event_stream import START_SECONDS, stream
from newsspider.core.text.terminal_columns import column_count
from newsspider.store.engine.database import open_store
from tests.support.commands import database, scrapy

__all__ = ["database", "scrapy"]

UNTIL = ("--until", "2026-09-03")


def test_a_month_of_briefings_tells_what_happened_once_in_sentences_of_its_articles(database: str) -> None:
    measured = measure(open_store(database), stream(days=30, happenings_a_day=3, noise_a_day=10, seed=7), 30)
    assert (measured.repeated, measured.foreign) == ([], [])
    assert len(measured.lacking) <= 2


@pytest.fixture
def newsy(database: str) -> None:
    store(open_store(database), stream(days=3, noise_a_day=5, seed=2).pages)


def test_it_is_printed_in_80_columns_and_written_in_each_format(scrapy, newsy, tmp_path: Path) -> None:
    ran = scrapy("brief", *UNTIL)
    assert (ran.code, [line for line in ran.out.splitlines() if column_count(line) > 80]) == (0, [])
    files = [str(tmp_path / f"b.{suffix}") for suffix in ("json", "html", "md", "txt")]
    assert scrapy("brief", *UNTIL, *(word for name in files for word in ("-o", name))).code == 0
    record, page, *texts = (Path(name).read_text("utf-8") for name in files)
    headlines = json.loads(record)["headlines"]
    links = [link.get("href") for link in html.fromstring(page).cssselect("a")]
    assert len(headlines) == 10
    assert all(item["url"] in links and all(item["url"] in written for written in texts) for item in headlines)


def test_the_next_one_begins_where_the_last_ended_and_one_made_again_replaces_it(scrapy, newsy, database, tmp_path) -> None:
    def brief(until: str, *words: str) -> dict:
        assert scrapy("brief", *words, "--until", until, "-o", str(tmp_path / "b.json")).code == 0
        return json.loads((tmp_path / "b.json").read_text("utf-8")) | {"made_at": ""}

    first = brief("2026-09-01T12:00", "--limit", "99")
    assert brief("2026-09-01T12:00", "--limit", "99") == first
    late = {"title": "晚到的通报", "text": "某校的通报晚到。", "published": START_SECONDS}  # it states only the day
    page = stream(days=1, seed=2).pages[0]._replace(url="http://a.cn/late", crawled=START_SECONDS + 90_000, **late)
    store(open_store(database), [page])
    second = brief("2026-09-02T18:00", "--limit", "99")
    assert "晚到的通报" in [item["title"] for item in second["headlines"]]
    assert (second["number"], second["since"], second["last"]) == (2, first["until"], first["until"])
    assert brief("2026-09-02T18:00", "--region", "江苏")["number"] == 1
    special = brief("2026-09-02T18:00", "--since", "2026-09-01", "--query", "学校")
    assert (special["kind"], special["last"], special["grown_events"]) == ("special", "", 0)


def test_a_template_of_ones_own_is_used_or_named_with_its_fault(scrapy, newsy, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("{% for item in briefing.headlines %}{{ item.article }},{% endfor %}", "utf-8")
    assert scrapy("brief", *UNTIL, "--template", str(own)).out.count(",") == 10
    own.write_text("\n{{ briefing.nothing }}", "utf-8")
    ran = scrapy("brief", *UNTIL, "--template", str(own))
    assert (ran.code, "nothing" in ran.err) == (2, True)


def test_a_document_for_offices_has_title_issue_contents_links_and_page_numbers(scrapy, newsy, tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    file, again = str(tmp_path / "b.docx"), str(tmp_path / "again.docx")
    assert scrapy("brief", *UNTIL, "-o", file).code == 0
    document = docx.Document(file)
    lines = [paragraph.text for paragraph in document.paragraphs]
    assert lines[:2] == ["每日简报", "2026年第1期"]
    assert lines.count("一、要闻") == 2  # in the contents, too
    linked = [link.address for paragraph in document.paragraphs for link in paragraph.hyperlinks]
    assert len([address for address in linked if address.startswith("http")]) >= 10
    assert "PAGE" in document.sections[0].footer._element.xml
    before_facts = [one for one, facts in pairwise(document.paragraphs) if re.search("，编号[0-9]+$", facts.text)]
    assert before_facts
    assert all(one.paragraph_format.keep_with_next for one in before_facts)
    assert "tblHeader" in document.tables[0].rows[0]._tr.xml
    assert scrapy("brief", *UNTIL, "--template", file, "-o", again).code == 0
    assert len(docx.Document(again).paragraphs) > len(lines)
    (tmp_path / "no.docx").write_text("x", "utf-8")
    assert scrapy("brief", *UNTIL, "--template", str(tmp_path / "no.docx"), "-o", again).code == 2


def test_a_pdf_is_printed_where_there_is_a_browser(scrapy, newsy, tmp_path: Path) -> None:
    file = tmp_path / "b.pdf"
    ran = scrapy("brief", *UNTIL, "-o", str(file), "-s", "BROWSER=no-such-browser")
    assert (ran.code, "install Chromium" in ran.err, file.exists()) == (1, True, False)
    if which("chromium"):
        assert scrapy("brief", *UNTIL, "-o", str(file)).code == 0
        assert file.read_bytes()[:5] == b"%PDF-"
