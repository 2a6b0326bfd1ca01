"""The page of the catalogue: choose sources, and watch one."""

from dataclasses import replace
from urllib.parse import quote

import pytest
from lxml import html

from newsspider.features.health.check import stored_results
from newsspider.features.health.check.faults import SiteFault
from newsspider.features.health.check.site_check import ArticleRead, Repair, SiteCheck, SiteFinding
from newsspider.sites.model import from_home
from newsspider.sites.source_catalogue import read_catalogue
from newsspider.store import sites as registry
from newsspider.store.engine.database import reading, writing
from newsspider.store.sites import every_site
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
        (site,) = [site for site in every_site(conn) if site.name == "安徽省教育厅"]
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
        (site,) = [site for site in every_site(conn) if site.name == "安徽省教育厅"]
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


@pytest.fixture
def checked(filled):
    """The last visit found a list of the department of 安徽 gone, and nothing wrong with that of 教育部."""
    by_name = {source.site.name: source.site for source in read_catalogue()}
    with writing(filled) as conn:
        for name, faults in (("安徽省教育厅", [SiteFault.GONE]), ("教育部", [])):
            site = by_name[name]
            result = SiteCheck(
                name, site.home, 5, 4, 80, 72, "2026-11-01", "utf-8",
                ArticleRead(f"{site.home}1.html", "开学通知", "2026-11-01", name, (), 900),
                tuple(SiteFinding(fault, "通知", "HTTP status 404") for fault in faults),
                tuple(Repair("通知", "url", (site.home,), (f"{site.home}new/",)) for _ in faults),
            )  # fmt: skip
            stored_results.keep(conn, site, result, 1_760_000_000.0)


def test_the_last_verdict_is_shown_and_chosen_by(client, checked) -> None:
    page = html.fromstring(client.get("/catalogue?region=340000&level=province").text)
    (cell,) = [td for td in page.cssselect("td[data-label='检查']") if td.cssselect("a")]
    assert (cell.cssselect("a")[0].text, cell.cssselect("time")[0].text) == ("页面不存在", "2025-10-09")
    assert rows(client, "?verdict=ok") == ["教育部"]
    assert rows(client, "?verdict=faulty") == rows(client, "?verdict=gone") == ["安徽省教育厅"]
    assert rows(client, "?verdict=dns") == []
    assert "安徽省教育厅" not in rows(client, "?region=340000&level=province&verdict=unchecked")


def test_the_report_of_a_visit_says_what_was_found_and_what_to_do(client, checked) -> None:
    page = html.fromstring(client.get("/catalogue/check?name=" + quote("安徽省教育厅")).text)
    text = " ".join(page.cssselect("main")[0].text_content().split())
    command = "scrapy sites check '安徽省教育厅' --apply"  # a name may have blanks
    for part in ("页面不存在", "2025-10-09", "列表 4 / 5", "条目 80", "开学通知", "主机答复 HTTP 404", "打开首页", "new/", command):
        assert part in text, part
    assert client.get("/catalogue/check?name=" + quote("教育部")).status_code == 200
    assert client.get("/catalogue/check?name=" + quote("江苏省教育厅")).status_code == 404


def test_a_watched_source_has_the_visit_of_its_own_site(client, checked, filled) -> None:
    send(client, "/catalogue/add", name="安徽省教育厅")
    with writing(filled) as conn:
        (site,) = [site for site in every_site(conn) if site.name == "安徽省教育厅"]
        registry.remove(conn, site.name, 1.0)
        registry.put(conn, other := replace(site, name="皖教"), 1.0)
        stored_results.keep(conn, other, SiteCheck(other.name, other.home, 5, 5), 1_770_000_000.0)
    page = html.fromstring(client.get("/catalogue?region=340000&level=province&verdict=ok").text)
    assert [link.get("href") for link in page.cssselect("td[data-label='检查'] a")] == ["/catalogue/check?name=" + quote("皖教")]
