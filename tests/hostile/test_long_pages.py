"""Many hosts that each send a page as long as is allowed, all at the same time: every page is read, and memory stays bounded."""

import gzip
from pathlib import Path

from tests.hostile.articles import HOSTILE, article
from tests.hostile.behaviour import Behaviour, Call, page
from tests.hostile.crawl import crawl
from tests.hostile.markup import Shape, numbered

HOSTS = 20
LONG_BYTES = 7_900_000
LINKS = 500
MOST_MEGABYTES = 400
PATIENCE = ("-s", "DOWNLOAD_TIMEOUT=90")  # for a machine that is four times slower


def test_many_long_pages_at_once_are_all_read_in_little_memory(tmp_path: Path) -> None:
    crawled = crawl([long_page(number, packed=number % 2 == 0) for number in range(HOSTS)], tmp_path, *PATIENCE)
    assert crawled.wrong == {}
    assert crawled.figures["peak_mb"] < MOST_MEGABYTES


def long_page(number: int, *, packed: bool) -> Behaviour:
    """An article with many links, and a script that makes it long."""

    def body(call: Call) -> bytes:
        links = numbered("<a href=/x/{}.htm>学校教育</a>", LINKS)
        text = article(call.number, HOSTILE, after=f"{links}<script>").encode()
        text += b"var a = 1;" * ((LONG_BYTES - len(text)) // 10) + b"</script>"
        return gzip.compress(text, 1) if packed else text

    play = page(body, "200 OK", *(["Content-Encoding: gzip"] if packed else []))
    return Shape(f"long-page-{number}", does="an article of 7.9 MB", play=play)
