"""Settings validation: checks every setting against its annotation in ``newsspider/settings.py`` before anything
starts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from newsspider.crawl.scrapy_settings import GUARANTEED, OF_SCRAPY_REDIS, REFUSED_SETTINGS, WITHOUT_EFFECT, by_setting
from newsspider.crawl.wrong_use import wrong_use
from newsspider.hooks import FEATURES_SETTING
from newsspider.store.engine.errors import without_password

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

FRACTIONS = {"DOWNLOAD_DELAY"}  # whole by default only
READ: dict[type, tuple[Any, str]] = {
    bool: (BaseSettings.getbool, "True or False"),
    int: (BaseSettings.getint, "a whole number"),
    float: (BaseSettings.getfloat, "a number"),
}
SECRET_SETTINGS = ("REDIS_PARAMS", "OIDC")  # settings that hold passwords
LONGEST_SHOWN = 60  # characters of a value that is refused
SIMILAR = 0.85  # names of this likeness are taken for typing errors


@cache
def _annotations() -> dict[str, Any]:
    from newsspider import setting_types
    from newsspider import settings as shipped  # here, for it reads the environment

    return get_type_hints(shipped, vars(setting_types), include_extras=True)


def _model(names: Iterable[str]) -> type[BaseModel]:
    """A model with a field for each of these annotated settings."""
    from pydantic import ConfigDict, create_model

    from newsspider import settings as shipped

    fields: dict[str, Any] = {name: (_annotations()[name], getattr(shipped, name)) for name in names}
    return create_model("Settings", __config__=ConfigDict(protected_namespaces=()), **fields)


@cache
def fields() -> dict[str, FieldInfo]:
    """The annotated settings in their order; the others name classes, which Scrapy checks."""
    return _model(_annotations()).model_fields


def _changed(settings: BaseSettings) -> dict[str, Any]:
    """The annotated settings that have another value than the shipped one, or have it from the environment.

    Only they are checked: the shipped values are right, and a model of all takes a tenth of a command's start.
    """
    from newsspider import settings as shipped

    return {
        name: settings[name]
        for name in shipped.__annotations__
        if name in settings and (settings[name] != getattr(shipped, name) or f"NEWSSPIDER_{name}" in os.environ)
    }


def check_settings(settings: BaseSettings) -> None:
    """Raise ``UsageError`` for the first setting that cannot work, with its name, its value and what is allowed."""
    from newsspider import settings as shipped

    if changed := _changed(settings):
        check_annotated(settings, changed)
    if (settings.getpriority(FEATURES_SETTING) or 0) > SETTINGS_PRIORITIES["project"]:
        raise wrong_use(f"-s {FEATURES_SETTING}: name it in the settings of the project or in NEWSSPIDER_FEATURES")
    for name in REFUSED_SETTINGS:
        if settings.get(name) not in (None, getattr(default_settings, name)):
            raise wrong_use(f"{name}={_shown(name, settings[name])}: {by_setting(GUARANTEED)[name]}")
    for name, default in vars(default_settings).items():
        if isinstance(default, int | float) and name not in shipped.__annotations__ and settings[name] is not None:
            _check_number(settings, name, default)
    for name, similar in _misspelt(settings, "cmdline"):
        value = _shown(similar, settings[name])
        raise wrong_use(f"-s {name}={value}: there is no such setting; did you mean {similar}?")


def check_annotated(settings: BaseSettings, values: dict[str, Any]) -> None:
    """The same of annotated settings alone, these values of theirs."""
    from pydantic import ValidationError

    try:
        _model(values).model_validate(values)
    except ValidationError as error:
        name = str(error.errors(include_url=False, include_context=False)[0]["loc"][0])
        raise wrong_use(f"{name}={_shown(name, settings[name])}: {allowed(fields()[name])}") from None
    for smaller, larger in ordered():
        both = smaller in settings and larger in settings
        if both and values.keys() & {smaller, larger} and settings.getfloat(smaller) > settings.getfloat(larger):
            raise wrong_use(
                f"{smaller}={settings[smaller]}: it may not be more than {larger}, which is {settings[larger]}"
            )


def _check_number(settings: BaseSettings, name: str, default: float) -> None:
    """Raise ``UsageError`` for a setting of Scrapy's whose value is not of the type of its default."""
    kind = type(default) if name not in FRACTIONS else float
    read, say = READ[kind]
    try:
        read(settings, name)
    except (TypeError, ValueError):
        raise wrong_use(f"{name}={_shown(name, settings[name])}: say {say}") from None


def setting_warnings(settings: BaseSettings) -> Iterator[str]:
    """The warnings about settings that do nothing: those of Scrapy without effect, and misspelt names."""
    for name, why in by_setting(WITHOUT_EFFECT).items():
        if _set(settings, name, "project") and settings[name] != vars(default_settings).get(name):
            yield f"{name} has no effect: {why}"
    for name, similar in _misspelt(settings, "project"):
        yield f"there is no setting {name}; did you mean {similar}?"


def _misspelt(settings: BaseSettings, priority: str) -> Iterator[tuple[str, str]]:
    """The unknown settings from this priority on that resemble a known one, each with that one; others may belong to a
    user's own components."""
    from newsspider import settings as shipped

    valid_names = {*vars(shipped), *dir(default_settings), *by_setting(OF_SCRAPY_REDIS), *by_setting(WITHOUT_EFFECT)}
    for name in settings:
        if name not in valid_names and _set(settings, name, priority):
            yield from ((name, similar) for similar in get_close_matches(name, valid_names, 1, SIMILAR))


def _set(settings: BaseSettings, name: str, priority: str) -> bool:
    return (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES[priority]


def ordered() -> list[tuple[str, str]]:
    """Pairs of settings of which the first may not exceed the second."""
    from newsspider.setting_types import AtMost

    bounds = {name: getattr(hint, "__metadata__", ()) for name, hint in _annotations().items()}
    return [(name, bound.name) for name, metadata in bounds.items() for bound in metadata if isinstance(bound, AtMost)]


def allowed(field: FieldInfo) -> str:
    """What a value must be, as the end of the sentence that refuses another.

    >>> allowed(fields()["LEASE_SECONDS"]), allowed(fields()["SEEN_FILTER"])
    ('say seconds from 1 to 86400', 'there are exact, redis, bloom')
    """
    from annotated_types import Ge, Le, Unit

    if field.description:
        return field.description
    if get_origin(field.annotation) is Literal:
        return f"there are {', '.join(get_args(field.annotation))}"
    bounds: dict[type, Any] = {type(bound): bound for bound in field.metadata}
    number = "a whole number" if field.annotation is int else "a number"
    what = "seconds" if bounds.get(Unit) == Unit("seconds") else number
    return f"say {what} from {bounds[Ge].ge:.13g} to {bounds[Le].le:.13g}"


def _shown(name: str, value: Any) -> str:
    """A value of this setting, or of one that was meant to be it, without passwords."""
    if name in SECRET_SETTINGS:
        return "***"
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    text = without_password(" ".join(text.split()))
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
