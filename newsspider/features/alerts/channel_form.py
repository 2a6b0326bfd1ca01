"""Converts the address of a channel to the fields of a form, and back. A saved secret is never shown again; a secret
field that is left empty keeps its value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from newsspider.features.alerts.channels import CONSOLE, WEBHOOK_SCHEMES, BadChannelError

FIELDS = {  # of each service, first the one that it cannot do without
    "wecom": ("wecom_key",),
    "feishu": ("feishu_token",),
    "dingtalk": ("dingtalk_token", "dingtalk_sign"),
    "mail": ("mail_sender", "mail_password", "mail_to", "mail_server", "mail_port", "mail_mode"),
    "webhook": ("hook_url", "hook_key"),
    "other": ("to",),
}
EMPTY_FIELDS = {"service": "", **{name: "" for names in FIELDS.values() for name in names}}
OPEN_FIELDS = frozenset(FIELDS["mail"]) - {"mail_password"}  # those that are no secrets
ACCOUNT_FIELDS = OPEN_FIELDS - {"mail_to"}  # with these the password goes somewhere
ROBOTS = {"wecombot": "wecom", "feishu": "feishu"}
ROBOT_ADDRESS = re.compile(r"https?://\S*(?:[?&](?:key|access_token)=|/hook/)([\w-]+)(?:[/?&#]\S*)?")
ROBOT_KEY = re.compile(r"[\w-]+", re.ASCII)
MAIL_MODES = {"mailto": "plain", "mailtos": ""}  # by the scheme
SENDER = re.compile(r"([^\s@]+)@([^\s@/?#:]+)")


def service_of(form: Mapping[str, str]) -> str:
    """The service that a form names; empty if it asks for no new channel."""
    return form["service"] or ("other" if form["to"].strip() else "")


def address_of(form: Mapping[str, str], before: str = "") -> str:
    """Return the address that a form describes, or an empty text. A secret that is left empty is taken from the channel
    ``before`` if that is of the same service; the password of mail only for the same account on the same server. Raises
    :exc:`BadChannelError`.

    >>> address_of({**EMPTY_FIELDS, "service": "dingtalk", "dingtalk_token": "abc", "dingtalk_sign": "SEC1"})
    'dingtalk://SEC1@abc'
    """
    service = service_of(form)
    if not service:
        return ""
    if service not in FIELDS:
        raise BadChannelError("there is no such channel")
    old = fields_of(before) if before else EMPTY_FIELDS
    secrets = old if old["service"] == service else EMPTY_FIELDS
    fields = {
        name: form[name].strip() or (secrets[name] if name not in OPEN_FIELDS else "") for name in FIELDS[service]
    }
    if not fields[FIELDS[service][0]]:
        raise BadChannelError("to: the channel lacks its address, key or token")
    is_kept = service == "mail" and secrets["mail_password"] and not form["mail_password"].strip()
    if is_kept and any(fields[name] != secrets[name] for name in ACCOUNT_FIELDS):
        raise BadChannelError("to: type the password again, for it would go to another server or account")
    return _address(service, fields)


def fields_of(channel: str) -> dict[str, str]:
    """Return the fields of a channel, secrets included. An address that they cannot express in full, such as one with
    further options, belongs to the service ``other``.

    >>> fields = fields_of("mailtos://USER:PASSWORD@example.cn")
    >>> fields["service"], fields["mail_sender"], fields["mail_password"]
    ('mail', 'USER@example.cn', 'PASSWORD')
    >>> fields_of("mailtos://USER:PASSWORD@example.cn?bcc=a@b.cn")["service"]
    'other'
    """
    service, fields = _read(channel)
    try:
        is_whole = _address(service, EMPTY_FIELDS | fields) == channel
    except BadChannelError:
        is_whole = False
    if not is_whole:
        service, fields = "other", {"to": "" if channel == CONSOLE else channel}
    return {**EMPTY_FIELDS, "service": service, **fields}


def shown_fields(channel: str) -> dict[str, str]:
    """As :func:`fields_of`, without secrets.

    >>> {name: value for name, value in shown_fields("https://example.cn/hook#whsec_x").items() if value}
    {'service': 'webhook'}
    """
    fields = fields_of(channel)
    return {name: value if name in OPEN_FIELDS or name == "service" else "" for name, value in fields.items()}


def _address(service: str, fields: Mapping[str, str]) -> str:
    if service == "webhook":
        return fields["hook_url"] + (f"#{fields['hook_key']}" if fields["hook_key"] else "")
    if service == "mail":
        return _mail(fields)
    if service == "dingtalk":
        secret = f"{quote(fields['dingtalk_sign'], safe='')}@" if fields["dingtalk_sign"] else ""
        return f"dingtalk://{secret}{_token(fields['dingtalk_token'])}"
    robot = next((scheme for scheme, name in ROBOTS.items() if name == service), "")
    return f"{robot}://{_token(fields[FIELDS[service][0]])}" if robot else fields["to"]


def _token(typed: str) -> str:
    """What names a robot, which may be given as its whole address, as the services show it for copying."""
    match = ROBOT_ADDRESS.fullmatch(typed)
    if match is None and not ROBOT_KEY.fullmatch(typed):
        raise BadChannelError("to: paste the address of the robot, as its service shows it, or the key in it")
    return quote(match[1] if match else typed, safe="")


def _mail(fields: Mapping[str, str]) -> str:
    """Without a server apprise finds that of the sender's domain; with one, it logs in as the sender."""
    match, port = SENDER.fullmatch(fields["mail_sender"]), fields["mail_port"]
    if match is None:
        raise BadChannelError("to: the sender is an e-mail address")
    if port and not (port.isascii() and port.isdecimal() and 0 < int(port) < 65_536):
        raise BadChannelError("to: the port is a number from 1 to 65535")
    server, mode = fields["mail_server"], fields["mail_mode"]
    user, host = (fields["mail_sender"], server) if server else match.groups()
    password = f":{quote(fields['mail_password'], safe='')}" if fields["mail_password"] else ""
    options = {"from": server and fields["mail_sender"], "to": ",".join(re.split(r"[\s,，;；、]+", fields["mail_to"]))}
    options["mode"] = "" if mode == "plain" else mode
    query = urlencode({name: value for name, value in options.items() if value})
    scheme = "mailto" if mode == "plain" else "mailtos"
    where = quote(host, safe="") + (f":{port}" if port else "")
    return f"{scheme}://{quote(user, safe='')}{password}@{where}" + (f"?{query}" if query else "")


