"""The table of all behaviours, and those among them that wait for a defect to be mended."""

from __future__ import annotations

from tests.hostile import cut, documents, encoded, lying, malformed, markup, robots, secure, slow
from tests.hostile.behaviour import Behaviour

BEHAVIOURS: tuple[Behaviour, ...] = (
    *slow.ROWS,
    *cut.TRUNCATED,
    *cut.COMPRESSED,
    *malformed.MALFORMED,
    *malformed.VERSIONS,
    *malformed.COOKIES,
    *lying.LYING,
    *lying.REDIRECTING,
    *lying.RECURSIVE,
    *encoded.ROWS,
    *markup.ROWS,
    *robots.ROWS,
    *documents.FEEDS,
    *documents.SITEMAPS,
    *secure.ROWS,
)

# Not crawled yet: who mends what each of these waits for. Empty when all is as it should be.
PENDING: dict[str, str] = {
    "sitemap-is-junk": "C",
    **dict.fromkeys(("sitemap-50001", "feed-of-entries"), "C"),  # 50,000 offers in one transaction: 450 MB beside the others
    **dict.fromkeys(("feed-quadratic", "sitemap-gzip-cut"), "C"),
    **dict.fromkeys(("sitemap-gigabyte", "sitemap-packed-gigabyte"), "C"),
    **dict.fromkeys(("no-location", "to-a-file", "to-data", "to-javascript", "to-ftp", "to-gopher"), "D"),
    **dict.fromkeys(("long-title", "long-anchors", "many-paragraphs", "controls", "bidi", "bidi-as-entities", "controls-as-entities"), "B"),
    **dict.fromkeys(("sitemap-of-sitemaps", "frames-endless"), "E"),
}
