"""A listed page that is missing at first, or for an hour, is read once it is there; one that never comes is not asked for ever."""

from functools import partial
from pathlib import Path

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.support.newsroom import HOUR, Answer, Newsroom, listing, story, watched, watched_together
from tests.support.portal import rows, scrapy

HOST, NETWORK = "127.0.0.73", "127.0.73"
ON_TOPIC = ("-a", "topic=education")
OLD = [f"/2026/{n}.html" for n in range(100, 106)]
NEW = [f"/2026/{n}.html" for n in range(200, 206)]

NOTICE = "".join(
    f"<p>{line}</p>"
    for line in (
        "尊敬的网友：为了给大家带来更快更稳定的浏览体验，本网计划对机房设备进行扩容，施工期间所有频道暂时无法打开。",
        "本次扩容预计持续两个小时，期间产生的不便请大家谅解，施工结束以后所有频道将立即恢复，无需任何操作。",
        "如有疑问可以拨打值班电话，值班人员二十四小时在岗，感谢大家长期以来的关心和支持。",
    )
)


def page(title: str, body: str) -> Answer:
    return 200, f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>", {}


ABSENT: dict[str, Answer] = {
    "404": (404, "", {}),
    "403": (403, "", {}),
    "451": (451, "", {}),
    "500": (500, "", {}),
    "no bytes": (200, "", {}),
    "an error as data": (200, '{"code": 500, "message": "busy"}', {"Content-Type": "application/json; charset=utf-8"}),
    "soft 404": page("页面不存在", "<p>您访问的页面不存在或已删除</p>"),
    "a maintenance page": page("系统维护通知", "<p>系统维护，请稍后再来。</p>"),
    "a text to be released": (200, "<html><body><p>内容正在审核中</p></body></html>", {}),
    "a script": (200, "<html><head><script>document.cookie='a=1';location.reload()</script></head></html>", {}),
    "one notice off topic": page("机房扩容公告", NOTICE),
}

GUARDED = ("a maintenance page", "a script", "one notice off topic")  # outages of the host: asked for again for days


def filled(room: Newsroom, *paths: str) -> None:
    listed = paths or tuple(OLD)
    room.pages = {"/list": partial(listing, *listed), **{path: partial(story, path) for path in listed}}


def answering(room: Newsroom, answer: Answer, *paths: str) -> None:
    room.out = lambda path: answer if path in paths else None


def test_a_listed_page_that_is_not_there_yet_is_read_once_it_appears(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(ABSENT, filled), *ON_TOPIC) as (rooms, desk):
        desk.round()
        for kind, room in rooms.items():
            filled(room, *OLD, *NEW)
            answering(room, ABSENT[kind], *NEW)
        desk.later(0.1 * HOUR)
        assert desk.round().returncode == ending_of_reason(Finish.POSTPONED).exit_code  # what stands behind a guard is put off
        for kind, room in rooms.items():
            answering(room, ABSENT[kind])
        desk.later(0.3 * HOUR)
        assert desk.round().returncode == 0
    article_urls = {url for (url,) in rows(desk.database, "SELECT url FROM articles WHERE title LIKE '学校%'")}
    assert article_urls == {room.base + path for room in rooms.values() for path in (*OLD, *NEW)}
    assert rows(desk.database, "SELECT count(*) FROM urls WHERE state IN ('waiting', 'processing', 'error')") == [(0,)]


def test_a_listed_page_that_never_appears_is_retried_ever_more_seldom_and_not_for_ever(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(ABSENT, filled), *ON_TOPIC) as (rooms, desk):
        desk.round()
        for kind, room in rooms.items():
            filled(room, *OLD, *NEW[:3])
            answering(room, ABSENT[kind], *NEW[:3])
        requests: dict[str, list[int]] = {kind: [] for kind in ABSENT}
        for wait in (0.1, 0.3, 0.6, 1.1, 2.1, 4.1, 8.1, 16.1, 32.1):
            desk.later(wait * HOUR)
            for room in rooms.values():
                room.hits.clear()
            desk.round()
            for kind, room in rooms.items():
                requests[kind].append(sum(hit.path in NEW[:3] for hit in room.hits))
    at_once = {kind: 9 if kind in ("500", "no bytes") else 3 for kind in ABSENT}  # who is ill, or sends no page, is asked three times
    behind_guards = [requests.pop(kind) for kind in GUARDED]
    # a guard is tried a few times at once, or in the next rounds, as fast as the machine is; then each page once a round
    assert all(sum(counts[:4]) <= 24 and counts[4:] == [3] * 5 for counts in behind_guards), behind_guards
    assert requests == {kind: [first] + [3] * 5 + [0] * 3 for kind, first in at_once.items() if kind not in GUARDED}


def test_a_page_that_appears_after_hours_is_read_though_its_pattern_has_spent_its_budget(tmp_path: Path) -> None:
    many = [f"/2026/{n}.html" for n in range(300, 350)]
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        filled(room, *OLD, *many)
        answering(room, (404, "", {}), *many)
        for wait in (0.1, 0.3, 0.6, 1.1, 2.1, 4.1, 8.1, 16.1):
            desk.later(wait * HOUR)
            desk.round()
        in_vain = sum(hit.path in many for hit in room.hits)
        answering(room, (404, "", {}))
        for wait in (25, 0.1, 0.1):
            desk.later(wait * HOUR)
            desk.round()
    assert in_vain <= 50
    assert rows(desk.database, "SELECT count(*) FROM articles") == [(len(OLD) + len(many),)]


def test_explain_says_when_and_why_a_dead_link_is_looked_at_again(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        filled(room, *OLD, NEW[0])
        answering(room, (404, "", {}), NEW[0])
        desk.round()
        explained = scrapy(desk.database, "explain", room.base + NEW[0]).stdout
    assert "never fetched successfully: its host refused with an HTTP status (http_status)" in explained
    assert ", in case its article is there by then\n" in explained


def test_a_retry_that_meets_a_failing_or_busy_server_is_a_single_request(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        filled(room, *OLD, NEW[0])
        answering(room, (404, "", {}), NEW[0])
        desk.round()
        for answer in ((500, "", {}), (503, "", {"Retry-After": "1"}), (500, "", {})):
            answering(room, answer, NEW[0])
            room.hits.clear()
            desk.later(3 * HOUR)
            assert desk.round().returncode == 0
            assert len(room.hit(NEW[0])) == 1
        answering(room, (404, "", {}))
        desk.later(5 * HOUR)
        desk.round()
    assert rows(desk.database, "SELECT count(*) FROM articles") == [(len(OLD) + 1,)]
