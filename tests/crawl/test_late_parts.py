"""A further page of an article that is missing at first is joined once it is there."""

from functools import partial
from pathlib import Path

import pytest

from tests.support.late_parts import PATHS, lines, page
from tests.support.newsroom import HOUR, Answer, Newsroom, listing, watched
from tests.support.portal import rows

HOST = "127.0.0.207"
OTHER = "<html><head><title>页面不存在</title></head><body><h1>页面不存在</h1><p>您访问的页面不存在或已删除</p></body></html>"
ABSENT: dict[str, Answer] = {"404": (404, "", {}), "500": (500, "", {}), "no bytes": (200, "", {}), "soft 404": (200, OTHER, {})}


def filled(room: Newsroom) -> None:
    room.pages = {"/list": partial(listing, PATHS[1]), **{path: partial(page, part) for part, path in PATHS.items()}}


def text_of(database: Path) -> list[str]:
    ((text,),) = rows(database, "SELECT text FROM articles")
    return str(text).split("\n")


@pytest.mark.parametrize("kind", ABSENT)
def test_a_further_page_that_is_not_there_at_first_is_joined_once_it_is(tmp_path: Path, kind: str) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        room.out = lambda path: ABSENT[kind] if path == PATHS[2] else None
        desk.round()
        assert text_of(desk.database) == lines(1)
        room.out = lambda path: None
        desk.later(0.3 * HOUR)
        assert desk.round().returncode == 0
    assert text_of(desk.database) == lines(1) + lines(2) + lines(3)


def test_a_further_page_that_never_comes_is_not_asked_for_ever(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        room.out = lambda path: ABSENT["404"] if path == PATHS[2] else None
        counts = []
        for wait in (0.3, 0.6, 1.1, 2.1, 4.1, 8.1, 16.1, 32.1):
            desk.round()
            counts.append(len(room.hit(PATHS[2])))
            room.hits.clear()
            desk.later(wait * HOUR)
    assert counts == [1] * 6 + [0] * 2
    assert text_of(desk.database) == lines(1)
