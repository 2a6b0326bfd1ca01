"""The types that ``newsspider/settings.py`` annotates its settings with.

A number has its range in ``Field(ge=..., le=...)``. A description is the sentence that refuses a value. Strings, as
``-s NAME=VALUE`` gives them, become integers, switches and lists as Scrapy reads them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, parse_qs, urlsplit
from zoneinfo import ZoneInfo

from annotated_types import Predicate, Unit
from pydantic import BeforeValidator, Field

from newsspider.core.fetching.address_guard import AllowedAddresses
from newsspider.core.relevance.model_names import Model
from newsspider.core.scheduling.article_revisits import steps_of
from newsspider.hooks import FEATURES
from newsspider.sites.holidays import calendar_of
from newsspider.store.engine.password_file import OPTION
from newsspider.topics.shipped import topic_names


@dataclass(frozen=True, slots=True)
class AtMost:
    """The setting may not be more than another one."""

    name: str


def _is_oidc(value: dict[str, Any]) -> bool:
    texts = [value.get(key) for key in ("issuer", "client_id", "client_secret")]
    roles = value.get("roles")
    return not value or (
        len(value) == 4
        and all(isinstance(text, str) and text for text in texts)
        and _is_safe(urlsplit(str(texts[0])))
        and isinstance(roles, dict)
        and set(roles.values()) <= {"reader", "editor", "admin"}
    )


def _is_safe(url: SplitResult) -> bool:
    """Whether nobody on the way can read or change the answers of a server."""
    return bool(url.hostname) and (
        url.scheme == "https" or (url.scheme == "http" and url.hostname in ("127.0.0.1", "localhost"))
    )


def accepted_by(read: Callable[[Any], object]) -> Predicate:
    """Whether ``read`` takes the value: it raises no error and does not return ``False``."""

    def is_accepted(value: Any) -> bool:
        try:
            return read(value) is not False
        except (ValueError, TypeError, AttributeError, LookupError, OSError):
            return False

    return Predicate(is_accepted)


def _are_features(names: list[str]) -> bool:
    return all(set(FEATURES[name]) <= set(names) for name in names)


_FEATURE_NAMES = [f"{name} (with {' and '.join(base)})" if base else name for name, base in FEATURES.items()]


def _integer(value: Any) -> Any:
    return int(value) if isinstance(value, str) else value


def _switch(value: Any) -> Any:
    return {"1": True, "true": True, "0": False, "false": False}.get(str(value).strip().lower(), value)


def _entries(value: Any) -> Any:
    return (value.split(",") if value else []) if isinstance(value, str) else value


def _is_topic(value: str) -> bool:
    return value in topic_names() or Path(value).is_file()


def _is_country(value: str) -> bool:
    if value in ("", "CN"):  # the usual values; the import takes a tenth of a second
        return True
    from holidays import list_supported_countries

    return len(value) == 2 and value in list_supported_countries()


def _read_redis_url(value: str) -> None:
    if value:  # the import takes a tenth of a second
        from redis.connection import parse_url

        parse_url(value)  # type: ignore[no-untyped-call] # redis-py types its clients only
        if len(parse_qs(urlsplit(value).query).get(OPTION, [])) > 1:
            raise ValueError(value)


def _read_redis_params(value: Any) -> None:
    parameters = json.loads(value) if isinstance(value, str) else dict(value)
    if parameters:
        from redis import Redis

        Redis(**{name: parameter for name, parameter in parameters.items() if name not in ("url", "redis_cls")})


def _read_servers(values: Iterable[str]) -> None:
    for value in values:
        if value != "system":
            from newsspider.download.name_servers import DnsServer

            DnsServer.read(value)


Seconds = Annotated[float, Unit("seconds")]
Hours = Annotated[float, Unit("hours")]
Days = Annotated[float, Unit("days")]
PerHour = Annotated[float, Unit("requests an hour")]
Count = Annotated[int, BeforeValidator(_integer)]
Bytes = Annotated[Count, Unit("bytes")]
Texts = Annotated[list[str], BeforeValidator(_entries)]
Switch = Annotated[bool, BeforeValidator(_switch), Field(description="say True or False")]
AlwaysTrue = Annotated[Literal[True], BeforeValidator(_switch)]
AlwaysFalse = Annotated[Literal[False], BeforeValidator(_switch)]

DatabaseUrl = Annotated[
    str,
    Field(
        pattern=r"^(?s)\s*(sqlite|postgresql)(\+\w+)?://.*$",
        description="say a database URL like sqlite:////folder/news.db or postgresql://user@host/name",
    ),
]
MetricsAddress = Annotated[
    str, Field(pattern=r"^$|^[^\s/]+:\d{1,5}$", description="say nothing, or an address with a port, as 127.0.0.1:9410")
]
Folder = Annotated[str, Field(max_length=4000, description="say nothing, or the path of a folder")]
TimeZone = Annotated[
    str, accepted_by(ZoneInfo), Field(description="say the name of a time zone like Asia/Shanghai or UTC")
]
RedisUrl = Annotated[
    str, accepted_by(_read_redis_url), Field(description="say nothing, or a URL like redis://127.0.0.1:6379/0")
]
RedisParams = Annotated[
    dict[str, Any] | str,
    accepted_by(_read_redis_params),
    Field(description="say a dictionary of parameters of redis.Redis, like {'password': '...'}"),
]
Oidc = Annotated[
    dict[str, Any],
    accepted_by(_is_oidc),
    Field(description="say {'issuer': URL, 'client_id': ..., 'client_secret': ..., 'roles': {GROUP: 'reader'}}"),
]
SpiderKey = Annotated[
    str,
    accepted_by(lambda key: (key % {"name": "a"}).strip() != ""),
    Field(description="say the name of a key, in which %(name)s stands for the spider's name"),
]
Topic = Annotated[
    str, accepted_by(_is_topic), Field(description="say a topic of `scrapy topics list`, or a file that can be read")
]
ModelName = Annotated[
    Model | Literal[""],
    Field(description=f"there are {', '.join(Model)}, or nothing: the model of the topic's profile"),
]
Token = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")]
Program = Annotated[str, Field(min_length=1, pattern=r"^\P{Cc}+$", description="say the name or the path of a program")]
AgentLine = Annotated[
    str, Field(pattern="^ *[!-~][ -~]*$", description="say one line of ASCII text that names you, with a contact")
]
Contact = Annotated[
    str, Field(pattern=r"^([!-'*-~]+)?$", description="say nothing, or a URL or an e-mail address, in ASCII")
]
Addresses = Annotated[
    Texts,
    accepted_by(AllowedAddresses.read),
    Field(description="say addresses, networks and host names like 10.1.2.3,127.0.0.0/8,intranet.example.cn"),
]
NameServers = Annotated[
    Texts, accepted_by(_read_servers), Field(description="say addresses like 9.9.9.9,127.0.0.1:5353, or system")
]
DnsRecords = Annotated[
    list[Literal["A", "AAAA"]], BeforeValidator(_entries), Field(min_length=1, description="say A or AAAA, or both")
]
Country = Annotated[
    str,
    accepted_by(_is_country),
    Field(description="say a country by two capital letters like CN whose holidays are known, or nothing"),
]
DaysOfYear = Annotated[
    Texts,
    accepted_by(lambda spans: calendar_of("", spans, 0.0)),
    Field(description="say first and last days like 01-20/02-20,07-10/08-31, or nothing"),
]
Features = Annotated[
    Texts,
    accepted_by(_are_features),
    Field(description=f"there are {', '.join(_FEATURE_NAMES)}; say some of them, or nothing"),
]
Steps = Annotated[
    Texts, accepted_by(steps_of), Field(description="say times like 1h,6h,1d,3d, or nothing for no visits")
]
Charset = Annotated[
    str,
    accepted_by(lambda charset: b"a".decode(charset, "replace")),
    Field(description="say a charset that Python knows, like gb18030 or utf-8"),
]
ContentTypes = Annotated[
    list[Annotated[str, Field(pattern=r"^[^\s/,;]+/[^\s/,;]+$")]],
    BeforeValidator(_entries),
    Field(min_length=1, description="say types like text/html,text/xml without blanks"),
]
WebAddress = Annotated[
    str, Field(pattern=r"^https?://[^\s/?#]+(/[^\s?#]*)?$", description="say a URL like https://news.example.cn")
]
WebAddressOrNone = Annotated[
    str,
    Field(pattern=r"^(https?://[^\s/?#]+(/[^\s?#]*)?)?$", description="say a URL like http://rsshub:1200, or nothing"),
]
SearchIndex = Annotated[
    str,
    Field(
        pattern=r"^(https?://[^\s/?#]+/[a-z0-9][a-z0-9_-]*(/[a-z][a-z0-9_]*)?)?$",
        description="say a URL like https://host:9200/news",
    ),
]
Suffixes = Annotated[
    list[Annotated[str, Field(pattern=r"^[^\s.,/]+$")]],
    BeforeValidator(_entries),
    Field(description="say suffixes like jpg,pdf without dots and blanks"),
]
