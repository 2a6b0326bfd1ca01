"""Which markup faults are reported, which are not, and that reading any page takes time proportional to its length."""

import time

from hypothesis import given
from hypothesis import strategies as st

from newsspider.features.explore.rules.markup_faults import FaultKind, markup_faults
from tests.support.tables import each


@each(
    ("markup", "faults"),
    [
        ("<title>好</title><h1>标题</h1><p>一段<br>没有结束标签也可以<a name=x>锚</a>", []),
        ("<title>A</title><img alt='it''s' src=a.gif><a title=\"it's\" href=b>c</a>", []),
        ("<p>text", [("no_title", "title", 1)]),
        ("<title>A</title>\n<h2>B\n<p>C", [("not_ended", "h2", 2)]),
        ("<title>A</title>\n</h3>", [("not_started", "h3", 2)]),
        ("<title>A</title><a href=b>c <a href=d>e</a>", [("anchor_in_anchor", "a", 1)]),
        ("<title>A</title><p\n<b>c</b>", [("tag_open", "p", 1)]),
        ("<title>A</title>\n\n<a href=\"b>c</a>", [("quote_open", "a", 3)]),
        ("<title>A</title><!-- <h1> --><script>if (a</h1>b) '<a>'</script>", []),
        ("<title>A</title>\n<!-- <h1>", [("comment_open", "!--", 2)]),
        ("<title>A</title><script>var a", [("comment_open", "script", 1)]),
        ("<TITLE>A</TITLE><H1>B</h1>", []),
    ],
)  # fmt: skip
def test_markup_faults_are_reported_with_their_line(markup: str, faults: list[tuple[str, str, int]]) -> None:
    assert [(fault.fault, fault.tag, fault.line) for fault in markup_faults(markup)] == faults


def test_only_the_first_faults_are_reported() -> None:
    assert len(markup_faults("</a>" * 100)) == 20


@given(st.text("<>!-/ahscriptle1\"'=\n ", max_size=200))
def test_any_text_has_faults_in_page_order(markup: str) -> None:
    faults = markup_faults(markup)
    lines = [fault.line for fault in faults]
    assert lines == sorted(lines)
    assert all(1 <= line <= markup.count("\n") + 1 for line in lines)
    assert [fault.fault for fault in faults].count(FaultKind.COMMENT_OPEN) <= 1


@each("piece", ["<", "<a ", "<!--", "<script>", "</a", "<a '", "<title>", "\n<"])
def test_the_time_grows_with_the_length_and_no_more(piece: str) -> None:
    began = time.process_time()
    markup_faults(piece * 200_000)
    assert time.process_time() - began < 2.0
