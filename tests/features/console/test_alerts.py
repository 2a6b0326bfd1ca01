"""Alerts in the console: seen, tried, saved, muted, sent again, and by whom."""

import re
from datetime import timedelta
from threading import Event

import pytest
from fastapi.testclient import TestClient
from lxml import html
from sqlalchemy import Engine, text

from newsspider.features.alerts import deliveries, stored_alerts, story_bundling
from newsspider.features.alerts.channels import Outcome
from newsspider.features.alerts.deliveries import Delivery
from newsspider.features.alerts.delivery_loop import Deliverer
from newsspider.features.console.app import create_app
from newsspider.store import audit_trail
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writing
from tests.features.alerts.conftest import receiver
from tests.features.console.conftest import HOST, TODAY, Morning
from tests.features.console.page_parts import _Page
from tests.features.console.people import app, client, clock, log_in, peopled, send
from tests.support.receiver import alert
from tests.support.samples import save_article
from tests.support.stores import on_postgresql

__all__ = ["app", "client", "clock", "peopled", "receiver"]

HOOK = "http://127.0.0.1:1/secret"
NOW = TODAY.timestamp()


class Later(Clock):
    """Two minutes later no story waits for its event."""

    def now(self) -> float:
        return NOW + 120


@pytest.fixture
def local(filled: Engine) -> TestClient:
    """The console without accounts."""
    return TestClient(create_app(filled, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}", follow_redirects=False)


def stored(engine: Engine) -> dict[str, stored_alerts.Alert]:
    with reading(engine) as conn:
        return {rule.name: rule for rule in stored_alerts.all_alerts(conn)}


def test_a_long_preview_shows_the_latest_and_folds_the_others(local, filled) -> None:
    with writing(filled) as conn:
        for number in range(25):
            save_article(conn, f"http://p.cn/{number}", f"第{number}条延时服务新规定", NOW, title=f"延时服务{number}", published_at=TODAY)
    page = html.fromstring(send(local, "/alerts/preview", kind="query", query="新规定", per="reprints").text)
    shown, folded = page.cssselect("ol.entries")
    assert (len(shown), len(folded), folded.getparent().tag) == (10, 15, "details")
    assert folded.getparent().find("summary").text == "其余 15 条"


def test_the_name_that_is_offered_for_a_long_query_ends_with_a_word(local) -> None:
    query = "site:教育部 title:高考 OR title:中考 OR title:研究生考试 subtopic:招生录取 -电影 -电视剧 -小说"
    assert f'value="{query}"' in local.get("/alerts", params={"query": query}).text
    name = html.fromstring(local.get("/alerts", params={"query": query * 3}).text).get_element_by_id("name").value
    assert len(name) <= 100
    assert (query * 3).startswith(f"{name} ")


def test_the_form_shows_last_week_before_it_is_saved(local, filled) -> None:
    local.get("/alerts?query=火灾")
    page = send(local, "/alerts/preview", name="火", kind="query", query="火灾", to=HOOK).text
    assert "上周会提醒 1 次" in page  # two articles of one event
    assert "同一事件另有 1 篇" in page
    assert "标题有“火灾”" in page
    assert f'value="{HOOK}"' in page
    assert stored(filled) == {}
    wrong = send(local, "/alerts/preview", kind="query", query="(")
    assert wrong.status_code == 400
    assert "最后少一个词" in wrong.text


def test_an_alert_is_saved_muted_and_removed(local, filled) -> None:
    local.get("/alerts")
    saved = send(local, "/alerts", name="火", kind="query", query="火灾", to=HOOK, rhythm="daily", at="07:30", quiet="22:00-07:00")
    secret = re.search(r"whsec_[\w+/=]+", saved.text.replace("&#43;", "+"))
    assert saved.status_code == 200
    assert secret
    rule = stored(filled)["火"]
    assert rule.channels == (f"{HOOK}#{secret[0]}",)
    assert rule.rhythm.texts() == ("daily 07:30", "22:00-07:00")
    page = local.get("/alerts").text
    assert "http://127.0.0.1:1/…" in page
    assert "secret" not in page
    assert "whsec_" not in page
    assert send(local, "/alerts/mute", id=str(rule.id), days="1").status_code == 303
    assert stored(filled)["火"].muted_until == NOW + 86_400
    assert "静音" in local.get(f"/alerts/{rule.id}").text
    assert send(local, "/alerts/mute", id=str(rule.id), days="0").status_code == 303
    assert stored(filled)["火"].muted_until == 0
    second = send(local, "/alerts", name="火", kind="query", query="火", channel=f"{rule.id}-0")
    assert second.status_code == 400
    assert "已有提醒" in second.text
    assert send(local, "/alerts", name="二", kind="event", event="5", query="", channel=f"{rule.id}-0").status_code == 303
    assert stored(filled)["二"].channels == rule.channels
    assert send(local, "/alerts/remove", id=str(rule.id)).status_code == 303
    assert set(stored(filled)) == {"二"}


@pytest.mark.parametrize(
    "fields",
    [{"name": ""}, {"query": ""}, {"to": "nope://x"}, {"kind": "event", "event": "1"}, {"kind": "source", "source": "无"},
     {"rhythm": "weekly"}, {"rhythm": "daily", "at": "25:00"}, {"quiet": "x"}, {"per": "x"}, {"kind": "source", "source": ""}],
)  # fmt: skip
def test_a_wrong_form_is_refused_with_a_sentence_and_keeps_its_fields(local, filled, fields) -> None:
    local.get("/alerts")
    form = {"name": "火", "kind": "query", "query": "火灾", "to": HOOK, "rhythm": "immediately", "per": "event", **fields}
    answer = send(local, "/alerts", **form)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert " --" not in re.sub(r"<!--.*?-->", "", answer.text)
    assert stored(filled) == {}


def test_an_alert_without_a_channel_tells_in_the_console(local, filled) -> None:
    local.get("/alerts")
    assert send(local, "/alerts", name="火", kind="query", query="新高考").status_code == 303
    assert stored(filled)["火"].channels == ("console",)
    assert "还没有消息" in local.get("/alerts").text
    with writing(filled) as conn:
        saved = save_article(conn, "http://d.cn/1", "新高考来了", NOW, title="新高考方案")
    for _ in range(2):
        Deliverer(filled, "http://console/news", 1.0, clock=Later()).run(Event(), once=True)
    with reading(filled) as conn:
        assert [row.state for row in deliveries.listed(conn)] == ["sent"]
    for page in (local.get("/alerts").text, local.get(f"/alerts/{stored(filled)['火'].id}").text):
        assert page.count(f'href="/articles/{saved.article_id}">新高考方案</a>') == 1
    with_prefix = TestClient(create_app(filled, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}", root_path="/news")
    assert f'href="/news/articles/{saved.article_id}"' in with_prefix.get("/news/alerts").text


def test_a_preview_without_a_story_shows_what_the_query_finds(local, filled) -> None:
    local.get("/alerts")
    with writing(filled) as conn:
        old = TODAY - timedelta(days=300)
        save_article(conn, "http://d.cn/1", "新高考来了", NOW, title="旧闻新高考", published_at=old, crawled_at=old)
    page = send(local, "/alerts/preview", kind="query", query="新高考").text
    assert "上周会提醒 0 次" in page
    assert "旧闻新高考" in page.replace("<wbr>", "")
    assert "还没有文章符合" in send(local, "/alerts/preview", kind="query", query="火星移民").text


@pytest.mark.parametrize(
    ("field", "fields"),
    [("query", {"query": "(高考"}), ("to", {"to": "junk"}), ("quiet", {"quiet": "x"}), ("name", {"name": ""}),
     ("event", {"kind": "event", "event": "1"}), ("source", {"kind": "source", "source": "无"})],
)  # fmt: skip
def test_an_error_stands_next_to_its_field(local, field, fields) -> None:
    local.get("/alerts")
    page = send(local, "/alerts", **{"name": "火", "kind": "query", "query": "火灾", **fields}).text
    assert f'aria-describedby="{field}-wrong"' in page
    assert page.count('role="alert"') == 1
    assert f'id="{field}-wrong" role="alert"' in page


def test_a_chosen_channel_and_a_new_one_are_both_told(local, filled) -> None:
    with writing(filled) as conn:
        old_alert = alert(conn, HOOK, name="0")
    local.get("/alerts")
    fields, new = {"kind": "query", "query": "火灾"}, "http://127.0.0.1:1/new"
    assert send(local, "/alerts", name="两处", channel=f"{old_alert.id}-0", to=new, **fields).status_code == 200
    assert send(local, "/alerts", name="新的", channel="console", to=new, **fields).status_code == 200
    assert send(local, "/alerts", name="一处", channel=f"{old_alert.id}-0", **fields).status_code == 303
    body = {"name": "接口", "query": "火灾", "channel": f"{old_alert.id}-0", "channels": [new]}
    assert local.post("/api/v1/alerts", json=body).status_code == 201
    several = {name: [channel.partition("#")[0] for channel in rule.channels] for name, rule in stored(filled).items()}
    assert several == {"0": [HOOK], "两处": [new, HOOK], "接口": [new, HOOK], "新的": [new], "一处": [HOOK]}


def test_a_channel_keeps_its_name_when_an_alert_is_added_that_comes_before(local, filled) -> None:
    with writing(filled) as conn:
        (channel,) = alert(conn, HOOK, name="后").channels
    channels = local.get("/api/v1/alerts").json()["channels"]
    with writing(filled) as conn:
        alert(conn, channel, name="0")
    assert local.get("/api/v1/alerts").json()["channels"] == channels


def test_what_was_given_up_is_sent_again(local, filled) -> None:
    with writing(filled) as conn:
        alert(conn, HOOK, query="新高考")
        save_article(conn, "http://d.cn/1", "新高考来了", NOW, title="新高考")
        story_bundling.put(conn, story_bundling.due(conn, NOW + 120), "http://console", NOW)
        (waiting,) = deliveries.listed(conn)
        lost = Delivery(waiting.key, HOOK, {}, "", 1, (1, 0))
        deliveries.failed(conn, lost, Outcome("HTTP 410 Gone", for_good=True), NOW, base=1, chance=0)
    page = local.get("/alerts").text
    assert "HTTP 410 Gone" in page
    assert send(local, "/alerts/resend", key=waiting.key).status_code == 303
    with reading(filled) as conn:
        assert [row.state for row in deliveries.listed(conn)] == ["waiting"]


def test_what_was_given_up_for_others_hides_nothing_of_ones_own(client, peopled) -> None:
    with writing(peopled) as conn:
        for number, owner in enumerate(("王芳", *["李伟"] * (deliveries.MOST_LISTED + 1))):
            message = alert(conn, HOOK, owner=owner, name=f"n{number}")
            values = {"key": f"k{number}", "alert_id": message.id, "state": "dead", "error": f"error {owner}", "at": NOW + number}
            conn.execute(
                text(
                    "INSERT INTO alert_deliveries (key, alert_id, channel, message, state, tries, due_at, error, created_at)"
                    " VALUES (:key, :alert_id, 0, '{\"data\": {\"alert\": {\"name\": \"n\"}, \"stories\": []}}', :state, 1, 0, :error, :at)"
                ),
                values,
            )
    log_in(client, "王芳")
    page = client.get("/alerts").text
    assert "error 王芳" in page
    assert "error 李伟" not in page


def test_whoever_has_the_link_of_a_message_may_mute_and_nothing_else(client, peopled) -> None:
    with writing(peopled) as conn:
        new_alert = alert(conn, HOOK, name="火", owner="王芳")
    page = client.get(f"/alerts/mute/{new_alert.token}")
    assert page.status_code == 200
    assert "主导航" not in page.text
    assert stored(peopled)["火"].muted_until == 0  # a program that looks at links mutes nothing
    assert client.post(f"/alerts/mute/{new_alert.token}", data={"days": "1"}).status_code == 403
    assert send(client, f"/alerts/mute/{new_alert.token}", days="1").status_code == 200
    assert stored(peopled)["火"].muted_until == NOW + 86_400
    assert client.get("/alerts").status_code == 303
    assert client.get("/alerts/mute/other").status_code in {303, 404}


def test_readers_have_alerts_of_their_own_and_choose_no_address(client, peopled) -> None:
    with writing(peopled) as conn:
        mine = alert(conn, HOOK, name="我的", owner="王芳")
        other = alert(conn, "http://127.0.0.1:1/other", name="别人的", owner="李伟")
    log_in(client, "王芳")
    page = client.get("/alerts").text
    assert "我的" in page
    assert "别人的" not in page
    assert client.get(f"/alerts/{other.id}").status_code == 404
    assert send(client, "/alerts/remove", id=str(other.id)).status_code == 404
    fields = {"name": "新", "kind": "query", "query": "高考", "rhythm": "hourly", "owner": "李伟"}
    assert send(client, "/alerts", **fields, to="http://169.254.169.254/").status_code == 403
    assert send(client, "/alerts", **fields, channel=f"{other.id}-0").status_code == 400
    assert send(client, "/alerts", **fields, channel=f"{mine.id}-0").status_code == 303
    assert stored(peopled)["新"].owner == "王芳"
    client.cookies.clear()
    log_in(client, "赵敏")
    assert "别人的" in client.get("/alerts").text
    assert send(client, "/alerts", **{**fields, "name": "管"}, to=HOOK).status_code == 200
    assert stored(peopled)["管"].owner == "李伟"
    nobody = send(client, "/alerts", **{**fields, "name": "无主", "owner": "查无此人"})
    assert (nobody.status_code, "没有“查无此人”这个账号" in nobody.text) == (400, True)
    assert send(client, "/alerts", **{**fields, "name": "自己的", "owner": ""}).status_code == 303
    assert (stored(peopled)["自己的"].owner, "无主" in stored(peopled)) == ("赵敏", False)
    assert "添加提醒" in client.get("/settings").text


def test_what_pages_say_stays_text(local, filled) -> None:
    with writing(filled) as conn:
        alert(conn, HOOK, name='"><script>alert(1)</script>', query="script")
    local.get("/alerts")
    pages = [local.get("/alerts").text, local.get("/alerts/1").text, local.get("/alerts?query=<script>").text,
             send(local, "/alerts/preview", name="<b>", kind="query", query="script", to="<i>").text]  # fmt: skip
    for page in pages:
        assert not [tag for tag, attributes in _Page(page).tags if tag == "i" or (tag == "script" and "src" not in dict(attributes))]
    assert "正文有“script”" in pages[1]


@on_postgresql
def test_alerts_work_on_postgresql(local, filled) -> None:
    local.get("/alerts")
    assert send(local, "/alerts", name="火", kind="event", event="2", query="火灾", to=HOOK, rhythm="hourly").status_code == 200
    number = stored(filled)["火"].id
    assert "24 小时内有 2 个页面" in local.get(f"/alerts/{number}").text
    assert local.get("/alerts").status_code == 200


def test_the_alerts_of_an_account_go_with_it(client, peopled) -> None:
    with writing(peopled) as conn:
        alert(conn, HOOK, name="我的", owner="王芳")
        alert(conn, HOOK, name="众人的")
    log_in(client, "赵敏")
    assert send(client, "/settings/accounts/remove", name="王芳").status_code == 303
    assert set(stored(peopled)) == {"众人的"}


def test_a_channel_is_tried_before_it_is_saved_and_shows_no_secret_afterwards(local, filled, receiver) -> None:
    local.get("/alerts")
    form = {"name": "火", "kind": "query", "query": "火灾", "service": "webhook", "hook_url": f"{receiver.url}?token=5ecret"}
    assert "试发成功" in send(local, "/alerts/try", **form).text
    assert receiver.titles() == ["测试：提醒可以送达"]
    assert stored(filled) == {}
    assert send(local, "/alerts", **form).status_code == 200  # it shows the key, once
    rule = stored(filled)["火"]
    page = local.get(f"/alerts/{rule.id}").text
    assert "已保存，不改就留空" in page
    assert "5ecret" not in page + local.get("/alerts").text
    assert "whsec_" not in page
    assert "试发成功" in send(local, f"/alerts/{rule.id}/channels/0/try", service="webhook").text
    with reading(filled) as conn:
        assert [row.action for row in audit_trail.trail(conn, 9)].count("alert.try") == 2
    receiver.answer = lambda key: 500
    failed = send(local, "/alerts/try", **form).text
    assert "试发没有成功" in failed
    assert "HTTP 500" in failed


def test_a_channel_is_changed_wherever_it_is_used(local, filled) -> None:
    with writing(filled) as conn:
        first = alert(conn, "wecombot://old", "console", name="一")
        alert(conn, HOOK, "wecombot://old", name="二")
        alert(conn, "wecombot://old", "mailtos://a:p@qq.com", name="三", kind=stored_alerts.AlertKind.SOURCE, query="")
    path = f"/alerts/{first.id}/channels/0"
    assert send(local, path, service="mail", mail_sender="nobody").text.count('id="c0-mail_sender-wrong"') == 1
    hub = send(local, path, service="other", to="websubs://hub.example.cn/p")  # the third has no feed
    assert (hub.status_code, "WebSub 中心" in hub.text) == (400, True)
    assert send(local, path, service="mail", mail_sender="a@qq.com", mail_password="p").status_code == 303
    assert stored(filled)["三"].channels == ("console", "mailtos://a:p@qq.com")
    assert stored(filled)["一"].channels == ("mailtos://a:p@qq.com", "console")
    assert stored(filled)["二"].channels[1] == "mailtos://a:p@qq.com"
    assert send(local, path, service="mail", mail_sender="a@qq.com", mail_to="b@c.cn").status_code == 303
    assert stored(filled)["一"].channels[0] == "mailtos://a:p@qq.com?to=b%40c.cn"
    for place in (1, 2):
        assert send(local, f"/alerts/{first.id}/channels/{place}", service="feishu", feishu_token="x").status_code == 404
    assert "请选一个渠道" in send(local, "/alerts/try", name="x").text


def test_a_reader_tries_the_channels_of_his_alerts_and_changes_none(client, peopled, receiver) -> None:
    with writing(peopled) as conn:
        mine = alert(conn, receiver.url, name="我的", owner="王芳")
        other = alert(conn, receiver.url, name="别人的", owner="李伟")
    log_in(client, "王芳")
    page = html.fromstring(client.get(f"/alerts/{mine.id}").text)
    assert page.cssselect("[name=hook_url]") == []
    assert "试发成功" in send(client, f"/alerts/{mine.id}/channels/0/try").text
    assert send(client, f"/alerts/{other.id}/channels/0/try").status_code == 404
    new = {"service": "webhook", "hook_url": "http://169.254.169.254/"}
    for path in ("/alerts/try", f"/alerts/{mine.id}/channels/0/try", f"/alerts/{mine.id}/channels/0"):
        assert send(client, path, **new).status_code == 403
    assert len(receiver.requests) == 1
