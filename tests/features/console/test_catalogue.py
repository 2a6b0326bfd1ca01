"""The page of the catalogue: choose sources, and watch one."""

from urllib.parse import quote

from lxml import html

from newsspider.sites.model import from_home
from newsspider.store import sites as registry
from newsspider.store.engine.database import reading, writing
from newsspider.store.sites import sites
from tests.features.console.consoles import client, send

__all__ = ["client"]


def rows(client, query: str) -> list[str]:
    page = html.fromstring(client.get(f"/catalogue{query}").text)
    return [th.text.strip() for th in page.cssselect("tbody th")]


def test_without_a_choice_the_national_sources_are_shown(client) -> None:
    assert rows(client, "")[0] == "教育部"


def test_sources_are_chosen_by_region_level_and_class(client) -> None:
    assert rows(client, "?region=330100&level=city&media_class=") == ["杭州市教育局"]
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


def test_the_choice_stays_when_a_source_is_added(client) -> None:
    page = html.fromstring(client.get(f"/catalogue?region={quote('安徽')}&level=province&media_class=official").text)
    (form,) = [form for form in page.forms if form.fields.get("name") == "安徽省教育厅"]
    assert (form.fields["region"], form.fields["media_class"]) == ("340000", "official")
    answer = send(client, "/catalogue/add", **{name: form.fields[name] for name in ("name", "region", "media_class")})
    assert answer.headers["location"] == "/catalogue?region=340000&media_class=official"


def test_a_site_that_is_switched_off_or_has_the_host_is_named(client, filled) -> None:
    send(client, "/catalogue/add", name="安徽省教育厅")
    with writing(filled) as conn:
        (site,) = [site for site in sites(conn) if site.name == "安徽省教育厅"]
        registry.remove(conn, site.name, 1.0)
        other = from_home(site.home)
        registry.put(conn, other, 1.0)
        registry.enable(conn, other.name, False, 1.0)
    page = html.fromstring(client.get("/catalogue?region=340000&level=province").text)
    (link,) = [link for link in page.cssselect("tbody a.tag") if link.get("title") == other.name]
    assert (link.text, link.get("href")) == ("已停用", f"/sites/{quote(other.name)}")
    refused = send(client, "/catalogue/add", name="安徽省教育厅")
    assert refused.status_code == 409
    assert f"站点“{other.name}”已在 {other.name} 上" in html.fromstring(refused.text).text_content()


def test_the_api_lists_sources_with_their_evidence(client) -> None:
    sources = client.get("/api/v1/catalogue?region=安徽&level=province").json()["sources"]
    (source,) = [source for source in sources if source["name"] == "安徽省教育厅"]
    assert source["confirmed"]
    assert source["evidence"]
