"""The table of all behaviours."""

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
