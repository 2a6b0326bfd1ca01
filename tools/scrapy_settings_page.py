"""The reference page of Scrapy's and scrapy-redis's settings, from the tables of ``newsspider/crawl/scrapy_settings.py``."""

from __future__ import annotations

from collections.abc import Mapping

from newsspider.crawl.scrapy_settings import GUARANTEED, OF_SCRAPY_REDIS, WITHOUT_EFFECT, WORKING
from tools.markdown import table

NOTE = "<!-- Written by `make docs` from newsspider/crawl/scrapy_settings.py. Edit that, not this page. -->\n"
INTRO = """
What each setting of Scrapy 2.19 and scrapy-redis does in a crawl of `education`, `explore` or `query`. Those of newsspider, and
the values that newsspider gives to Scrapy's, are on [another page](settings.md). Write yours into the
[settings module of your project](../how-to/start-a-project.md), or say `-s NAME=VALUE`. `-s` refuses a name that nobody knows
and that resembles a known one; for one in a module a crawl logs a warning.
"""
SECTIONS = (
    ("Guarantees", "allowed", "Any other value is refused before the first request, with a sentence that names it.", GUARANTEED),
    ("Working", "more", "As Scrapy's documentation says; more where there is more to say.", WORKING),
    ("Without effect", "because", "A crawl that finds one of them changed logs a warning.", WITHOUT_EFFECT),
    ("Of scrapy-redis", "what becomes of it", "See [Coming from scrapy-redis](../how-to/coming-from-scrapy-redis.md).", OF_SCRAPY_REDIS),
)


def scrapy_settings_page() -> str:
    """Every setting of Scrapy by what becomes of it."""
    lines = [NOTE, f"# Scrapy's settings\n{INTRO}"]
    for heading, head, intro, settings in SECTIONS:
        lines += [f"## {heading}\n", f"{intro}\n", *table(("setting", head), _rows(settings))]
    return "\n".join(lines)


def _rows(settings: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(", ".join(f"`{name}`" for name in names.split()), remark) for names, remark in settings.items()]
