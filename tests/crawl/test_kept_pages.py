"""When an article in parts is visited again, only the pages that it or one of its revisions names stay in the archive."""

from itertools import count
from pathlib import Path

import pytest

from tests.support.late_parts import PATHS, page
from tests.support.newsroom import DAY, Answer, Newsroom, listing, watched
from tests.support.portal import rows

HOST = "127.0.0.208"
UNNAMED = """
    SELECT count(*) FROM snapshots s WHERE NOT EXISTS (SELECT 1 FROM articles WHERE snapshot = s.name)
    AND NOT EXISTS (SELECT 1 FROM revisions WHERE snapshot = s.name)
    AND NOT EXISTS (SELECT 1 FROM article_part_snapshots WHERE snapshot = s.name)
    AND NOT EXISTS (SELECT 1 FROM revision_part_snapshots WHERE snapshot = s.name)
"""
LATER: dict[str, Answer | None] = {  # what the second page is at the later visits
    "there": None,
    "missing": (404, "", {}),
    "ill": (500, "", {}),
    "blank": (200, "", {}),
    "the first again": page(1),
}


def filled(room: Newsroom) -> None:
    counter = count(1000)

    def counted(part: int) -> Answer:
        status, text, headers = page(part)
        return status, text.replace("</body>", f"<div>浏览次数：{next(counter)}</div></body>"), headers

    room.pages = {"/list": lambda: listing(PATHS[1]), **{path: (lambda part=part: counted(part)) for part, path in PATHS.items()}}


@pytest.mark.parametrize("second", LATER)
def test_snapshots_that_no_article_or_revision_names_are_removed(tmp_path: Path, second: str) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        room.out = lambda path: LATER[second] if path == PATHS[2] else None
        for wait in (1, 2, 4):
            desk.later(wait * DAY)
            room.hits.clear()
            assert desk.round().returncode == 0
            assert room.hit(PATHS[2])
    assert rows(desk.database, UNNAMED) == [(0,)]
    ((text,),) = rows(desk.database, f"SELECT text FROM articles WHERE url LIKE '%{PATHS[1]}'")
    assert str(text).count("第4段") == 3
