"""Events that grow and unhealthy sources."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult, Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.features.alerts import event_and_source_alerts, stored_alerts
from newsspider.features.alerts.preview import preview_alert
from newsspider.features.alerts.stored_alerts import AlertKind
from newsspider.features.alerts.story_matching import note_story
from newsspider.features.events import decisions
from newsspider.features.events.tables import start_again
from newsspider.sites.holidays import NO_HOLIDAYS
from newsspider.sites.model import from_home
from newsspider.store import jobs, pages, runs, sites
from tests.support.receiver import alert
from tests.support.samples import NOW, POLLED, lease_on, save_article

CHANNEL = "http://127.0.0.1:1/"
HOUR = 3600
LIST = "http://a.cn/"


def look(conn, now):
    event_and_source_alerts.note(conn, event_and_source_alerts.look(conn, NO_HOLIDAYS, now), now)


def stories(conn):
    return [json.loads(row.story) for row in conn.execute(text("SELECT story FROM alert_stories ORDER BY id"))]


def event(conn, number, pages, now=NOW):
    """An event with so many pages, one an hour, the last one now."""
    numbers = []
    for page in range(pages):
        moment = datetime.fromtimestamp(now - page * HOUR, UTC)
        body = f"第{number}个事件的第{page}条{'高考' if number == 1 else ''}新闻，第{now:.0f}次"
        values = {"published_at": moment, "title": f"事件{number}", "crawled_at": datetime.fromtimestamp(now, UTC)}
        saved = save_article(conn, f"http://e{number}.cn/{page}-{now:.0f}", body, now, **values)
        numbers.append(saved.article_id)
    exists = conn.execute(text("SELECT count(*) FROM events WHERE id = :id"), {"id": number}).scalar_one()
    if not exists:
        conn.execute(text(
            "INSERT INTO events (id, first_ts, last_ts, seen_ts, articles, weights, names, figures, numbers, places)"
            " VALUES (:id, :now, :now, :now, :pages, '{}', '{}', '[]', '[]', '[]')"
        ), {"id": number, "now": int(now), "pages": pages})  # fmt: skip
    conn.execute(text("UPDATE events SET seen_ts = :now WHERE id = :id"), {"id": number, "now": int(now)})
    for article in numbers:
        sql = "INSERT INTO event_articles (article_id, event_id, similarity, words, names) VALUES (:a, :e, 1, '', '')"
        conn.execute(text(sql), {"a": article, "e": number})


def test_an_event_is_told_when_it_has_so_many_pages_in_a_day_and_once(conn):
    alert(conn, CHANNEL, kind=AlertKind.EVENT, query="", pages=5)
    event(conn, 1, 4)
    look(conn, NOW)
    assert stories(conn) == []
    event(conn, 1, 1, NOW + HOUR)
    look(conn, NOW + HOUR)
    (story,) = stories(conn)
    assert (story["event_id"], story["why"]["pages"]) == (1, 5)
    event(conn, 1, 9, NOW + 2 * HOUR)
    look(conn, NOW + 2 * HOUR)
    assert len(stories(conn)) == 1


def test_pages_of_several_days_are_no_growth(conn):
    alert(conn, CHANNEL, kind=AlertKind.EVENT, query="", pages=5)
    for day in range(3):
        event(conn, 1, 2, NOW + day * 24 * HOUR)
        look(conn, NOW + day * 24 * HOUR)
    assert stories(conn) == []


def test_only_the_events_that_match_an_alert_are_told(conn):
    alert(conn, CHANNEL, kind=AlertKind.EVENT, query="高考", pages=3)
    event(conn, 1, 3)
    event(conn, 2, 3)
    look(conn, NOW)
    assert [story["event_id"] for story in stories(conn)] == [1]


def test_a_query_that_another_release_wrote_keeps_no_other_alert_silent(conn):
    number = alert(conn, CHANNEL, kind=AlertKind.EVENT, query="高考", pages=3)
    alert(conn, CHANNEL, kind=AlertKind.EVENT, pages=3)
    conn.execute(text("UPDATE alerts SET query = '高考 and 火灾' WHERE id = :id"), {"id": getattr(number, "id", number)})
    event(conn, 1, 3)
    look(conn, NOW)
    assert [story["event_id"] for story in stories(conn)] == [1]


def test_an_event_that_became_part_of_a_told_one_is_not_told_again(conn):
    alert(conn, CHANNEL, kind=AlertKind.EVENT, query="", pages=3)
    event(conn, 1, 3)
    look(conn, NOW)
    event(conn, 2, 3, NOW + HOUR)
    conn.execute(text("INSERT INTO event_changes (article_id, event_id, other_id, changed_at) VALUES (99, 2, 1, 0)"))
    look(conn, NOW + HOUR)
    assert len(stories(conn)) == 1


def test_an_event_that_became_part_of_others_again_and_again_is_not_told_again(conn):
    alert(conn, CHANNEL, kind=AlertKind.EVENT, query="", pages=3)
    event(conn, 1, 3)
    look(conn, NOW)
    event(conn, 3, 3, NOW + HOUR)
    changes = "INSERT INTO event_changes (article_id, event_id, other_id, changed_at) VALUES (98, 2, 1, 0), (99, 3, 2, 0)"
    conn.execute(text(changes))
    look(conn, NOW + HOUR)
    assert [story["event_id"] for story in stories(conn)] == [1]


def test_parts_of_a_told_event_that_people_split_and_put_together_are_not_told_again(conn):
    event_alert = alert(conn, CHANNEL, kind=AlertKind.EVENT, query="", pages=3)
    event(conn, 50, 9)
    conn.execute(text("INSERT INTO event_changes (article_id, event_id, other_id, changed_at) VALUES (99, 50, 77, 0)"))
    note_story(conn, event_alert.id, "event 77", None, {}, NOW)  # which became part of it
    articles = [row.article_id for row in conn.execute(text("SELECT article_id FROM event_articles ORDER BY 1"))]
    decisions.split(conn, 50, articles[:4], NOW)
    look(conn, NOW)
    assert stories(conn) == [{}]
    numbers = [row.id for row in conn.execute(text("SELECT id FROM events"))]
    assert len(numbers) == 2
    decisions.undo(conn, numbers[0], NOW)
    look(conn, NOW)
    assert stories(conn) == [{}]


def polled(conn, now, settlement=POLLED, site="某站", url=LIST):
    """A poll of the list of the site."""
    lease = lease_on(conn, url, now, kind=PageType.LIST, site=site, channel="首页", update_cycle=60.0)
    assert pages.save(conn, PageResult(lease, settlement), now).settled


def test_a_job_that_fails_twice_in_a_row_is_told_once_until_it_runs_well(conn):
    alert(conn, CHANNEL, kind=AlertKind.SOURCE, query="")
    codes = [2, 0, 2, 2, 2, 0, None, 8]  # the third failure in a row is no news, and "no exit code" is one
    told = []
    for hour, code in enumerate(codes):
        now = NOW + hour * HOUR
        jobs.take(conn, "每小时", f"w{hour}", now)
        jobs.release(conn, "每小时", f"w{hour}", now)
        arguments = {"job": "每小时", "_job": f"job-{hour}"}
        reason = {0: "finished", None: "died"}.get(code, "refused")
        runs.note_end(conn, "education", arguments, now, now + 1, reason, code, "there is no topic 'x'")
        look(conn, now + 2)
        told.append(len(stories(conn)))
        conn.execute(text("UPDATE alert_stories SET told_in = 'm'"))
    assert told == [0, 0, 0, 1, 1, 0, 0, 1]
    (story,) = stories(conn)
    assert (story["title"], story["why"]["job"], story["why"]["exit_code"]) == ("任务 每小时 连续 2 次失败", "每小时", 8)
    assert story["why"]["sentence"] == "refused, exit code 8, 1 s: there is no topic 'x'"


def test_a_source_that_is_ill_is_told_once_and_its_recovery_too(conn):
    sites.put(conn, replace(from_home(LIST), name="某站"), NOW)
    source_alert = alert(conn, CHANNEL, kind=AlertKind.SOURCE, query="某站")
    alert(conn, CHANNEL, kind=AlertKind.SOURCE, query="别的站")
    blocked = Settlement(State.DONE, Reason.HTTP_STATUS, failures=1, status=403)
    for hours in range(12):
        polled(conn, NOW + hours * HOUR, blocked)
        look(conn, NOW + hours * HOUR)
    (story,) = stories(conn)
    assert (story["url"], story["title"]) == (LIST, "某站：拒绝访问（首页）")
    assert story["why"]["sentence"] == "拒绝访问：list: 10 visits in a row (10 blocked)；HTTP status 403"
    assert [item["url"] for item in preview_alert(conn, source_alert, datetime.fromtimestamp(NOW + 12 * HOUR, UTC), NO_HOLIDAYS)] == [LIST]
    polled(conn, NOW + 12 * HOUR)
    look(conn, NOW + 12 * HOUR)
    assert len(stories(conn)) == 1  # it was not told yet
    conn.execute(text("UPDATE alert_stories SET told_in = 'msg'"))
    look(conn, NOW + 13 * HOUR)
    (end,) = stories(conn)
    assert end["title"] == "已恢复：某站：拒绝访问（首页）"
    conn.execute(text("UPDATE alert_stories SET told_in = 'msg'"))
    look(conn, NOW + 14 * HOUR)
    assert stories(conn) == []
    for hours in range(14, 25):
        polled(conn, NOW + hours * HOUR, blocked)
    look(conn, NOW + 25 * HOUR)
    assert len(stories(conn)) == 1, "a problem that comes again is told again"


BLOCKED = Settlement(State.DONE, Reason.HTTP_STATUS, failures=1, status=403)
UNREACHABLE = Settlement(State.DONE, Reason.CONNECTION, failures=1)


SEVEN = {f"站{number}": f"http://s{number}.cn/" for number in range(7)}


def out_for_half_a_day(conn, now, reached=3):
    """Twelve polls of each of seven sites, of which the first ones answer."""
    for hours in range(12):
        for number, (name, url) in enumerate(SEVEN.items()):
            polled(conn, now + hours * HOUR, POLLED if number < reached else UNREACHABLE, name, url)


def told_of_an_outage(conn, query):
    """Four of seven sites do not answer, and an alert for all sites, or for one, looks."""
    for name, url in SEVEN.items():
        sites.put(conn, replace(from_home(url), name=name), NOW)
    alert(conn, CHANNEL, kind=AlertKind.SOURCE, query=query)
    out_for_half_a_day(conn, NOW)
    look(conn, NOW + 12 * HOUR)


def test_when_most_sites_do_not_answer_one_story_tells_of_all_and_of_the_end(conn):
    told_of_an_outage(conn, "")
    (story,) = stories(conn)
    assert (story["title"], story["why"]["health"]) == ("本机网络不通：4 个站点连不上", "offline")
    conn.execute(text("UPDATE alert_stories SET told_in = 'msg'"))
    for name, url in SEVEN.items():
        polled(conn, NOW + 13 * HOUR, UNREACHABLE if name == "站3" else POLLED, name, url)
    look(conn, NOW + 14 * HOUR)
    assert {story["title"] for story in stories(conn)} == {"已恢复：本机网络不通：4 个站点连不上", "站3：连不上（首页）"}
    out_for_half_a_day(conn, NOW + 15 * HOUR)
    look(conn, NOW + 28 * HOUR)
    assert "本机网络不通：4 个站点连不上" in {story["title"] for story in stories(conn)}, "the next time is told, too"


def test_an_alert_for_one_site_is_told_that_most_do_not_answer(conn):
    told_of_an_outage(conn, "站5")
    assert [story["site"] for story in stories(conn)] == ["站5"]


def told_of_a_blocked_site(conn):
    """The moment behind ten polls that were refused, of which people were told."""
    sites.put(conn, replace(from_home(LIST), name="某站"), NOW)
    alert(conn, CHANNEL, kind=AlertKind.SOURCE, query="")
    for hours in range(10):
        polled(conn, NOW + hours * HOUR, BLOCKED)
    look(conn, NOW + 10 * HOUR)
    conn.execute(text("UPDATE alert_stories SET told_in = 'msg'"))
    assert len(stories(conn)) == 1
    return NOW + 10 * HOUR


def test_a_crawl_that_rests_is_no_recovery(conn):
    now = told_of_a_blocked_site(conn) + 120 * HOUR
    look(conn, now)
    polled(conn, now + HOUR, BLOCKED)
    look(conn, now + 2 * HOUR)
    assert [story["why"]["health"] for story in stories(conn)] == ["blocked"]
    polled(conn, now + 3 * HOUR)
    look(conn, now + 4 * HOUR)
    assert [story["title"][:3] for story in stories(conn)] == ["已恢复"]


def test_the_problem_of_a_disabled_site_is_closed_without_a_word(conn):
    now = told_of_a_blocked_site(conn)
    sites.enable(conn, "某站", False, now)
    look(conn, now + HOUR)
    assert stories(conn) == []


def test_of_two_processes_that_look_at_once_the_slower_one_opens_no_problem_again(conn):
    now = told_of_a_blocked_site(conn)
    slow = event_and_source_alerts.look(conn, NO_HOLIDAYS, now + HOUR)
    polled(conn, now + HOUR)
    look(conn, now + HOUR)
    event_and_source_alerts.note(conn, slow, now + HOUR)
    assert [story["title"] for story in stories(conn)] == ["已恢复：某站：拒绝访问（首页）"]


def test_the_end_of_a_problem_that_nobody_was_told_of_is_not_told(conn):
    now = told_of_a_blocked_site(conn)
    conn.execute(text("UPDATE alert_stories SET told_in = 'muted'"))
    polled(conn, now + HOUR)
    look(conn, now + 2 * HOUR)
    assert stories(conn) == []
    for hours in range(12):
        polled(conn, now + (3 + hours) * HOUR, BLOCKED)
    look(conn, now + 15 * HOUR)
    assert [story["why"]["health"] for story in stories(conn)] == ["blocked"], "the next time it is told"


def test_another_diagnosis_is_told_but_is_no_recovery_and_one_recovery_ends_both(conn):
    now = told_of_a_blocked_site(conn)
    for hours in range(80):  # so long that the earlier refusals no longer count
        polled(conn, now + hours * HOUR, UNREACHABLE)
    look(conn, now + 80 * HOUR)
    assert [story["why"]["health"] for story in stories(conn)] == ["blocked", "unreachable"]
    conn.execute(text("UPDATE alert_stories SET told_in = 'msg'"))
    polled(conn, now + 81 * HOUR)
    look(conn, now + 82 * HOUR)
    assert [story["title"] for story in stories(conn)] == ["已恢复：某站：连不上（首页）"]


def test_a_preview_has_one_story_an_event_and_what_is_of_last_week(conn):
    query_alert = alert(conn, CHANNEL)
    start_again(conn, NOW)
    event(conn, 1, 3)
    save_article(conn, "http://a.cn/old", "旧的高考新闻", NOW, published_at=datetime.fromtimestamp(NOW, UTC) - timedelta(days=8))
    save_article(conn, "http://a.cn/new", "新的高考新闻", NOW, published_at=datetime.fromtimestamp(NOW, UTC) - timedelta(days=1))
    items = preview_alert(conn, query_alert, datetime.fromtimestamp(NOW + 1, UTC), NO_HOLIDAYS)
    assert [(story["url"][:11], story.get("others")) for story in items] == [("http://e1.c", 2), ("http://a.cn", None)]
    assert items[0]["why"]["in_text"] == ["高考"]


def test_an_alert_of_an_unknown_kind_holds_up_no_other_and_is_logged_once(conn, caplog):
    odd = alert(conn, CHANNEL, query="")
    conn.execute(text("UPDATE alerts SET kind = 'trend' WHERE id = :id"), {"id": odd.id})
    alert(conn, CHANNEL, kind=AlertKind.EVENT, query="", pages=3)
    event(conn, 1, 3)
    look(conn, NOW)
    look(conn, NOW + HOUR)
    assert len(stories(conn)) == 1
    (read,) = [rule for rule in stored_alerts.all_alerts(conn) if rule.id == odd.id]
    assert read.kind is AlertKind.UNKNOWN
    assert preview_alert(conn, read, datetime.fromtimestamp(NOW, UTC), NO_HOLIDAYS) == []
    assert [record.getMessage() for record in caplog.records] == [
        f"the alert {odd.name!r} is of the kind 'trend', which this release does not know: it sends no messages"
    ]
    stored_alerts.remove(conn, read)
    assert stored_alerts.named(conn, odd.name) is None
