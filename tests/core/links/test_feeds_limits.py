"""A feed or a sitemap of any shape is read in little memory, and omissions are reported."""

import gc
import gzip
import subprocess
import sys
import weakref
import zlib
from collections.abc import Callable

import pytest

from newsspider.core.links.feeds import (
    LONGEST_TITLE,
    MOST_ENTRIES,
    MOST_URLS,
    Entries,
    read_document,
    read_feed,
    read_sitemap,
)
from newsspider.core.links.xml_stream import read_xml
from newsspider.core.model import PageType
from tests.support.memory import peak_mb
from tests.support.tables import each

URL = "http://www.example.edu.cn/rss.xml"
MEGABYTES = 60  # over what the process had before
SECONDS = 60
HEAD, END = b"<rss><channel>", b"</channel></rss>"
ITEM = b"<item><title>t</title><link>http://a.cn/1</link></item>"
SIZE = 8 * 1024 * 1024


def packed(part: bytes, times: int, head: bytes = HEAD, end: bytes = END) -> bytes:
    """A gzip file of ``head``, a part repeated ``times`` times, and ``end``."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    block = part * max(1, 1_000_000 // len(part))
    pieces = [packer.compress(head), *(packer.compress(block) for _ in range(times * len(part) // len(block))), packer.compress(end)]
    return b"".join([*pieces, packer.flush()])


def entry(number: int) -> bytes:
    return b"<url><loc>http://a.cn/2024/0501/%d.html</loc></url>" % number


SHAPES: dict[str, Callable[[], bytes]] = {
    "entries without end": lambda: packed(b"".join(map(entry, range(20_000))), 150, b"<urlset>", b"</urlset>"),
    "other entries": lambda: gzip.compress(b"<urlset>" + b"".join(map(entry, range(700_000))) + b"</urlset>", 1),
    "ampersands": lambda: HEAD + ITEM + b"<item><title>" + b"&" * (SIZE - 200) + b"</title></item>" + END,
    "entities": lambda: HEAD + ITEM + b"<item><title>" + b"&nbsp;" * (SIZE // 6) + b"</title></item>" + END,
    "attributes": lambda: HEAD + ITEM + b"<item " + b"".join(b'a%x="" ' % number for number in range(700_000)) + b"/>" + END,
    "a long attribute": lambda: HEAD + ITEM + b'<item a="' + b"x" * SIZE + b'"/>' + END,
    "depth": lambda: HEAD + ITEM + b"<a>" * (SIZE // 3),
    "elements": lambda: HEAD + ITEM + b"<a/>" * (SIZE // 4) + END,
    "children of an entry": lambda: HEAD + ITEM + b"<item>" + b"<link/>" * (SIZE // 7) + END,
    "entries that never end": lambda: HEAD + ITEM + b"<item>" * (SIZE // 6),
    "CDATA": lambda: packed(b"a" * 1000, 52_000, HEAD + ITEM + b"<item><title><![CDATA[", b"]]></title></item>" + END),
    "a text": lambda: packed("教".encode(), 17_000_000, HEAD + ITEM + b"<item><title>", b"</title></item>" + END),
    "a comment": lambda: packed(b"a" * 1000, 52_000, HEAD + ITEM + b"<!--", b"-->" + END),
    "laughs": lambda: b'<!DOCTYPE rss [<!ENTITY a "ha">' + b"".join(
        b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(10)
    ) + b"]>" + HEAD + ITEM + b"<item><title>&k;</title><link>http://a.cn/2</link></item>" + END,
    "gzip in gzip": lambda: gzip.compress(packed(b"a" * 1000, 100_000)),
    "lines": lambda: packed(b"x ", 26_000_000, b"http://a.cn/1\n", b""),
    "one line": lambda: packed(b"x" * 1000, 52_000, b"http://a.cn/1\n", b""),
    "tags without end": lambda: HEAD + ITEM + b"<a " * (SIZE // 3),
}  # fmt: skip


def child(name: str) -> None:
    """Reads a document in a child process and prints how many megabytes that took."""
    body = SHAPES[name]()
    read_feed(HEAD + ITEM + END, URL)
    megabytes_at_start = peak_mb()
    document = read_document(body, URL, PageType.SITEMAP)
    took = int(peak_mb() - megabytes_at_start)
    sys.stdout.write(f"{took}|{len(document.urls)}|{document.cut}")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_reading_takes_little_memory(name: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", f"from tests.core.links.test_feeds_limits import child; child({name!r})"],
        capture_output=True, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    megabytes, links, _ = process.stdout.split("|")
    assert int(megabytes) < MEGABYTES
    assert int(links) > 0 or name == "gzip in gzip"


@pytest.mark.slow
def test_omissions_are_reported() -> None:
    def of(body: bytes, kind: PageType = PageType.SITEMAP) -> tuple[int, str]:
        document = read_document(body, URL, kind)
        return len(document.urls), document.cut

    entries = b"".join(map(entry, range(MOST_URLS)))
    assert of(b"<urlset>" + entries + entry(1) + b"</urlset>") == (MOST_URLS, "")
    assert of(b"<urlset>" + entries + entry(MOST_URLS) + b"</urlset>") == (MOST_URLS, "more than 50,000 entries")
    assert of(b"<urlset>" + entry(1) * MOST_ENTRIES + b"</urlset>") == (1, "")
    assert of(b"<urlset>" + entry(1) * (MOST_ENTRIES + 1) + b"</urlset>") == (1, "more than 50,000 entries")
    items = b"".join(b"<item><link>http://a.cn/%d</link></item>" % number for number in range(MOST_URLS + 1))
    assert of(HEAD + items + END, PageType.FEED) == (MOST_URLS, "more than 50,000 entries")
    assert of(packed(b"<a/>" + b" " * 996, 60_000, b"<urlset>" + entry(1))) == (1, "more than 50 MiB")
    assert of(b"".join(b"http://a.cn/%d\n" % number for number in range(MOST_URLS + 1))) == (MOST_URLS, "more than 50,000 entries")
    assert of(SHAPES["attributes"]()) == (1, "a tag of more than 1,000 attributes")


def test_a_title_has_a_limit_and_what_follows_is_read() -> None:
    feed = f"<rss><channel><item><title>{'教' * 1_700_000}</title><link>/x</link></item>".encode() + ITEM + END
    assert [(len(link.text), link.url) for link in read_feed(feed, URL)] == [(LONGEST_TITLE, "http://www.example.edu.cn/x"), (1, "http://a.cn/1")]


def test_charsets_are_decided_by_what_lies_beyond_ascii() -> None:
    late = b"<rss><channel>" + b" " * 3_000_000 + "<item><title>教育新闻的标题</title><link>/1</link></item>".encode("gb18030") + END
    assert read_feed(late, URL)[0].text == "教育新闻的标题"
    assert read_sitemap(gzip.compress("http://a.cn/教\n".encode("utf-16")), URL).urls[0].url == "http://a.cn/教"


@each("body", [HEAD + ITEM + END, HEAD + ITEM, HEAD + ITEM + b"<a>" * 10_000], ids=["whole", "cut", "too deep"])
def test_the_links_of_a_document_are_freed_with_their_reader(body: bytes) -> None:
    gc.disable()  # it would hide a reference cycle
    try:
        reader = Entries(URL, feeds_only=False)
        read_xml(body, reader)
        assert [link.url for link in reader.links()] == ["http://a.cn/1"]
        reader_reference = weakref.ref(reader)
        del reader
        assert reader_reference() is None
    finally:
        gc.enable()
