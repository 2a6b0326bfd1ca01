"""Guards, notices and maintenance pages that stand before a site for a while: what was published meanwhile is read afterwards, and
stored articles are still revisited."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.support.newsroom import HOUR, Answer, Desk, Newsroom, listing, story, watched, watched_together
from tests.support.portal import rows, scrapy

HOST, NETWORK = "127.0.0.72", "127.0.72"
OLD = [f"/2026/{n}.html" for n in range(100, 106)]
NEW = [f"/2026/{n}.html" for n in range(200, 212)]
POSTPONED = ending_of_reason(Finish.POSTPONED).exit_code  # what stands behind a guard may be put off
PATIENCE = ("-s", "VANISHED_MISSES=3", "-s", "VANISHED_HOURS=3")
WAIT = "<html><head><title>请稍候</title></head><body><p>正在检查您的浏览器</p><a href='/'>返回首页</a></body></html>"
GUARD = "<html><head><title>安全验证</title></head><body><h1>安全验证</h1><p>请完成验证后再看。</p></body></html>"
GONE = "<html><head><title>出错了</title></head><body><h1>您访问的页面不存在</h1><a href='/'>返回首页</a></body></html>"

GUARDS: dict[str, Callable[[str], Answer]] = {
    "a page of the guard": lambda path: (302, "", {"Location": "/_guard/check"}),
    "a page of the guard for each URL": lambda path: (302, "", {"Location": f"/_guard/check?back={path}"}),
    "a page of the guard that reads like an article": lambda path: (302, "", {"Location": "/_notice/1.html"}),
    "the home page": lambda path: (302, "", {"Location": "/"}),
    "a login elsewhere": lambda path: (302, "", {"Location": "http://passport.example.com/login"}),
    "a guard elsewhere": lambda path: (302, "", {"Location": "http://guard.example.com/2026/check.html"}),
    "a guard elsewhere for each URL": lambda path: (302, "", {"Location": f"http://guard.example.com/check?back={path}"}),
    "itself, each URL": lambda path: (302, "", {"Location": path, "Set-Cookie": "seen=1"}),
    "nowhere": lambda path: (302, "", {}),
    "a refresh": lambda path: (200, "<html><head><meta http-equiv='refresh' content='0;url=/_guard/check'></head></html>", {}),
    "one notice": lambda path: story("/notice", title="网站升级改造公告"),
}

# Each URL leads where nothing follows, so their pattern is spent: one of them is tried now and then.
WASTING = ("a guard elsewhere for each URL", "itself, each URL")

DUE = "SELECT url FROM urls WHERE due_at IS NOT NULL AND update_cycle IS NULL AND kind <> 'robots'"
MORE_ROUNDS = 5  # a round on a busy machine may end before it has asked for everything that was due


def filled(room: Newsroom, *paths: str) -> None:
    listed = paths or tuple(OLD)
    room.pages = {"/list": partial(listing, *listed), **{path: partial(story, path) for path in listed}}


def guarded(room: Newsroom, answer: Callable[[str], Answer], *paths: str) -> None:
    """Let these paths give this answer."""

    def out(path: str) -> Answer | None:
        if path.startswith("/_guard"):
            return 200, WAIT, {}
        if path.startswith("/error/"):
            return 200, GUARD if "guard" in path else GONE, {}
        if path.startswith("/_notice"):
            return story(path)
        return answer(path) if path in paths else None

    room.out = out


def stored(room: Newsroom, desk: Desk) -> set[str]:
    """The paths of the articles that were read under URLs of their own."""
    article_rows = rows(desk.database, "SELECT url, title FROM article_urls WHERE title LIKE '学校%'")
    return {url.removeprefix(room.base) for url, _ in article_rows if url.startswith(f"{room.base}/2026/")}


def test_what_was_new_while_a_guard_stood_before_it_is_read_once_it_is_gone(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(GUARDS, filled)) as (rooms, desk):
        desk.round()
        for kind, room in rooms.items():
            filled(room, *OLD, *NEW)
            guarded(room, GUARDS[kind], *NEW)
        desk.later(0.1 * HOUR)
        done = desk.round()
        assert done.returncode in (0, POSTPONED), done.stderr[-2000:]
        assert {kind: stored(room, desk) for kind, room in rooms.items()} == {kind: set(OLD) for kind in GUARDS}
        for kind, room in rooms.items():
            guarded(room, GUARDS[kind])
        for wait in (0.3, 1, 2, 4):
            desk.later(wait * HOUR)
            assert desk.round().returncode in (0, POSTPONED)
    assert {kind: stored(room, desk) for kind, room in rooms.items()} == {kind: {*OLD, *NEW} for kind in GUARDS}
    assert rows(desk.database, "SELECT count(*) FROM urls WHERE state IN ('waiting', 'processing', 'error')") == [(0,)]


def test_a_page_behind_a_lasting_guard_is_retried_ever_more_seldom_and_not_for_ever(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(GUARDS, filled), "-s", "ARTICLE_REVISITS=") as (rooms, desk):
        desk.round()
        for kind, room in rooms.items():
            filled(room, *OLD, *NEW)
            guarded(room, GUARDS[kind], *NEW)
        desk.round()
        for room in rooms.values():
            room.hits.clear()
        for wait in (0.3, 0.6, 1.1, 2.1, 4.1, 8.1, 16.1, 32.1, 64.1, 128.1):
            desk.later(wait * HOUR)
            desk.round()
        for _ in range(MORE_ROUNDS):
            due = rows(desk.database, DUE)
            if len(due) <= len(WASTING):
                break
            desk.later(128.1 * HOUR)
            desk.round()
    for kind, room in rooms.items():
        again = sum(hit.path in NEW for hit in room.hits)
        assert 8 <= again <= (8 * len(NEW) if "each URL" in kind else 12), kind
        assert sum(url.startswith(f"{room.base}/") for (url,) in due) == int(kind in WASTING), kind
    assert len(due) == len(WASTING)


def test_an_article_that_moved_is_read_where_it_is_and_its_old_url_is_not_asked_again(tmp_path: Path) -> None:
    moved = {path: path.replace("/2026/", "/m/2026/") for path in NEW[:4]}
    with watched(HOST, tmp_path, filled) as (room, desk):
        filled(room, *OLD, *moved)
        room.pages |= {new: partial(story, new) for new in moved.values()}
        room.out = lambda path: (301, "", {"Location": moved[path]}) if path in moved else None
        for wait in (0.3, 24, 1):
            assert desk.round().returncode == 0
            desk.later(wait * HOUR)
    assert [len(room.hit(path)) for path in moved] == [1] * 4
    redirects = rows(desk.database, "SELECT reason, due_at FROM urls WHERE reason = 'redirect'")
    assert redirects == [("redirect", None)] * 4


def test_stored_articles_are_still_revisited_after_a_guard_hid_them_at_one_visit(tmp_path: Path) -> None:
    kinds = ("a page of the guard", "a page of the guard for each URL", "the home page")
    with watched_together(NETWORK, tmp_path, dict.fromkeys(kinds, filled), *PATIENCE) as (rooms, desk):
        desk.round()
        for kind, room in rooms.items():
            guarded(room, GUARDS[kind], *OLD)
        desk.later(1.1 * HOUR)
        desk.round()
        for kind, room in rooms.items():
            guarded(room, GUARDS[kind])
            room.pages |= {path: partial(story, path, edit="这一段后来改过了，现在说的是另外一件事情。") for path in OLD[:2]}
            room.pages[OLD[2]] = lambda: (404, "", {})
        for wait in (5, 2, 2, 2, 14):
            desk.later(wait * HOUR)
            assert desk.round().returncode == 0
        changes = {kind: scrapy(desk.database, "changes", "--site", room.name).stdout for kind, room in rooms.items()}
    assert {kind: (text.count("changed: text"), text.count("vanished: ")) for kind, text in changes.items()} == dict.fromkeys(kinds, (2, 1))


# What hides two stored articles for days, and what is said of them then.
LASTING: dict[str, tuple[Callable[[str], Answer], str | None]] = {
    "the home page": (GUARDS["the home page"], "home_page"),
    "a page of the guard": (GUARDS["a page of the guard"], None),
    "a page of the guard for each URL": (GUARDS["a page of the guard for each URL"], None),
    "a page of the guard that is called an error": (lambda path: (302, "", {"Location": "/error/guard.html"}), None),
    "an error page": (lambda path: (302, "", {"Location": "/error/404.html"}), "soft_404"),
    "a refresh": (GUARDS["a refresh"], None),
    "no redirect": (lambda path: (200, GUARD, {}), None),
}


def test_articles_that_lead_elsewhere_for_days_have_vanished_those_behind_a_guard_have_not(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(LASTING, filled), *PATIENCE) as (rooms, desk):
        desk.round()
        for kind, room in rooms.items():
            guarded(room, LASTING[kind][0], *OLD[:2])
        for n, wait in enumerate((1.1, 5, 12, 6, 24, 24, 24)):
            desk.later(wait * HOUR)
            for room in rooms.values():
                filled(room, *OLD, *NEW[: n + 1])
            desk.round()
    vanished = rows(
        desk.database, "SELECT u.url, absence FROM missing_articles JOIN urls u USING (key) WHERE vanished_at IS NOT NULL"
    )
    found = {kind: [absence for url, absence in vanished if url.startswith(f"{room.base}/")] for kind, room in rooms.items()}
    assert found == {kind: [] if absence is None else [absence] * 2 for kind, (_, absence) in LASTING.items()}


def test_an_article_that_leads_to_another_stays_on_its_ladder(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        room.pages["/2026/moved.html"] = partial(story, "/2026/moved.html")
        room.out = lambda path: (301, "", {"Location": "/2026/moved.html"}) if path == OLD[0] else None
        room.hits.clear()
        for wait in (1.1, 6, 18, 48, 96, 24):
            desk.later(wait * HOUR)
            desk.round()
    assert len(room.hit(OLD[0])) == 5
    assert len(room.hit("/2026/moved.html")) > 1
    assert rows(desk.database, "SELECT count(*) FROM missing_articles WHERE misses > 0") == [(0,)]


REVIEW = (
    "<html><head><title>教育时报网</title></head><body><div class='nav'><a href='/'>首页</a><a href='/news/'>新闻</a></div>"
    "<p>该内容正在复核。</p></body></html>"
)


@pytest.mark.parametrize(("hours", "vanished"), [(12, 0), (30, 1)])
def test_an_article_replaced_by_an_unknown_page_has_vanished_after_a_day(tmp_path: Path, hours: int, vanished: int) -> None:
    with watched(HOST, tmp_path, filled, *PATIENCE) as (room, desk):
        desk.round()
        guarded(room, lambda path: (200, REVIEW, {}), OLD[0])
        for n in range(hours // 6):
            filled(room, *OLD, *NEW[: n + 1])
            desk.later(6 * HOUR)
            desk.round()
    assert rows(desk.database, "SELECT count(*) FROM missing_articles WHERE vanished_at IS NOT NULL AND absence = 'other'") == [(vanished,)]
