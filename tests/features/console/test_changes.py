"""What people change in the console: sites, URLs, what they submit; and that no page leads the server to inner addresses."""

import re

import pytest
from lxml import html
from sqlalchemy import Engine, text

from newsspider.core.url import url_key
from newsspider.features.console import accounts
from newsspider.features.console.access import COOKIE
from newsspider.sites.loader import site_toml
from newsspider.store import audit_trail
from newsspider.store.engine.database import reading, writing
from newsspider.store.sites import every_site, sync_shipped
from newsspider.store.url_history import explain
from tests.features.console.conftest import HOST, TODAY
from tests.features.console.consoles import SCRIPT, Portal, client, console_of, portal, send, site_named
from tests.support.stores import on_postgresql

__all__ = ["client", "portal"]


def test_a_site_is_weighed_switched_relearned_and_removed(client, filled) -> None:
    assert send(client, "/sites/change", name="教育部", change="weight", weight="3").headers["location"].startswith("/sites/")
    assert site_named(filled, "教育部").weight == 3
    send(client, "/sites/change", name="教育部", change="disable")
    assert not site_named(filled, "教育部").enabled
    assert "停用" in client.get("/sites/教育部").text
    send(client, "/sites/change", name="教育部", change="enable")
    send(client, "/sites/change", name="教育部", change="relearn")
    assert site_named(filled, "教育部").enabled
    assert send(client, "/sites/change", name="教育部", change="remove").headers["location"] == "/sites"
    assert site_named(filled, "教育部") is None
    with reading(filled) as conn:
        actions = [(row.action, row.before, row.after) for row in audit_trail.trail(conn, 9)]
    assert [action for action, _, _ in actions] == ["site.remove", "site.relearn", "site.enable", "site.disable", "site.weight"]
    assert actions[4][2] == "3"
    assert "教育部" in actions[0][1], "what was removed can be read, and added again"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"name": "nobody", "change": "remove"}, 404), ({"name": "教育部", "change": "drop"}, 400), ({"name": "教育部"}, 400),
        ({"name": "教育部", "change": "weight", "weight": "11"}, 400), ({"name": "教育部", "change": "weight", "weight": "x"}, 400),
    ],
)  # fmt: skip
def test_a_wrong_change_is_refused_with_a_sentence(client, filled, fields, status) -> None:
    old_site = site_named(filled, "教育部")
    answer = send(client, "/sites/change", **fields)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert site_named(filled, "教育部") == old_site


@pytest.fixture
def broken(filled: Engine) -> str:
    """What the store has of 教育部, which cannot be used."""
    site = site_named(filled, "教育部")
    toml = site_toml(site).replace(f"weight = {site.weight}", "weight = '</textarea>'", 1)
    with writing(filled) as conn:
        conn.execute(text("UPDATE sites SET toml = :toml WHERE name = '教育部'"), {"toml": toml})
    return toml


def test_a_site_that_cannot_be_used_is_named_with_its_cause_and_replaced(client, filled, broken) -> None:
    page = client.get("/sites")
    assert page.status_code == 200
    assert "站点文件有错，不能用" in page.text
    assert "weight: " in page.text
    page = client.get("/sites/教育部").text
    assert 'value="remove"' in page
    assert page.count("</textarea>") == 1
    refused = client.get("/site-rules/教育部")
    assert (refused.status_code, "scrapy sites show" in refused.text) == (409, True)
    assert send(client, "/sites/change", name="教育部", change="enable").status_code == 409
    for toml in (broken, "x", broken.replace("weight = '</textarea>'", "weight = 3").replace("教育部", "部")):
        assert send(client, "/sites/change", name="教育部", change="replace", toml=toml).status_code == 400
    good = broken.replace("weight = '</textarea>'", "weight = 3", 1)
    away = good.replace("http://www.moe.gov.cn/", "http://127.0.0.1/")
    assert send(client, "/sites/change", name="教育部", change="replace", toml=away).status_code == 400
    assert send(client, "/sites/change", name="教育部", change="replace", toml=good).status_code == 303
    assert site_named(filled, "教育部").weight == 3
    with reading(filled) as conn:
        row = audit_trail.trail(conn, 1)[0]
    assert (row.action, "</textarea>" in row.before) == ("site.replace", True)


