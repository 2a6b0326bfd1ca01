"""The page of the catalogue: choose sources, and watch one."""

from __future__ import annotations

from urllib.parse import quote

from lxml import html

from newsspider.store.engine.database import reading
from newsspider.store.sites import sites
from tests.features.console.consoles import client, send

__all__ = ["client"]


def rows(client, query: str) -> list[str]:
    page = html.fromstring(client.get(f"/catalogue{query}").text)
    return [th.text.strip() for th in page.cssselect("tbody th")]


def test_without_a_choice_the_national_sources_are_shown(client) -> None:
    assert rows(client, "")[0] == "教育部"


def test_sources_are_chosen_by_region_level_and_class(client) -> None:
    assert rows(client, "?region=330000&level=city&media_class=") == ["杭州市教育局"]
    assert rows(client, "?region=330000&media_class=central") == []
    assert rows(client, "?region=" + quote("月球")) == []


def test_a_source_is_watched_with_one_click(client, filled) -> None:
    page = client.get("/catalogue?region=340000&level=province").text
    assert "edu_news/edu_news/spiders/anhui.py" in page, "the evidence stands on the page"
    answer = send(client, "/catalogue/add", name="安徽省教育厅", region="340000", level="province")
    assert (answer.status_code, answer.headers["location"]) == (303, "/catalogue?region=340000&level=province")
    with reading(filled) as conn:
        (site,) = [site for site in sites(conn) if site.name == "安徽省教育厅"]
    assert len(site.channels) == 5
    assert send(client, "/catalogue/add", name="安徽省教育厅").status_code == 409
    assert send(client, "/catalogue/add", name="月球教育厅").status_code == 404


def test_the_api_lists_sources_with_their_evidence(client) -> None:
    sources = client.get("/api/v1/catalogue?region=安徽&level=province").json()["sources"]
    (source,) = [source for source in sources if source["name"] == "安徽省教育厅"]
    assert source["confirmed"]
    assert source["evidence"]
