"""The rules of a site in the console: tried on its pages, named where they are wrong, stored for the running crawl."""

import json
import threading

import pytest
from lxml.html import document_fromstring
from scrapy.utils.project import get_project_settings

from newsspider.features.console import site_rules_preview
from newsspider.features.console.child_process import ChildError
from newsspider.features.console.pages import site_rules
from newsspider.features.console.site_edits import rule_fields, with_rules
from newsspider.features.console.site_rules_preview import FetchedPages
from newsspider.sites.loader import load_site, site_toml
from newsspider.sites.model import from_home
from newsspider.store import audit_trail
from newsspider.store import sites as registry
from newsspider.store.engine.database import reading, writing
from newsspider.store.sites import version
from tests.features.console.conftest import TODAY, Morning
from tests.features.console.consoles import client, console_of, portal, send, site_named
from tests.support.events import until
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

__all__ = ["client", "portal"]

SHOWN = """name = "某报"\nhome = "http://x.cn/"\nweight = 5\nmedia_class = "portal"\narticle_url = '/\\d+\\.html'\n
[xpaths]\ntitle = "//h1"\n\n[[channels]]\nname = "要闻"\nurl = "http://x.cn/1"\nregions = ["//ul", "//table"]\n
[[channels]]\nname = "\\"高教\\""\nurl = "http://x.cn/2"\nnext_page = "//a[1]"\n"""
SNAPSHOT = "<title>甲乙丙丁</title><div class=t>站里存的标题一篇</div>" + "<p>全省各地学校今天开学，教师和学生回到课堂。</p>" * 3


def test_the_fields_of_a_form_give_the_same_site_back() -> None:
    site = load_site(SHOWN, "")
    for channel in site.channels:
        fields = rule_fields(site, channel.name)
        assert with_rules(site, fields) == site
    assert fields["next_page"] == "//a[1]"
    without = with_rules(site, {"channel": "要闻", "regions": "", "title": " ", "article_url": ""})
    assert (without.channels[0].regions, without.rules.title, without.article_url) == ((), None, None)
    assert without.channels[1] == site.channels[1]


@pytest.mark.slow
def test_rules_are_tried_and_stored(filled, portal) -> None:
    home, requested = portal
    client = console_of(filled, ALLOWED_ADDRESSES=["127.0.0.0/8"])
    send(client, "/sites/add", url=home, name="育才报", weight="7")
    with reading(filled) as conn:
        old_version = version(conn)
    rules = {"channel": "首页", "regions": "//ul[@class='list']\n//ol", "title": "//h1", "author": "//h6"}
    rules["article"] = f"{home}2026/1120/1.html"
    page = send(client, "/site-rules/育才报", **rules, do="preview").text
    assert "7 个文章链接" in page
    assert "<code>//ol</code> 什么也没选中" in page
    assert "<code>//h6</code> 什么也没选中" in page
    assert "<code>//h1</code>" not in page, "it selects something"
    assert "全省各地学校今天开学" in page
    assert "<script>alert" not in page
    count = len(requested)
    assert "/robots.txt" in requested
    send(client, "/site-rules/育才报", **rules | {"regions": "//ul"}, do="preview")
    assert len(requested) == count, "the pages are kept for a moment"
    send(client, "/site-rules/育才报", **rules, do="preview", again="1")
    assert len(requested) > count
    with reading(filled) as conn:
        assert version(conn) == old_version, "nothing is stored yet"
    assert send(client, "/site-rules/育才报", **rules, do="save").status_code == 303
    site = site_named(filled, "育才报")
    assert site.channels[0].regions == ("//ul[@class='list']", "//ol")
    assert (site.rules.title, site.rules.author) == ("//h1", "//h6")
    with reading(filled) as conn:
        assert version(conn) > old_version, "by which a running crawl knows that it is to read the sites again"
        row = audit_trail.trail(conn, 1)[0]
    assert (row.action, row.subject) == ("site.rules", "育才报")
    assert json.loads(row.after)["title"] == "//h1"
    assert json.loads(row.before)["title"] == ""