def test_a_site_that_somebody_else_has_mended_is_not_replaced(client, filled, broken) -> None:
    base = re.search('name="base" value="([^"]+)"', client.get("/sites/教育部").text)[1]
    mended, other = (broken.replace("weight = '</textarea>'", f"weight = {weight}", 1) for weight in (3, 4))
    assert send(client, "/sites/change", name="教育部", change="replace", toml=mended, base=base).status_code == 303
    refused = send(client, "/sites/change", name="教育部", change="replace", toml=other, base=base)
    assert (refused.status_code, "请返回" in refused.text) == (409, True)
    assert site_named(filled, "教育部").weight == 3


def test_a_site_that_cannot_be_used_is_disabled_and_removed(client, filled, broken) -> None:
    assert send(client, "/sites/change", name="教育部", change="disable").status_code == 303
    assert 'value="disable"' not in client.get("/sites/教育部").text
    assert send(client, "/submit", url="http://new.example.cn/", how="watch").status_code == 409
    assert send(client, "/sites/change", name="教育部", change="remove").status_code == 303
    assert site_named(filled, "教育部") is None


@pytest.mark.slow
def test_a_site_is_tried_before_anything_is_stored(filled, portal) -> None:
    home, requested = portal
    client = console_of(filled, ALLOWED_ADDRESSES=["127.0.0.0/8"])
    with reading(filled) as conn:
        site_count = len(every_site(conn))
    page = send(client, "/sites/try", url=home)
    assert page.status_code == 200
    assert "找到 7 个文章链接" in page.text
    assert "gb18030" in page.text
    assert page.text.count("全省各地学校今天开学") == 15, "three sentences of five articles"
    assert 'name="name" value="育才报"' in page.text, "what its title calls it"
    assert "7 个的文字与主题“教育”相关" in page.text
    assert "读了文字最相关的 5 篇，5 篇与主题相关。" in page.text
    assert page.text.count("与主题相关 ") == 5
    assert page.text.index("存为站点") < page.text.index("文字最相关的几篇读成这样")
    assert 'name="list_name"' not in page.text, "a home page"
    assert SCRIPT not in page.text
    assert len([path for path in requested if path.endswith(".html")]) == 5
    with reading(filled) as conn:
        assert len(every_site(conn)) == site_count
        assert explain(conn, url_key(home)) is None
    answer = send(client, "/sites/add", url=home, name=f"育才报{SCRIPT}", weight="7", media_class="local")
    added = site_named(filled, f"育才报{SCRIPT}")
    assert (added.home, added.weight, added.media_class, added.channels[0].name) == (home, 7, "local", "首页")
    page = client.get(answer.headers["location"]).text
    assert "已存下" in page
    assert "采集第一次读列表页时学到。" in page
    assert '<i class="dot off">' in page
    assert send(client, "/sites/add", url=home, name="别的", weight="7", media_class="no").status_code == 400
    assert send(client, "/sites/add", url=home, name=f"育才报{SCRIPT}", weight="7").status_code == 409
    for path in ("/sites", "/settings", f"/sites/{added.name.replace('/', '%2F')}"):
        text = client.get(path).text
        assert SCRIPT not in text
        assert "育才报" in text


@pytest.mark.slow
@pytest.mark.usefixtures("new_child_processes")
def test_a_home_page_that_leads_to_a_folder_is_a_home_page(filled, portal, monkeypatch) -> None:
    monkeypatch.setattr(Portal, "moved", "/cn/")
    client = console_of(filled, ALLOWED_ADDRESSES=["127.0.0.0/8"])
    page = html.fromstring(send(client, "/sites/try", url=portal[0]).text)
    fields = next(form for form in page.forms if form.action == "/sites/add").fields
    assert (fields["name"], fields["url"], "list_kind" in fields) == ("育才报", portal[0], False)


