"""Documents whose response ended before its announced end."""

from newsspider.pages.router import TAIL_BYTES, ends_whole
from tests.support.tables import each


@each(
    ("body", "whole"),
    [
        (b"<html><p>x</p></html>", True),
        (b"<HTML><P>x</P></HTML >\r\n\r\n", True),
        (b"<html></html><!-- served in 0.02 s -->\n<!--a--><!-- b -->", True),
        ("<html><p>中文</p></html>\n<!-- 缓存 -->".encode("gbk"), True),
        (b"<rss><channel></channel></rss>\n", True),
        (b"<urlset><url></url></urlset>", True),
        (b"<html><p>x</p></html><!-- " + b"a" * (TAIL_BYTES // 2) + b" -->", True),
        (b"", False),
        (b"<html><p>x</p></body>", False),
        (b"<html><p>x</p></htm", False),
        (b"<html><p>x</p></html><!-- cut", False),
        (b"<html></html><p>more", False),
        (b"<script>w('<html></html>')", False),
        (b"<!-- </html> --><p>x", False),
        (b"</html>" + b"<!--" * 2000, False),
        (b"</html>" + b" " * 1_000_000 + b"x", False),
    ],
)
def test_a_document_is_whole_if_nothing_but_comments_stands_behind_its_end_tag(body: bytes, whole: bool) -> None:
    assert ends_whole(body) is whole
