"""Settings validation: checks each setting against its annotation in ``newsspider/settings.py`` before a start.

The tables say which settings of Scrapy and scrapy-redis a crawl cannot honour: none is ignored in silence.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from newsspider.crawl.wrong_use import wrong_use
from newsspider.hooks import FEATURES_SETTING
from newsspider.store.engine.errors import without_password

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

# Settings, separated by blanks: what becomes of them in a crawl of `education`, `explore` or `query`.

# Guarantees: the settings module and the check of components say which values are allowed.
GUARANTEED = {
    "ROBOTSTXT_OBEY": "True: robots.txt is always obeyed",
    "ROBOTSTXT_PARSER": "newsspider reads robots.txt itself, by RFC 9309",
    "ROBOTSTXT_USER_AGENT": "say ROBOTS_AGENT, the name that newsspider looks up in robots.txt",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "1: a host is asked for one page at a time",
    "COOKIES_ENABLED": "False: newsspider keeps no cookies",
    "TELNETCONSOLE_ENABLED": "False: newsspider opens no port",
    "SCHEDULER": "newsspider's, or a subclass; what a settings module says counts for other spiders",
    "DNS_RESOLVER": "unset: the old name of TWISTED_DNS_RESOLVER",
    "DOWNLOADER ITEM_PROCESSOR STATS_CLASS TWISTED_DNS_RESOLVER TWISTED_REACTOR TWISTED_REACTOR_ENABLED":
        "newsspider's, or a subclass",
    "DOWNLOADER_MIDDLEWARES_BASE DOWNLOAD_HANDLERS DOWNLOAD_HANDLERS_BASE EXTENSIONS_BASE ITEM_PIPELINES_BASE":
        "with newsspider's components",
}  # fmt: skip
# Nothing comes of them; a crawl that finds one set says why.
WITHOUT_EFFECT = {
    "AUTOTHROTTLE_DEBUG AUTOTHROTTLE_ENABLED AUTOTHROTTLE_MAX_DELAY AUTOTHROTTLE_START_DELAY AUTOTHROTTLE_TARGET_CONCURRENCY":
        "the delay always follows the speed of a host; set DELAY_FACTOR, DELAY_MIN_SECONDS and DELAY_MAX_SECONDS",
    "DOWNLOAD_DELAY_JITTER RANDOMIZE_DOWNLOAD_DELAY": "a delay is never shortened at random",
    "CONCURRENT_REQUESTS_PER_IP": "hosts with one address share its delay",
    "COMPRESSION_ENABLED": "every answer is unpacked",
    "COOKIES_DEBUG": "no cookies are kept",
    "CRAWLSPIDER_FOLLOW_LINKS": "only a CrawlSpider asks for it",
    "DEPTH_PRIORITY DEPTH_STATS_VERBOSE": "the ledger has the order and the depth of URLs",
    "DNSCACHE_ENABLED": "names are always kept, as long as their records say, for a day at most",
    "DOWNLOADER_CLIENTCONTEXTFACTORY DOWNLOADER_CLIENT_TLS_METHOD DOWNLOADER_CLIENT_TLS_VERBOSE_LOGGING "
    "HTTP2_MAX_FRAME_SIZE HTTPX_HTTP2_ENABLED": "pages are downloaded by aiohttp",
    "DOWNLOAD_WARNSIZE": "a page above DOWNLOAD_MAXSIZE is refused; none below is worth a warning",
    "DUPEFILTER_CLASS DUPEFILTER_DEBUG SCHEDULER_DEBUG SCHEDULER_DISK_QUEUE SCHEDULER_MEMORY_QUEUE "
    "SCHEDULER_PRIORITY_QUEUE SCHEDULER_START_DISK_QUEUE SCHEDULER_START_MEMORY_QUEUE":
        "the ledger knows every URL and its turn",
    "FILES_STORE FILES_STORE_GCS_ACL FILES_STORE_S3_ACL IMAGES_STORE IMAGES_STORE_GCS_ACL IMAGES_STORE_S3_ACL":
        "only documents are downloaded",
    "FTP_PASSIVE_MODE FTP_PASSWORD FTP_USER": "only http and https are spoken",
    "HTTPAUTH_DOMAIN HTTPAUTH_PASS HTTPAUTH_USER": "newsspider signs in nowhere",
    "HTTPERROR_ALLOWED_CODES HTTPERROR_ALLOW_ALL": "every status is an outcome of its URL",
    "MEMUSAGE_NOTIFY_MAIL": "the log says it",
    "METAREFRESH_ENABLED METAREFRESH_IGNORE_TAGS METAREFRESH_MAXDELAY REDIRECT_PRIORITY_ADJUST":
        "where a page leads is an outcome of its URL",
    "REFERER_ENABLED REFERRER_POLICIES REFERRER_POLICY": "no Referer is sent",
    "REMOTE_CONTROL_ENABLED REMOTE_CONTROL_JOBS_DIR REMOTE_CONTROL_OUTPUT_MAX_BYTES REMOTE_CONTROL_TIMEOUT_DEFAULT "
    "REMOTE_CONTROL_TIMEOUT_MAX REMOTE_CONTROL_TRACEBACK_MAX_BYTES": "newsspider takes no commands",
    "RETRY_EXCEPTIONS RETRY_GIVE_UP_LOG_LEVEL RETRY_HTTP_CODES RETRY_PRIORITY_ADJUST":
        "the outcome of a URL says whether it is tried again; see RETRY_TIMES and RETRY_BASE_SECONDS",
    "TELNETCONSOLE_HOST TELNETCONSOLE_PASSWORD TELNETCONSOLE_PORT TELNETCONSOLE_USERNAME": "newsspider opens no port",
    "URLLENGTH_LIMIT": "URLs of more than 2,000 characters are traps",
}  # fmt: skip
# Setting -> the value that holds anyway, and why there is no other.
HOLDS = {
    "SCHEDULER_PERSIST": ("True", "the ledger keeps what was found; name another DATABASE_URL for an empty one"),
    "SCHEDULER_FLUSH_ON_START": (
        "False",
        "no start empties the ledger, which other workers may be using; name another DATABASE_URL for an empty one",
    ),
    "SCHEDULER_QUEUE_CLASS": (
        "scrapy_redis.queue.PriorityQueue",
        "the ledger decides what is next; `scrapy crawl explore` has -a strategy=breadth-first (a FIFO queue), "
        "depth-first (a LIFO one) and others",
    ),
    "SCHEDULER_QUEUE_KEY": ("%(spider)s:requests", "no request waits in Redis; REDIS_PREFIX stands before other keys"),
    "SCHEDULER_DUPEFILTER_KEY": ("%(spider)s:dupefilter", "the ledger knows every URL; Redis holds no fingerprints"),
    "SCHEDULER_SERIALIZER": ("scrapy_redis.picklecompat", "no request is serialized, and nothing is ever unpickled"),
}
SWITCHES = {"1": "True", "true": "True", "0": "False", "false": "False"}
OWN = "; a spider of your own may have it in its custom_settings"
# Settings of scrapy-redis.
OF_SCRAPY_REDIS = {
    "MAX_IDLE_TIME_BEFORE_CLOSE REDIS_DB REDIS_ENCODING REDIS_HOST REDIS_ITEMS_KEY REDIS_ITEMS_SERIALIZER REDIS_PARAMS "
    "REDIS_PORT REDIS_START_URLS_AS_SET REDIS_START_URLS_AS_ZSET REDIS_START_URLS_BATCH_SIZE REDIS_START_URLS_KEY REDIS_URL "
    "SCHEDULER_IDLE_BEFORE_CLOSE": "works",
    " ".join(HOLDS): "refused, but for the value that holds anyway",
    "REDIS_DECODE_RESPONSES SCHEDULER_DUPEFILTER_CLASS": "of spiders of your own",
}  # fmt: skip
REFUSED_SETTINGS = ("ROBOTSTXT_PARSER", "ROBOTSTXT_USER_AGENT")  # guarantees of which nothing else checks the value


def by_setting(table: Mapping[str, str]) -> dict[str, str]:
    """The same table with one entry per setting."""
    return {name: remark for names, remark in table.items() for name in names.split()}


def check_scrapy_redis(settings: BaseSettings) -> None:
    """Raise ``UsageError`` for the first of these settings that has another value."""
    for name, (value, why) in HOLDS.items():
        written = str(settings.get(name, value))
        if SWITCHES.get(written.lower(), written) != value:
            raise wrong_use(f"{name}={written}: {why}{OWN}")


FRACTIONS = {"DOWNLOAD_DELAY"}  # whole by default only
READ: dict[type, tuple[Any, str]] = {
    bool: (BaseSettings.getbool, "True or False"),
    int: (BaseSettings.getint, "a whole number"),
    float: (BaseSettings.getfloat, "a number"),
}
SECRET_SETTINGS = ("REDIS_PARAMS", "OIDC")  # settings that hold passwords
LONGEST_SHOWN = 60  # characters of a value that is refused
SIMILAR_NAMES = 0.85  # names of this likeness are taken for typing errors


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
            yield from ((name, similar) for similar in get_close_matches(name, valid_names, 1, SIMILAR_NAMES))


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
    ('say seconds from 1 to 86400', 'there are exact, bloom')
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