@pytest.mark.slow
def test_a_list_page_is_tried_by_its_most_relevant_links_and_saved_with_its_own_name(filled, portal, monkeypatch) -> None:
    home, requested = portal
    off_topic = [f"全市第{number}次消防演练昨日在港区码头举行" for number in range(1, 7)]
    monkeypatch.setattr("tests.features.console.consoles.TITLES", [*off_topic, "全省高考志愿填报今日开始网上进行"])
    monkeypatch.setattr(Portal, "title", "教育要闻 - 新闻中心 - 育才报")
    client = console_of(filled, ALLOWED_ADDRESSES=["127.0.0.0/8"])
    page = html.fromstring(send(client, "/sites/try", url=f"{home}jyyw/").text)
    read = [path for path in requested if path.endswith(".html")]
    assert (len(read), read[0]) == (5, "/2026/1120/7.html")
    assert "1 个的文字与主题“教育”相关" in page.text_content()
    assert [row.text for row in page.cssselect("ul.plain li") if row.cssselect(".good")] == ["全省高考志愿填报今日开始网上进行 "]
    form = next(form for form in page.forms if form.action == "/sites/add")
    fields = {name: value for name, value in form.fields.items() if name != "form_token"}
    assert (fields["name"], fields["list_name"], fields["list_kind"]) == ("育才报", "教育要闻", "list")
    assert send(client, "/sites/add", **fields).status_code == 303
    (channel,) = site_named(filled, "育才报").channels
    assert (channel.name, channel.kind, channel.url) == ("教育要闻", "list", f"{home}jyyw/")
    refused = send(client, "/sites/add", **fields | {"list_name": "文件", "weight": "7"})
    assert (refused.status_code, "还没有存" in refused.text) == (409, True)
    again = next(form for form in html.fromstring(refused.text).forms if form.action == "/sites/add").fields
    assert (again["list_name"], again["weight"], again["url"]) == ("文件", "7", f"{home}jyyw/")


@pytest.mark.parametrize("typed", ["高考 改革", "ftp://a.cn/", "http://10.0.0.1/", "http://"])
def test_a_wrong_address_stays_in_the_form_that_names_what_is_wrong(client, typed) -> None:
    answer = send(client, "/sites/try", url=typed)
    (field,) = html.fromstring(answer.text).cssselect("form.adding input[name=url]")
    assert (answer.status_code, field.get("value"), field.get("aria-invalid")) == (400, typed, "true")
    assert html.fromstring(answer.text).get_element_by_id("url-wrong").text_content()


INNER = [
    "http://127.0.0.1/", "http://[::1]/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://192.168.1.1/",
    "http://0x7f.1/", "http://2130706433/", "http://[::ffff:127.0.0.1]/",
]  # fmt: skip


@pytest.mark.parametrize("inner", INNER)
def test_no_form_leads_to_an_inner_address(client, filled, inner) -> None:
    assert send(client, "/sites/try", url=inner).status_code == 400
    assert send(client, "/sites/add", url=inner, name="inner", weight="5").status_code == 400
    assert send(client, "/submit", url=inner, how="once").status_code == 400
    assert send(client, "/submit", url=inner, how="watch").status_code == 400
    assert send(client, "/url/fetch", url=inner).status_code == 400
    assert site_named(filled, "inner") is None


@pytest.mark.slow
def test_no_name_and_no_redirect_leads_to_an_inner_address(filled, portal) -> None:
    home, requested = portal
    page = send(console_of(filled), "/sites/try", url=home.replace("127.0.0.1", "localhost"))
    assert page.status_code == 200
    assert "没有读到这一页" in page.text
    assert not requested
    page = send(console_of(filled, ALLOWED_ADDRESSES=["127.0.0.1"]), "/sites/try", url=f"{home}away")
    assert "没有读到这一页" in page.text
    assert requested[-1] == "/away"


