"""Which stories go into which message, and when."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

from newsspider.core.query.query_dates import ZONE
from newsspider.features.alerts import stored_alerts, story_bundling
from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
from tests.support.receiver import alert
from tests.support.samples import save_article

CHANNEL = "http://127.0.0.1:1/"


def at(hour: int, minute: int = 0, day: int = 25) -> float:
    return datetime(2026, 11, day, hour, minute, tzinfo=ZONE).timestamp()


def test_a_time_that_the_clock_skips_is_told_an_hour_later_and_moves_no_other_day() -> None:
    def new_york(day: int, hour: int, minute: int = 0) -> datetime:
        return datetime(2026, 3, day, hour, minute, tzinfo=ZoneInfo("America/New_York"))

    rhythm = Rhythm.read("daily 02:30 America/New_York")  # on 8 March 03:00 follows 01:59
    moments = (new_york(7, 12), new_york(8, 1), new_york(8, 3, 29), new_york(8, 3, 30), new_york(9, 2, 29), new_york(9, 2, 30))
    expected = [new_york(7, 2, 30)] * 3 + [new_york(8, 3, 30)] * 2 + [new_york(9, 2, 30)]
    assert [rhythm.latest(moment.timestamp()) for moment in moments] == [moment.timestamp() for moment in expected]


def save(conn, number: int, now: float, body: str = "") -> None:
    save_article(conn, f"http://a.cn/{number}", body or f"第{number}条高考新闻", now, title=f"第{number}条")


def sent_titles(conn, now: float) -> list[list[str]]:
    """The titles of each message that goes out now."""
    due_bundles = story_bundling.due(conn, now)
    story_bundling.put(conn, due_bundles, "http://console", now)
    return [[story["title"] for story in bundle.stories] for bundle in due_bundles if bundle.stories]


def test_an_immediate_alert_sends_each_story_in_its_own_message(conn):
    alert(conn, CHANNEL, CHANNEL + "2", once="reprints")
    save(conn, 1, at(9))
    save(conn, 2, at(9))
    assert sent_titles(conn, at(9)) == [["第1条"], ["第2条"]]
    assert sent_titles(conn, at(9)) == []
    keys = [row.key for row in conn.execute(text("SELECT key FROM alert_deliveries"))]
    assert len(set(keys)) == 4  # one for each story on each channel


@pytest.mark.parametrize(("rhythm", "too_early", "due"), [("hourly", at(9, 59), at(10)), ("daily 08:00", at(7, 59, 26), at(8, 0, 26))])
def test_a_digest_has_all_since_the_last_one(conn, rhythm, too_early, due):
    alert(conn, CHANNEL, rhythm=Rhythm.read(rhythm), once="reprints")
    save(conn, 1, at(9, 5))
    save(conn, 2, at(9, 30))
    assert sent_titles(conn, too_early) == []
    assert sent_titles(conn, due) == [["第1条", "第2条"]]
    assert sent_titles(conn, due + 86_400) == []


def test_what_comes_in_quiet_hours_goes_out_together_behind_them(conn):
    alert(conn, CHANNEL, rhythm=Rhythm.read("immediately", "22:00-07:00"), once="reprints")
    for number, moment in enumerate((at(21, 59), at(23), at(3, 0, 26), at(7, 0, 26)), 1):
        save(conn, number, moment)
    assert sent_titles(conn, at(23)) == []
    assert sent_titles(conn, at(7, 0, 26)) == [["第2条", "第3条"], ["第1条"], ["第4条"]]


def test_what_comes_while_it_is_muted_is_not_told_later(conn):
    muted = alert(conn, CHANNEL, once="reprints")
    stored_alerts.mute(conn, muted, at(12), at(8))
    save(conn, 1, at(9))
    assert sent_titles(conn, at(9)) == []
    save(conn, 2, at(13))
    assert sent_titles(conn, at(13)) == [["第2条"]]


def test_a_mute_holds_what_came_before_it_and_drops_what_comes_within(conn):
    digest = alert(conn, CHANNEL, rhythm=Rhythm.read("daily 20:00"), once="reprints")
    save(conn, 1, at(9))
    stored_alerts.mute(conn, digest, at(12), at(10))
    save(conn, 2, at(11))  # which nobody looks at before the mute ends
    save(conn, 3, at(13))
    assert sent_titles(conn, at(20)) == [["第1条", "第3条"]]


def test_what_was_dropped_stays_so_when_an_alert_is_unmuted_or_muted_again(conn):
    muted = alert(conn, CHANNEL, once="reprints")
    stored_alerts.mute(conn, muted, at(12), at(8))
    save(conn, 1, at(9))
    stored_alerts.mute(conn, stored_alerts.named(conn, muted.name), 0.0, at(10))
    save(conn, 2, at(11))
    stored_alerts.mute(conn, stored_alerts.named(conn, muted.name), at(15), at(12))
    assert sent_titles(conn, at(13)) == []
    assert sent_titles(conn, at(15)) == [["第2条"]]


def _event(conn, number: int, event: int) -> None:
    row = conn.execute(text("SELECT article_id FROM article_urls WHERE url = :url"), {"url": f"http://a.cn/{number}"}).one()
    sql = "INSERT INTO event_articles (article_id, event_id, similarity, words, names) VALUES (:id, :event, 1, '', '')"
    conn.execute(text(sql), {"id": row.article_id, "event": event})
    conn.execute(text("UPDATE batch_jobs SET last_done_id = :id WHERE kind = 'analyse'"), {"id": row.article_id})


def test_an_event_is_told_once(conn):
    alert(conn, CHANNEL)
    for number in (1, 2, 3):
        save(conn, number, at(9))
        _event(conn, number, 7 if number < 3 else 8)
    assert sent_titles(conn, at(9)) == [["第1条"], ["第3条"]]
    save(conn, 4, at(10))
    _event(conn, 4, 7)
    assert sent_titles(conn, at(10)) == []
    assert conn.execute(text("SELECT count(*) FROM alert_stories WHERE told_in IS NULL")).scalar_one() == 0


def test_a_story_waits_a_minute_for_its_event(conn):
    alert(conn, CHANNEL)
    save(conn, 1, at(9))
    assert sent_titles(conn, at(9)) == []
    assert sent_titles(conn, at(9, 2)) == [["第1条"]]


def test_a_digest_is_cut_into_messages(conn, monkeypatch):
    monkeypatch.setattr(story_bundling, "MOST_STORIES", 2)
    alert(conn, CHANNEL, rhythm=Rhythm.read("hourly"), once="reprints")
    for number in range(1, 6):
        save(conn, number, at(9))
    assert [len(titles) for titles in sent_titles(conn, at(10))] == [2, 2, 1]
