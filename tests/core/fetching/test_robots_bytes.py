"""A robots.txt in any encoding and of any length, and bytes that are no robots.txt."""

import codecs

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.fetching.robots import READ_BYTES
from tests.support.robots import AGENT, allowed, read
from tests.support.tables import each

TEXT = "User-agent: *\nDisallow: /教"


@each(
    "body",
    [
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode().replace(b"\n", b"\0\n"),
    ],
)
def test_byte_order_marks_utf_16_and_nul_survive(body):
    assert not allowed(body, "/%E6%95%99")
    assert allowed(body, "/a")


@each("rule", ["/教".encode("gbk"), b"/%BD%CC", b"/%bd%cc"])
def test_paths_in_gbk_are_told_apart(rule):
    text = b"User-agent: *\nDisallow: " + rule
    assert not allowed(text, "/%BD%CC/1")
    assert allowed(text, "/%D3%FD/1")


def test_500_kib_are_read_and_no_half_rule_is_believed():
    start = "User-agent: *\nDisallow: /a\n"
    filler = "#" * (READ_BYTES - len(start) - len("\nAllow: /") - 1) + "\n"
    text = start + filler + "Allow: /a/deep\nDisallow: /late\n"
    assert len((start + filler + "Allow: /").encode()) == READ_BYTES - 1
    assert not allowed(text, "/a/deep")  # "Allow: /a" at the edge would be as long as the Disallow
    assert allowed(text, "/late")


@given(st.binary(max_size=300), st.text(max_size=20))
def test_no_bytes_break_the_reader(body, path):
    robots = read(body)
    assert robots.allowed(f"http://example.cn/{path}", AGENT) in (True, False)
    assert (robots.crawl_delay(AGENT) or 0) >= 0


def test_garbage_allows_all():
    assert allowed(bytes(range(256)) * 40, "/a")
