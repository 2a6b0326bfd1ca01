"""After a round the log says in one table which sources never brought anything, and why; again only if others do."""

from pathlib import Path

import pytest
from sqlalchemy import Connection

from newsspider.core.crawling.visit import ArticleObservation
from newsspider.core.text.terminal_columns import column_count
from newsspider.features.health.barren_diagnosis import barren_of, why_barren
from newsspider.features.health.rules.channel_day import ChannelDay
from newsspider.features.health.rules.states import Health
from newsspider.features.health.rules.visit_diagnosis import VisitHealth
from newsspider.features.health.tables import channel_days
from tests.support.portal import scrapy
from tests.support.serving import QUICK, Answer, article, listing, served

HEAD = "sources have never brought anything:"
GONE, LOGIN, LIVE = VisitHealth(Health.MOVED, "HTTP status 404"), VisitHealth(Health.INTERSTITIAL, "a login"), VisitHealth(Health.LIVE)


def day(*polls: tuple[VisitHealth, int | None], pages: tuple[VisitHealth, ...] = (), articles: int = 0) -> list[ChannelDay]:
    today = ChannelDay(20_000)
    for visit, shown in polls:
        today.polled(visit, 20_000 * 86_400.0, articles=shown)
    for visit in pages:
        today.pages.add(visit, 20_000 * 86_400.0)
    for _ in range(articles):
        today.read(ArticleObservation((), ()))
    return [today]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        pytest.param({"a": day((GONE, None)), "b": day((LIVE, 9), articles=3)}, None, id="one list brings articles"),
        pytest.param({"a": day((LIVE, 9))}, None, id="its list was read, and nothing on it was on the topic"),
        pytest.param({"a": day((LIVE, 9), pages=(LOGIN,))}, LOGIN, id="its articles ask for a login"),
        pytest.param({"a": day((LOGIN, 0)), "b": day((GONE, None)), "c": day((GONE, None))}, GONE, id="what most lists show"),
        pytest.param({"a": day((VisitHealth(Health.SLOW, "late"), None))}, VisitHealth(Health.SLOW, "late"), id="no answer in time"),
        pytest.param({}, VisitHealth(Health.UNWATCHED, "it was not asked yet"), id="it was never asked"),
    ],
)
def test_why_a_source_never_brought_anything(days: dict[str, list[ChannelDay]], expected: VisitHealth | None) -> None:
    assert why_barren(days) == expected


def test_only_the_days_of_sites_without_articles_are_decoded(conn: Connection) -> None:
    said = VisitHealth(Health.INTERSTITIAL, 'it says "articles": 9')
    rows = {
        ("多", "a"): '{"articles": 2, "of another version": 1}',
        ("多", "b"): "not decoded",
        ("少", "a"): day((said, 0))[0].text(),
    }
    for (name, channel), figures in rows.items():
        values = {"site": name, "channel": channel, "day": 20_000, "figures": figures}
        conn.execute(channel_days.insert().values(values))
    found = barren_of(conn, {"多", "少", "新"}, 20_000 * 86_400.0)
    assert [(source.site, source.state, source.evidence) for source in found] == [
        ("少", "interstitial", said.evidence), ("新", "unwatched", "it was not asked yet"),
    ]  # fmt: skip


def site(folder: Path, name: str, base: str) -> None:
    (folder / f"{name}.toml").write_text(
        f'name = "{name}"\nhome = "{base}/"\nweight = 5\nmedia_class = "portal"\n[[channels]]\nname = "c"\nurl = "{base}/list/"\n'
        'kind = "list"\n',
        encoding="utf-8",
    )


@pytest.mark.slow
def test_the_table_is_logged_after_the_first_round_and_then_only_if_other_sources_bring_nothing(tmp_path: Path) -> None:
    moved = True
    sites = tmp_path / "sites"
    sites.mkdir()

    def well(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/list/":
                return listing(*range(4))
        return article(int(path[-9:-5]))

    def gone(path: str, times: int) -> Answer:
        return (404, "", {}) if path == "/list/" and moved else well(path, times)

    def closed(path: str, times: int) -> Answer:
        return (200, "User-agent: *\nDisallow: /", {"Content-Type": "text/plain"}) if path == "/robots.txt" else well(path, times)

    crawl = ("crawl", "education", "-a", f"sites={sites}", "-a", "topic=any", "-s", "DELAY_MIN_SECONDS=0.01", *QUICK)
    with served("127.0.12.1", well) as (one, _), served("127.0.12.2", gone) as (two, _), served("127.0.12.3", closed) as (three, _):
        for name, base in (("好", one), ("搬走", two), ("不许", three), ("不通", "http://127.0.12.4:9")):
            site(sites, name, base)
        first = scrapy(tmp_path / "n.db", *crawl)
        second = scrapy(tmp_path / "n.db", *crawl)
        moved = False
        third = scrapy(tmp_path / "n.db", *crawl)
    lines = first.stderr.splitlines()
    start = next(number for number, line in enumerate(lines) if line.endswith(f"3 of 4 {HEAD}"))
    table = lines[start + 1 : start + 6]
    assert [line.split()[:2] for line in table[:4]] == [
        ["source", "state"], ["搬走", "moved"], ["不许", "robots_closed"], ["不通", "unreachable"],
    ]  # fmt: skip
    assert table[1].endswith("HTTP status 404")
    assert table[3].endswith("robots.txt: its host could not be reached")
    assert max(map(column_count, table)) <= 80
    assert "3 sources have never brought anything (1 moved, 1 robots_closed, 1 unreachable)" in first.stderr
    assert HEAD not in second.stderr
    assert "3 sources have never brought anything" in second.stderr
    assert f"2 of 4 {HEAD}" in third.stderr
