"""Channels as the fields of a form."""

import apprise
import pytest

from newsspider.features.alerts.channel_form import EMPTY_FIELDS, address_of, fields_of, shown_fields
from newsspider.features.alerts.channels import BadChannelError
from newsspider.features.alerts.mail import security
from tests.support.tables import each

MAIL = {"service": "mail", "mail_sender": "editor@edu.cn", "mail_password": "p@/:?#% 密", "mail_to": "a@b.cn，c@d.cn"}


def said(**fields: str) -> dict[str, str]:
    return {**EMPTY_FIELDS, **fields}


@each(
    ("fields", "address"),
    [
        ({"service": "wecom", "wecom_key": "ab-1"}, "wecombot://ab-1"),
        ({"service": "wecom", "wecom_key": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=ab-1"}, "wecombot://ab-1"),
        ({"service": "wecom", "wecom_key": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=ab-1&debug=1"}, "wecombot://ab-1"),
        ({"service": "feishu", "feishu_token": "https://open.feishu.cn/open-apis/bot/v2/hook/ab-1/"}, "feishu://ab-1"),
        ({"service": "feishu", "feishu_token": "https://open.feishu.cn/open-apis/bot/v2/hook/ab-1"}, "feishu://ab-1"),
        ({"service": "dingtalk", "dingtalk_token": "https://oapi.dingtalk.com/robot/send?access_token=ab1"}, "dingtalk://ab1"),
        ({"service": "dingtalk", "dingtalk_token": "ab1", "dingtalk_sign": "SEC2"}, "dingtalk://SEC2@ab1"),
        ({"service": "webhook", "hook_url": "https://example.cn/hook?a=1"}, "https://example.cn/hook?a=1"),
        ({"service": "other", "to": "ntfy://topic"}, "ntfy://topic"),
        ({"to": " ntfy://topic "}, "ntfy://topic"),
        ({"wecom_key": "left over"}, ""),
        ({"service": "mail", "mail_sender": "USER@example.cn", "mail_password": "PASSWORD"}, "mailtos://USER:PASSWORD@example.cn"),
    ],
)
def test_a_form_says_the_address_that_can_be_typed(fields, address) -> None:
    assert address_of(said(**fields)) == address
    if address:
        assert address_of(fields_of(address)) == address


def test_mail_logs_in_and_is_sent_as_the_fields_say() -> None:
    server = {"mail_server": "smtp.edu.cn", "mail_port": "465", "mail_mode": "ssl"}
    channel = address_of(said(**MAIL, **server))
    mail = apprise.Apprise.instantiate(channel)
    assert (mail.smtp_host, mail.port, mail.secure_mode) == ("smtp.edu.cn", 465, "ssl")
    assert (mail.user, mail.password, mail.from_addr[1]) == ("editor@edu.cn", MAIL["mail_password"], "editor@edu.cn")
    assert [address for _, address in mail.targets] == ["a@b.cn", "c@d.cn"]
    assert fields_of(channel) == said(**{**MAIL, "mail_to": "a@b.cn,c@d.cn"}, **server)
    known = apprise.Apprise.instantiate(address_of(said(service="mail", mail_sender="editor@qq.com", mail_password="x")))
    assert (known.smtp_host, known.user, known.targets) == ("smtp.qq.com", "editor@qq.com", [(False, "editor@qq.com")])
    assert apprise.Apprise.instantiate(address_of(said(**MAIL, mail_mode="plain"))).secure_mode == "insecure"
    for port, mode in (("465", "ssl"), ("587", "starttls")):  # without a mode
        assert security(apprise.Apprise.instantiate(address_of(said(**MAIL, mail_server="smtp.edu.cn", mail_port=port)))) == mode


@pytest.mark.parametrize(
    "channel",
    ["mailtos://a:b@c.cn?bcc=d@e.cn", "mailtos://a:b@c.cn/d@e.cn", "dingtalk://tok/13800000000", "websubs://hub.cn/", "ntfy://t",
     "feishu://t?overflow=split", "mailtos://a:b@[c", "mailtos://a:b@c.cn:99999", "console"],
)  # fmt: skip
def test_an_address_that_the_fields_do_not_say_in_full_stays_as_it_is(channel) -> None:
    fields = fields_of(channel)
    assert fields["service"] == "other"
    if channel != "console":
        assert address_of(fields) == channel


@each("channel", ["wecombot://top-5ecret", "mailtos://editor:top-5ecret@edu.cn", "https://hooks.cn/top-5ecret#whsec_x", "ntfy://top-5ecret"])
def test_saved_secrets_are_not_shown_and_stay_unless_another_is_typed(channel) -> None:
    shown = shown_fields(channel)
    assert "5ecret" not in str(shown)
    assert address_of(shown, channel) == channel
    assert "5ecret" not in address_of(said(service="feishu", feishu_token="new"), channel)


def test_a_saved_password_goes_to_no_other_server_or_account() -> None:
    channel = address_of(said(**MAIL, mail_server="smtp.edu.cn"))
    shown = shown_fields(channel)
    assert address_of(shown | {"mail_to": "e@f.cn"}, channel) == address_of(fields_of(channel) | {"mail_to": "e@f.cn"})
    for change in ({"mail_server": "evil.cn"}, {"mail_mode": "plain"}, {"mail_port": "9"}, {"mail_sender": "a@evil.cn", "mail_server": ""}):
        with pytest.raises(BadChannelError, match="type the password again"):
            address_of(shown | change, channel)
        assert "typed" in address_of(shown | change | {"mail_password": "typed"}, channel)


@each(
    "fields",
    [
        {"service": "wecom"}, {"service": "feishu", "feishu_token": "https://example.cn/x"}, {"service": "no"},
        {**MAIL, "mail_sender": "nobody"}, {**MAIL, "mail_port": "x"}, {**MAIL, "mail_port": "0"},
    ],
)  # fmt: skip
def test_what_names_no_channel_is_refused(fields) -> None:
    with pytest.raises(BadChannelError):
        address_of(said(**fields))
