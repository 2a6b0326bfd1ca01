"""Errors in the language of the page."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from time import process_time

import pytest
from fastapi.testclient import TestClient

import newsspider
from newsspider.features.console.access import COOKIE, form_token
from newsspider.features.console.translation import VALUE, localise_message
from newsspider.features.console.view import form_sentence
from tests.support.docs import ROOT
from tests.support.tables import each

SENTENCES = ROOT / "newsspider/features/console/texts/sentences.tsv"

PACKAGE = Path(newsspider.__file__).parent
SHOWN = (
    "features/console/*.py", "features/console/pages/*.py", "features/events/pages.py", "actions/*.py",
    "features/attention/*.py", "features/attention/rules/*.py", "features/briefing/pages.py",
    "features/alerts/new_alert.py", "features/alerts/[!a]*.py", "core/query/*.py",
    "sites/field_types.py", "sites/loader.py", "sites/opml.py", "features/console/site_edits.py", "pages/site_trial.py",
    "core/extraction/dom/page.py", "core/links/script_lists.py",
)  # fmt: skip
VALUES_ALONE = {"{} {}", "{}: {}", "to: {}", "{} {}: say {}", "HTTP {}{}{}", "{} {}: a name has 1 to {} printable characters"}
CHINESE = re.compile("[一-鿿]")
SKIPPED = {"code", "details", "textarea"}
ENGLISH = re.compile(r"[a-z]+ [a-z]+ [a-z]+")  # three words; names of fields have commas between them


def refusals(file: Path) -> Iterator[str]:
    """The sentences with which a module refuses something or says why it failed; {} is a value."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        call = node.exc if isinstance(node, ast.Raise) else node
        if isinstance(call, ast.Call) and (isinstance(node, ast.Raise) or getattr(call.func, "id", "") == "Outcome"):
            for argument in call.args:
                parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
                if " " in text:
                    yield form_sentence(text)


def test_every_error_that_may_reach_a_page_has_its_chinese() -> None:
    files = [file for pattern in SHOWN for file in sorted(PACKAGE.glob(pattern)) if file.name != "account_changes.py"]
    templates = {text for file in files for text in refusals(file)} - VALUES_ALONE
    assert len(templates) > 120
    assert [text for text in sorted(templates) if not CHINESE.search(localise_message(text.replace("{}", "7"), "zh"))] == []
    assert [text for text in sorted(templates) if localise_message(text, "en") != text] == []


def test_every_error_of_a_profile_has_its_chinese() -> None:
    """What the draft of a topic shows: the file and the key stand before it."""
    reasons = set(refusals(PACKAGE / "topics" / "profile_reader.py")) - VALUES_ALONE
    assert len(reasons) > 20
    messages = [f"mine.toml: terms.x: {reason.replace('{}', '7')}" for reason in sorted(reasons)]
    assert [text for text in messages if ENGLISH.search(localise_message(text, "zh"))] == []


def test_every_sentence_takes_the_values_that_it_has() -> None:
    lines = [line for line in SENTENCES.read_text("utf-8").splitlines() if not line.startswith("#")]
    for line in lines:
        english, chinese = line.split("\t")
        assert CHINESE.search(chinese) or chinese.startswith("{"), line
        chinese.format(*VALUE.findall(english))
    assert len({line.split("\t")[0] for line in lines}) == len(lines)


@each("length", [900, 100_000])
def test_no_sentence_that_somebody_made_up_takes_long(length: int) -> None:
    english = [line.split("\t")[0] for line in SENTENCES.read_text("utf-8").splitlines()]
    parts = {part for sentence in english for part in VALUE.split(sentence)} - {""}
    began = process_time()
    for part in parts:
        localise_message(part * (length // len(part)), "zh")
    assert process_time() - began < 10  # of one second


def test_a_value_of_a_request_is_cut_on_the_page_that_refuses_it(console: TestClient) -> None:
    began = process_time()
    page = console.get("/", params={"day": ".toml: " * 570})
    assert process_time() - began < 5
    assert page.status_code == 404
    assert "这一天没有文章" in page.text
    assert ".toml: " * 10 not in _Words(page.text).text


class _Words(HTMLParser):
    """The text of the main part of a page, without what stands in fields, code and folded help."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.text = ""
        self.feed(html.partition("<main")[2].partition("</main>")[0])

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in SKIPPED:
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in SKIPPED:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.text += data


def test_why_an_answer_was_cut_off_is_said_in_chinese() -> None:
    assert localise_message("gzip: the packed data ends too early", "zh") == "gzip：压缩的数据没有传完"


ERRORS = [
    ("GET", "/nothing", {}),
    ("GET", "/articles/99", {}),
    ("GET", "/events/99", {}),
    ("GET", "/sites/nobody", {}),
    ("GET", "/topics/nobody", {}),
    ("GET", "/collections/99", {}),
    ("GET", "/alerts/99", {}),
    ("GET", "/?day=junk", {}),
    ("GET", "/search?q=titel:高考", {}),
    ("GET", "/search?q=since:junk", {}),
    ("GET", "/search?q=高考 NEAR 改革", {}),
    ("POST", "/submit", {"url": "http://10.0.0.1/"}),
    ("POST", "/submit", {"url": "http://10.0.0.1/", "how": "watch"}),
    ("POST", "/submit", {"url": "junk"}),
    ("POST", "/sites/try", {"url": "http://10.0.0.1/"}),
    ("POST", "/sites/change", {"name": "教育部", "change": "weight", "value": "99"}),
    ("POST", "/url/forget", {"url": "http://never.cn/"}),
    ("POST", "/collections", {"name": "", "query": "高考"}),
    ("POST", "/alerts", {"name": "高考", "query": "(高考", "to": "https://example.cn/hook"}),
    ("POST", "/alerts", {"name": "高考", "query": "高考", "to": "junk"}),
    ("POST", "/alerts", {"name": "高考", "query": "高考", "quiet": "junk", "to": "https://example.cn/hook"}),
    ("POST", "/alerts", {"name": "高考", "kind": "source", "source": "nobody", "to": "https://example.cn/hook"}),
    ("POST", "/alerts", {"name": "高考", "kind": "event", "event": "x", "to": "https://example.cn/hook"}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "fields"), ERRORS)
def test_a_page_in_chinese_has_no_english_sentence(
    console: TestClient, method: str, path: str, fields: dict[str, str]
) -> None:  # fmt: skip
    console.get("/alerts")  # whose form makes the browser known
    fields = {**fields, "form_token": form_token(console.cookies[COOKIE])} if method == "POST" else {}
    answer = console.request(method, path, data=fields)
    assert answer.status_code in {400, 404, 409}, answer.text
    words = _Words(answer.text).text
    assert CHINESE.search(words), answer.text
    assert ENGLISH.findall(words) == []
