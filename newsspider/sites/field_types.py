"""The types of the fields of a site file: what each accepts, and the sentence that refuses anything else."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Annotated, Any

import ada_url
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    create_model,
)
from pydantic_core import core_schema

from newsspider.core.model import ArticleRules
from newsspider.core.text.regions import region_name
from newsspider.sites.pattern_and_xpath_checks import LONGEST_RULE, pattern_problem, xpath_problem
from newsspider.sites.rsshub_urls import web_url

LEAST_WEIGHT, MOST_WEIGHT = 1, 10
LONGEST_NAME = 80
LONGEST_DELAY_SECONDS = 3600
STRICT = ConfigDict(extra="forbid")
XPATH_KEYS = tuple(field.name for field in fields(ArticleRules))


def must_be(what: str) -> WrapValidator:
    """Refuses a value that the type does not take, with one sentence."""

    def validated(value: Any, validate: Any) -> Any:
        try:
            return validate(value)
        except ValidationError:
            raise ValueError(f"must be {what}, not {value!r}") from None

    return WrapValidator(validated)


def is_web_url(text: str) -> bool:
    """Whether a text is an absolute http or https URL without user and password.

    >>> is_web_url("https://www.example.cn/edu/"), is_web_url("ftp://example.cn/"), is_web_url("www.example.cn")
    (True, False, False)
    """
    try:
        url = ada_url.URL(text)
    except ValueError:
        return False
    return url.protocol in ("http:", "https:") and not url.username and not url.password


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text, not {value!r}")
    if not value.strip():
        raise ValueError("is empty")
    return value.strip()


def _name(text: str) -> str:
    if len(text) > LONGEST_NAME or not text.isprintable():
        raise ValueError(f"must be one line of at most {LONGEST_NAME} characters")
    return text


def _site_name(text: str) -> str:
    if text.startswith("-"):
        raise ValueError("must not begin with a hyphen; commands would take it for an option")
    return text


def _url(text: str) -> str:
    if not is_web_url(text):
        raise ValueError(f"{text!r} is not an http or https URL")
    return text


def _rule(text: str) -> str:
    if len(text) > LONGEST_RULE:
        raise ValueError(f"has {len(text)} characters; a rule has at most {LONGEST_RULE}")
    return text


def _xpath(text: str, elements: bool = False) -> str:
    if reason := xpath_problem(text, elements):
        raise ValueError(f"{text!r} {reason}")
    return text


def _items(text: str) -> str:
    from newsspider.core.links.script_lists import items_problem  # the readers of lists, for few sites

    if reason := items_problem(text):
        raise ValueError(f"{text!r} {reason}")
    return text


def _place(text: str) -> str:
    name = region_name(text)
    if name is None:
        raise ValueError(f"{text!r} is no province or city; name one as 江苏 or 320000, or 全国 or 海外")
    return name


def _pattern(text: str) -> re.Pattern[str]:
    if reason := pattern_problem(text):
        raise ValueError(f"{text!r} {reason}")
    return re.compile(text)


def _regions(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"must be a list of XPaths, not {value!r}")
    return value


def _channels(value: Any, info: ValidationInfo) -> list[dict[str, Any]]:
    """The channels, each with the weight of the site unless it has its own."""
    if not isinstance(value, list) or not all(isinstance(channel, dict) for channel in value):
        raise ValueError("must be tables, written [[channels]]")
    if not value:
        raise ValueError("a site needs at least one")
    return [{"weight": info.data.get("weight", LEAST_WEIGHT)} | channel for channel in value]


Text = Annotated[str, BeforeValidator(_text)]
Name = Annotated[Text, AfterValidator(_name)]
SiteName = Annotated[Name, AfterValidator(_site_name)]
Rule = Annotated[Text, AfterValidator(_rule)]
WebUrl = Annotated[Text, AfterValidator(_url)]
ListUrl = Annotated[Text, AfterValidator(web_url), AfterValidator(_url)]  # `feed:` and `rsshub:`, too
Weight = Annotated[int, Field(strict=True, ge=LEAST_WEIGHT, le=MOST_WEIGHT), must_be("a whole number from 1 to 10")]
Delay = Annotated[float, Field(strict=True, ge=0, le=LONGEST_DELAY_SECONDS), must_be("a number from 0 to 3600")]
Switch = Annotated[bool, Field(strict=True), must_be("true or false")]
Pattern = Annotated[re.Pattern[str], BeforeValidator(lambda value: _pattern(_rule(_text(value))))]
XPath = Annotated[Rule, AfterValidator(_xpath)]
Items = Annotated[Rule, AfterValidator(_items)]
Place = Annotated[Text, AfterValidator(_place)]
Region = Annotated[str, AfterValidator(lambda text: _xpath(_rule(text), elements=True))]
Regions = Annotated[tuple[Region, ...], BeforeValidator(_regions)]
Channels = BeforeValidator(_channels)

_fields: dict[str, Any] = dict.fromkeys(XPATH_KEYS, (XPath | None, None))
_XPaths = create_model("XPaths", __config__=STRICT, **_fields)
XPaths = Annotated[
    ArticleRules,
    GetPydanticSchema(
        lambda _, handler: core_schema.no_info_after_validator_function(
            lambda xpaths: ArticleRules(**dict(xpaths)), handler(_XPaths)
        )
    ),
    Field(validation_alias="xpaths"),
]