def test_a_submitted_url_is_waited_for_on_its_page(client, filled) -> None:
    answer = send(client, "/submit", url="http://new.example.cn/2026/1.html", how="once")
    page = client.get(answer.headers["location"]).text
    assert "待抓" in page
    assert "没有采集在运行" in page
    with reading(filled) as conn:
        history = explain(conn, url_key("http://new.example.cn/2026/1.html"))
        assert history is not None
        assert history.url["reason"] in {"found", "submitted"}
    stored = client.get("/submit", params={"u": "http://a.cn/1"}).text
    assert "/articles/1" in stored
    assert send(client, "/submit", url="javascript:alert(1)").status_code == 400
    without = send(client, "/submit", url="new.example.cn/2026/1.html", how="once")
    assert without.headers["location"] == answer.headers["location"]


def test_the_bookmark_opens_a_form_that_changes_nothing_until_it_is_sent(client, filled) -> None:
    """What it opens can be linked to by any page: it leads nowhere else, and shows what is no URL as text."""
    page = html.fromstring(client.get("/submit").text)
    bookmark = page.cssselect("#bookmarklet a")[0].get("href")
    assert bookmark == f'javascript:void open("http://{HOST}/submit?u="+encodeURIComponent(location.href),"_blank","noopener")'
    for url in ("http://evil.example/a?b=1&c=高考#d", "javascript:alert(1)", '"><script>alert(1)</script>'):
        answer = client.get("/submit", params={"u": url})
        assert (answer.status_code, "location" in answer.headers) == (200, False)
        assert html.fromstring(answer.text).get_element_by_id("url").value == url
        assert "refresh" not in answer.text
    with reading(filled) as conn:
        assert explain(conn, url_key("http://evil.example/a?b=1&c=高考")) is None


def test_a_submitted_list_becomes_a_channel(client, filled) -> None:
    answer = send(client, "/submit", url="http://list.example.cn/news/", how="watch")
    assert "list.example.cn" in client.get(answer.headers["location"]).text
    assert site_named(filled, "list.example.cn").channels[0].url == "http://list.example.cn/news/"


def test_a_url_is_fetched_again_and_forgotten(client, filled) -> None:
    assert "现在抓取" in client.get("/url", params={"u": "http://a.cn/1"}).text
    assert send(client, "/url/fetch", url="http://a.cn/1").status_code == 303
    with reading(filled) as conn:
        history = explain(conn, url_key("http://a.cn/1"))
        assert history is not None
        assert history.url["state"] == "waiting"
    assert send(client, "/url/forget", url="http://a.cn/1").status_code == 303
    assert send(client, "/url/forget", url="http://a.cn/1").status_code == 404
    assert client.get("/articles/1").status_code == 404


def test_a_reader_sees_no_form_and_changes_nothing(filled) -> None:
    with writing(filled) as conn:
        accounts.add(conn, "王芳", accounts.Role.READER, "", TODAY.timestamp())
        secret = accounts.grant(conn, "王芳", "test", TODAY.timestamp())
    client = console_of(filled)
    client.cookies.set(COOKIE, secret)
    for path in ("/sites/try", "/sites/add", "/sites/change", "/submit", "/url/fetch", "/url/forget"):
        answer = send(client, path, url="http://a.cn/1", name="教育部", change="remove")
        assert answer.status_code == 403, path
        assert "没有权限" in answer.text
    for path in ("/sites", "/sites/教育部", "/url?u=http://a.cn/1", "/submit"):
        assert 'method="post" action="/logout"' in client.get(path).text
        assert client.get(path).text.count('method="post"') == 1, path


@on_postgresql
def test_changes_work_on_postgresql(client, filled) -> None:
    with writing(filled) as conn:
        sync_shipped(conn, TODAY.timestamp())
    assert send(client, "/sites/change", name="教育部", change="weight", weight="3").status_code == 303
    assert send(client, "/submit", url="http://new.example.cn/2026/1.html", how="once").status_code == 303
    assert send(client, "/url/forget", url="http://a.cn/1").status_code == 303
    assert "删除网址" in client.get("/settings").text