@pytest.mark.slow
def test_rules_of_a_new_site_are_tried_on_the_first_article_of_its_list(filled, portal) -> None:
    home, requested = portal
    client = console_of(filled, ALLOWED_ADDRESSES=["127.0.0.0/8"])
    send(client, "/sites/add", url=home, name="育才报", weight="7")
    form = fields_of(client.get("/site-rules/育才报").text)
    assert form["article"] == ""
    page = send(client, "/site-rules/育才报", **form | {"title": "//h1"}, do="preview").text
    assert "全省各地学校今天开学" in page
    assert fields_of(page)["article"] == f"{home}2026/1120/1.html"
    assert 'placeholder="例：//h1"' in page
    count = len(requested)
    assert "全省各地学校今天开学" in send(client, "/site-rules/育才报", **fields_of(page), do="preview").text
    assert len(requested) == count, "list and article are kept for a moment"
    assert "全省各地学校今天开学" in send(client, "/site-rules/育才报", **form, do="preview").text, "of a list that is kept"


def test_an_invalid_rule_is_reported_beside_its_field_and_nothing_is_stored(client, filled) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://x.cn/"), 1.0)
    old_toml = site_toml(site_named(filled, "x.cn"))
    wrong = {"regions": "//ul\n//div[", "title": "//h1[matches(., 'x')]", "article_url": "(", "next_page": "count(//a)"}
    wrong |= {"body": "//*[count(" * 6 + "//*" + ")>0]" * 6, "items": "[" * 900, "author": "//a" * 700}
    for do in ("save", "preview"):
        answer = send(client, "/site-rules/x.cn", channel="首页", **wrong, do=do)
        assert answer.status_code == 400
        for field in wrong:
            assert f'id="{field}-wrong"' in answer.text
        assert "//div[" in answer.text, "what was typed stays"
    assert site_toml(site_named(filled, "x.cn")) == old_toml
    assert send(client, "/site-rules/x.cn", channel="none", regions="//ul", do="save").status_code == 400
    assert send(client, "/site-rules/nobody", do="save").status_code == 404
    assert send(client, "/site-rules/x.cn", channel="首页", article="http://10.0.0.1/1", do="preview").status_code == 400


def fields_of(page: str) -> dict[str, str]:
    """The fields of the form of rules as a browser would send them."""
    return dict(document_fromstring(page).cssselect("form.rules")[0].fields)


def test_of_two_editors_neither_replaces_rules_that_the_other_has_not_seen(client, filled) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://x.cn/"), 1.0)
    path = "/site-rules/x.cn"
    mine = theirs = fields_of(client.get(path).text)
    assert send(client, path, **theirs | {"title": "//h1"}, do="save").status_code == 303
    assert send(client, "/sites/change", name="x.cn", change="weight", weight="9").status_code == 303
    refused = send(client, path, **mine | {"date": "//time"}, do="save")
    assert refused.status_code == 409
    assert "现在存着的： <code>//h1</code>" in refused.text
    assert (site_named(filled, "x.cn").rules.title, site_named(filled, "x.cn").rules.date) == ("//h1", None)
    again = fields_of(refused.text)
    assert (again["title"], again["date"]) == ("", "//time"), "what was typed stays"
    assert send(client, path, **again | {"title": "//h1"}, do="save").status_code == 303
    assert (site_named(filled, "x.cn").rules.title, site_named(filled, "x.cn").rules.date) == ("//h1", "//time")


def test_a_form_with_a_wrong_rule_still_knows_what_it_was_made_of(client, filled) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://x.cn/"), 1.0)
    path = "/site-rules/x.cn"
    mine = fields_of(client.get(path).text)
    assert send(client, path, channel="首页", title="//h1", do="save").status_code == 303
    wrong = send(client, path, **mine | {"date": "//time["}, do="save")
    assert wrong.status_code == 400
    assert send(client, path, **fields_of(wrong.text) | {"date": "//time"}, do="save").status_code == 409


