"""The settings of words by a model. Its key is the environment variable ``LLM_API_KEY``, if it takes one."""

from __future__ import annotations

import os
import typing

if typing.TYPE_CHECKING:
    from typing import Annotated

    from annotated_types import Unit
    from pydantic import Field

    from newsspider.setting_types import Count, Seconds, WebAddressOrNone

# A server with the API of OpenAI, up to `/v1`; or NEWSSPIDER_LLM_URL; empty: none. It gets titles and sentences of
# briefings and events, when somebody asks for words by a model; nobody else gets them.
LLM_URL: WebAddressOrNone = os.environ.get("NEWSSPIDER_LLM_URL", "")
LLM_MODEL: Annotated[str, Field(pattern=r"^[!-~]*$", description="say the name of a model, or nothing")] = (
    os.environ.get("NEWSSPIDER_LLM_MODEL", "")
)
LLM_DAILY_TOKENS: Annotated[Count, Field(ge=0, le=10**9), Unit("tokens")] = 200_000  # in and out, a day in China
LLM_TIMEOUT_SECONDS: Annotated[Seconds, Field(ge=0.1, le=600)] = 30.0  # of a call; five times as long for a briefing
