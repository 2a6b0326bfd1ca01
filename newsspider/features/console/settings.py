"""The settings of the console."""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from newsspider.setting_types import Oidc, WebAddress

CONSOLE_URL: WebAddress = "http://127.0.0.1:8800"  # where people open the console: links of alerts lead there
OIDC: Oidc = {}  # log-in to the console by OpenID Connect: issuer, client_id, client_secret, roles by group