@pytest.mark.usefixtures("new_child_processes")
def test_a_stored_snapshot_is_read_without_asking_its_host(client, filled) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://x.cn/"), 1.0)
        page = {"content": SNAPSHOT.encode("gb18030"), "charset": "gb18030"}
        save_article(conn, "http://x.cn/1", "甲", title="甲", site="x.cn", crawled_at=TODAY, **page)
    assert 'value="http://x.cn/1"' in client.get("/site-rules/x.cn").text
    trial = {"rules": {"title": "//div[@class='t']", "author": "//h6"}, "article": "http://x.cn/1"}
    preview = client.post("/api/v1/site-rules/x.cn", json=trial).json()
    assert preview["article"]["title"] == "站里存的标题一篇"
    assert preview["selected"] == [["title", "//div[@class='t']", 1], ["author", "//h6", 0]]
    assert site_named(filled, "x.cn").rules.title is None


@on_postgresql
def test_rules_change_over_the_api(client, filled) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://x.cn/"), 1.0)
    changed = {"rules": {"channel": "首页", "regions": ["//ul", "//ol"], "body": "//article"}, "weight": 9}
    assert client.post("/api/v1/sites/x.cn", json=changed).json()["weight"] == 9
    rules = client.get("/api/v1/sites/x.cn").json()["rules"]["首页"]
    assert (rules["regions"], rules["body"]) == ("//ul\n//ol", "//article")
    client.post("/api/v1/sites/x.cn", json={"rules": {"body": ""}})
    site = site_named(filled, "x.cn")
    assert (site.channels[0].regions, site.rules.body) == (("//ul", "//ol"), None)
    refused = client.post("/api/v1/sites/x.cn", json={"rules": {"title": "//h1["}})
    assert (refused.status_code, refused.json()["detail"][:14]) == (400, "rules: xpaths.")


def test_one_preview_waits_and_others_are_told_to_come_back(client, filled) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://x.cn/"), 1.0)
        page = {"content": SNAPSHOT.encode("gb18030"), "charset": "gb18030"}
        save_article(conn, "http://x.cn/1", "甲", title="甲", site="x.cn", crawled_at=TODAY, **page)
    trial, answers = {"rules": {"title": "//h1"}, "article": "http://x.cn/1"}, []
    state = client.app.state
    with state.trying:
        waiting = threading.Thread(target=lambda: answers.append(client.post("/api/v1/site-rules/x.cn", json=trial)))
        waiting.start()
        until(state.waiting.locked)
        refused = client.post("/api/v1/site-rules/x.cn", json=trial)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, f"{site_rules.PREVIEW_SECONDS:.0f}")
        assert not answers
    waiting.join(60)
    assert [answer.status_code for answer in answers] == [200]


@pytest.mark.slow
def test_a_preview_keeps_the_delay_since_the_last_one_and_a_failure_for_a_moment(filled, portal, monkeypatch) -> None:
    home, requested = portal
    client = console_of(filled, ALLOWED_ADDRESSES=["127.0.0.0/8"], DELAY_MIN_SECONDS=1)
    with writing(filled) as conn:
        registry.put(conn, from_home(home), 1.0)
    calls, done, done_apart = [], [], site_rules_preview.done_apart

    def noted(*values):
        calls.append(values)
        done.append(done_apart(*values))
        return done[-1]

    monkeypatch.setattr(site_rules_preview, "done_apart", noted)
    path, trial = f"/api/v1/site-rules/{from_home(home).name}", {"rules": {"title": "//h1"}, "article": f"{home}away"}
    first = client.post(path, json=trial).json()
    assert "moved to another site" in first["article_problem"]
    (rest,) = done[0]["rests"].values()
    assert 0 < rest <= 1
    assert calls[0][2] == 63, "a minute, and the delay of three requests"
    count = len(requested)
    assert client.post(path, json=trial).json()["article_problem"] == first["article_problem"]
    assert len(requested) == count, "what failed is not asked again at once"
    client.post(path, json=trial | {"again": True})
    assert len(requested) > count
    assert list(calls[-1][1][5].values()) == [rest], "the host rests first"


