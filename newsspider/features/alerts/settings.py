"""The settings of alerts."""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from typing import Annotated

    from pydantic import Field

    from newsspider.setting_types import Seconds

ALERT_RETRY_SECONDS: Annotated[Seconds, Field(ge=0.001, le=3600)] = 5.0  # before the second try; doubled, up to 6 h
