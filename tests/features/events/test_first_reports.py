"""Which page of an event is the first source, and how its time is shown."""

from datetime import datetime, timedelta

import pytest

from newsspider.core.model import PageType
from newsspider.core.query.query_dates import ZONE
from newsspider.features.console.display import moment
from newsspider.features.events import decisions
from newsspider.features.events.detection_run import analyse_new
from newsspider.features.events.event_lines import fact_lines, page_lines
from newsspider.features.events.events import of_article
from newsspider.store.engine.database import reading, writing
from tests.support.samples import save_article
from tests.support.tables import each

MORNING = datetime(2026, 11, 25, 8, 0, tzinfo=ZONE)
REPORT = ("河东县育才小学食堂发生火灾", "河东县育才小学食堂25日早晨发生火灾，消防员到场扑救，无人受伤。县教育局正在调查起火原因。")
SECOND = ("育才小学食堂火灾无人受伤", "河东县育才小学食堂火灾已被扑灭，无人受伤。县教育局说，起火原因正在调查。")
MENTION = ("秋冬消防知识进校园活动启动", "全省秋冬消防知识进校园活动启动。此前，河东县育才小学食堂发生火灾，消防员到场扑救。")


@pytest.fixture
def event_of(store):
    """The event of these pages, each with its title and text, its time and what is special; they are found as listed."""

    def stored(*pages):
        with writing(store) as conn:
            for number, ((title, text), published, values) in enumerate(pages, 1):
                found = MORNING + timedelta(minutes=number)
                dates = {"published_at": published, "crawled_at": found}
                body, named = text + "续" * number, {"title": title, "site": f"站{number}"}
                save_article(conn, f"http://{number}.cn/", body, found.timestamp(), **named, **dates, **values)
        assert sum(analyse_new(store)) == len(pages)
        with writing(store) as conn:
            numbers = {of_article(conn, number).id for number in range(1, len(pages) + 1)}
            if len(numbers) > 1:
                decisions.merge(conn, numbers, 0)
        with reading(store) as conn:
            return of_article(conn, 1)

    return stored


@pytest.mark.parametrize(
    "earlier",
    [
        (REPORT, MORNING, {"kind": PageType.BLOG}), (REPORT, MORNING, {"kind": PageType.FORUM}),
        (MENTION, MORNING, {}),
    ],
    ids=["blog", "forum", "mention"],
)  # fmt: skip
def test_the_first_source_reports_the_event_and_stands_at_the_beginning(event_of, earlier):
    event = event_of(earlier, (SECOND, MORNING + timedelta(hours=2), {}), (REPORT, MORNING + timedelta(hours=3), {}))
    assert event.first.copy.site == "站2"
    assert [page.copy.site for page in event.pages[1:]] in (["站1", "站3"], ["站3", "站1"])
    assert event.record(0)["first"]["site"] == "站2"
    shown = [line for page in event.pages[1:] for line in page_lines(page, event.words_of(page), "")]
    assert not [line for line in shown if "similarity 0.00" in line]


def test_where_only_a_blog_reports_it_is_the_first(event_of):
    event = event_of((REPORT, MORNING, {"kind": PageType.BLOG}), (MENTION, MORNING - timedelta(hours=1), {}))
    assert event.first.copy.site == "站2", "the earliest page of those that do not report"


def test_a_day_alone_is_shown_as_a_day(event_of):
    midnight = MORNING.replace(hour=0)
    event = event_of((REPORT, midnight, {}), (SECOND, midnight - timedelta(days=1), {}), (SECOND, midnight + timedelta(hours=9), {}))
    record = event.record(MORNING.timestamp())
    assert (record["first"]["at"], record["last_at"]) == ("2026-11-24", "2026-11-25T09:00+08:00")
    lines = "\n".join(fact_lines(event, MORNING.timestamp()))
    assert "站2 (新华网) 11-24\n" in lines
    assert "last          11-25 09:00\n" in lines
    assert event.growth(MORNING.timestamp() + 3600)["24h"] == 3, "counted when it was found, not at the end of the day"


def test_the_last_page_has_its_minute_beside_one_of_that_day(event_of):
    midnight = MORNING.replace(hour=0)
    event = event_of((REPORT, midnight + timedelta(hours=7), {}), (SECOND, midnight, {}), (SECOND, midnight - timedelta(days=1), {}))
    assert event.record(0)["last_at"] == "2026-11-25T07:00+08:00"


def test_a_page_of_a_day_that_was_found_before_the_minute_of_another_is_first(event_of):
    event = event_of((REPORT, MORNING.replace(hour=0), {}), (REPORT, MORNING + timedelta(hours=2), {}))
    assert [page.copy.site for page in event.pages] == ["站1", "站2"]


@each(("days", "shown"), [(0, "今日"), (1, "周二"), (10, "2026-11-15")])
def test_the_console_shows_a_day_alone_as_a_day(days, shown):
    midnight = MORNING.replace(hour=0) - timedelta(days=days)
    for value in (midnight.timestamp(), midnight.isoformat()):
        assert moment(value, MORNING) == f'<time datetime="{midnight:%Y-%m-%d}" title="{midnight:%Y-%m-%d}">{shown}</time>'
    assert "00:01</time>" in moment((MORNING.replace(hour=0) + timedelta(minutes=1)).isoformat(), MORNING)