def test_a_wrong_article_or_list_is_named_and_what_was_typed_stays(client, filled) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://x.cn/"), 1.0)
    for article in ("http://[", "ftp://x.cn/1", "http://10.0.0.1/1"):
        answer = send(client, "/site-rules/x.cn", channel="首页", title="//h1[1]", article=article, do="preview")
        assert answer.status_code == 400
        assert 'id="article-wrong"' in answer.text
        assert "//h1[1]" in answer.text, "what was typed stays"
    answer = send(client, "/site-rules/x.cn", channel="nowhere", title="//h1[1]", do="preview")
    assert answer.status_code == 400
    assert "站点没有叫“nowhere”的频道" in answer.text
    assert "//h1[1]" in answer.text
    refused = client.post("/api/v1/site-rules/x.cn", json={"rules": {"channel": "nowhere", "title": "//h1"}})
    assert (refused.status_code, refused.json()["detail"]) == (400, "rules: channel: the site has none of the name 'nowhere'")


def test_a_host_that_has_rested_long_ago_rests_no_longer() -> None:
    fetched = FetchedPages()
    fetched.rest("x.cn", 2.0, 1000.0)
    assert fetched.rests(["http://x.cn/1"], 1001.0) == {"x.cn": 1.0}
    assert fetched.rests(["http://x.cn/1"], 2000.0) == {"x.cn": 0.0}


def test_a_host_that_rests_long_keeps_no_turn(client, filled, monkeypatch) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://x.cn/"), 1.0)
    fetched, clock, previews = client.app.state.fetched_pages, client.app.state.clock, []
    fetched.rest("x.cn", 119.5, clock.now())
    with client.app.state.trying:
        refused = client.post("/api/v1/site-rules/x.cn", json={"rules": {"title": "//h1"}, "article": "http://x.cn/1"})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "120")
    assert refused.json()["detail"] == "the site was just asked; try again in 120 s"
    fetched.rest("x.cn", 4.0, clock.now())
    monkeypatch.setattr(site_rules, "rules_preview", lambda *_: previews.append(1) or site_rules_preview.RulesPreview())
    monkeypatch.setattr(site_rules, "refuse_private", lambda *_: None)
    assert client.post("/api/v1/site-rules/x.cn", json={"rules": {"title": "//h1"}}).status_code == 200
    assert previews, "a short rest is waited for"


def test_a_list_that_is_never_fetched_is_named_itself(client, filled) -> None:
    with writing(filled) as conn:
        registry.put(conn, from_home("http://10.0.0.1/"), 1.0)
    answer = send(client, "/site-rules/10.0.0.1", channel="首页", article="http://10.0.0.2/1", do="preview")
    assert answer.status_code == 400
    assert "channel: http://10.0.0.1/ 从不抓取：内网地址 10.0.0.1" in answer.text
    assert 'id="article-wrong"' not in answer.text


def test_rules_that_fail_keep_no_failure_of_their_pages(monkeypatch) -> None:
    def failing(*_):
        raise ChildError("it took longer than 60 s")

    monkeypatch.setattr(site_rules_preview, "done_apart", failing)
    fetched, clock = FetchedPages(), Morning()
    site = from_home("http://x.cn/")
    preview = site_rules_preview.rules_preview(site, "首页", "http://x.cn/1", {}, fetched, clock, get_project_settings())
    assert preview.list_problem == preview.article_problem == "it took longer than 60 s"
    assert [fetched.get(url, clock.now()) for url in ("http://x.cn/", "http://x.cn/1")] == [None, None]
    assert fetched.rests(["http://x.cn/"], clock.now())["x.cn"] > 0, "it may have been asked"