def _read(channel: str) -> tuple[str, dict[str, str]]:
    """The service of an address, and the fields that can be read from it."""
    scheme, _, rest = channel.partition("://")
    if scheme in WEBHOOK_SCHEMES:
        url, _, key = channel.partition("#")
        return "webhook", {"hook_url": url, "hook_key": key}
    if scheme in ROBOTS:
        return ROBOTS[scheme], {FIELDS[ROBOTS[scheme]][0]: unquote(rest)}
    if scheme == "dingtalk":
        secret, _, token = rest.rpartition("@")
        return "dingtalk", {"dingtalk_token": unquote(token), "dingtalk_sign": unquote(secret)}
    return ("mail", _fields_of_mail(channel, scheme)) if scheme in MAIL_MODES else ("other", {"to": channel})


def _fields_of_mail(channel: str, scheme: str) -> dict[str, str]:
    try:
        parts = urlsplit(channel)
        port = str(parts.port or "")
    except ValueError:
        return {}
    options = dict(parse_qsl(parts.query))
    user, host = unquote(parts.username or ""), unquote(parts.netloc.rpartition("@")[2].partition(":")[0])
    sender = options.get("from", "")
    return {
        "mail_sender": sender or f"{user}@{host}",
        "mail_password": unquote(parts.password or ""),
        "mail_to": options.get("to", ""),
        "mail_server": host if sender else "",
        "mail_port": port,
        "mail_mode": MAIL_MODES[scheme] or options.get("mode", ""),
    }
