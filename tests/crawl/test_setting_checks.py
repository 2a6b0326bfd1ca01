"""Which values each setting allows, and that others are refused before anything is started."""

import runpy
from functools import partial

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from newsspider import settings
from newsspider.crawl.setting_checks import check_annotated, check_settings, fields, ordered
from tests.support.commands import database, scrapy
from tests.support.tables import each

__all__ = ["database", "scrapy"]

# Classes and modules: Scrapy loads them and says what is wrong with them.
WIRING = {
    "BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE", "COMMANDS_MODULE", "TWISTED_REACTOR", "STATS_CLASS",
    "TWISTED_DNS_RESOLVER", "DOWNLOADER_MIDDLEWARES_BASE", "DOWNLOAD_HANDLERS_BASE", "ITEM_PIPELINES_BASE",
    "EXTENSIONS_BASE", "LOG_FORMATTER", "LOG_DATEFORMAT", "FEED_EXPORTERS_BASE", "FEED_EXPORT_ENCODING",
    "REDIS_ITEMS_SERIALIZER", "SPIDER_LOADER_CLASS", "DEFAULT_REQUEST_HEADERS",
}  # fmt: skip
SHIPPED = {
    name: value
    for name, value in runpy.run_path(settings.__file__).items()
    if name.isupper() and not name.startswith("_")
}


def test_every_setting_but_the_wiring_is_annotated():
    assert set(fields()) == set(SHIPPED) - WIRING


def test_the_shipped_settings_pass():
    check_settings(BaseSettings(SHIPPED))
    check_annotated(BaseSettings(SHIPPED), {name: SHIPPED[name] for name in fields()})


def test_a_default_from_the_environment_is_checked(monkeypatch):
    monkeypatch.setenv("NEWSSPIDER_REDIS_URL", "nonsense")
    monkeypatch.setattr(settings, "REDIS_URL", "nonsense")
    with pytest.raises(UsageError, match="REDIS_URL=nonsense"):
        check_settings(BaseSettings({"REDIS_URL": "nonsense"}))


@each("name", sorted(fields()))
def test_values_of_the_wrong_type_are_refused(name):
    for value in ([object()], None):
        with pytest.raises(UsageError, match=f"^{name}="):
            check_settings(BaseSettings({name: value}))


@each("name", sorted(name for name, value in SHIPPED.items() if type(value) in (int, float)))
@each("value", ["abc", "", "-1", -0.5, "nan", "inf", "1e300"])
def test_values_that_are_no_number_or_out_of_range_are_refused(name, value):
    with pytest.raises(UsageError, match=f"^{name}="):
        check_settings(BaseSettings({name: value}))


@each(
    ("name", "value", "message"),
    [
        ("LEASE_SECONDS", 0, "LEASE_SECONDS=0: say seconds from 1 to 86400"),
        ("CONCURRENT_REQUESTS", "0", "CONCURRENT_REQUESTS=0: say a whole number from 1 to 10000"),
        ("RETRY_TIMES", 1.5, "RETRY_TIMES=1.5: say a whole number from 0 to 100"),
        ("DEFAULT_CHARSET", "nope", "DEFAULT_CHARSET=nope: say a charset that Python knows, like gb18030 or utf-8"),
        ("DEFAULT_CHARSET", "base64", "DEFAULT_CHARSET=base64: say a charset"),
        ("REDIS_PARAMS", {"nonsense": 1}, "say a dictionary of parameters of redis.Redis"),
        ("REDIS_PARAMS", "{", "say a dictionary of parameters of redis.Redis"),
        ("REDIS_START_URLS_KEY", " ", "say the name of a key"),
        ("REDIS_START_URLS_KEY", "%(spider)s:urls", "say the name of a key, in which %(name)s stands for"),
        ("REDIS_HOST", "a b", "say nothing, or the name or address of a host"),
        ("RELEVANCE_MODEL", "magic", "there are blend, words, learned, boolean, tags, vector, any, or nothing"),
        ("ROBOTSTXT_OBEY", False, "newsspider always obeys robots.txt"),
        ("ROBOTSTXT_OBEY", "0", "newsspider always obeys robots.txt"),
        ("COOKIES_ENABLED", "True", "newsspider neither keeps nor sends cookies"),
        ("TELNETCONSOLE_ENABLED", "1", "newsspider opens no port"),
        ("CONCURRENT_REQUESTS_PER_DOMAIN", 8, "one page at a time"),
        ("USER_AGENT", " ", "with a contact"),
        ("USER_AGENT", "a\nb: c", "USER_AGENT=a b: c: say one line"),
        ("ROBOTS_AGENT", "two words", "product token"),
        ("CONTENT_TYPES", "", "say types like text/html,text/xml"),
        ("CONTENT_TYPES", "text/html, text/xml", "without blanks"),
        ("IGNORED_SUFFIXES", ".jpg", "without dots"),
        ("IGNORED_SUFFIXES", [7], "without dots"),
        ("LOG_LEVEL", "LOUD", "there are CRITICAL, ERROR, WARNING, INFO, DEBUG"),
        ("DATABASE_URL", "", "say a database URL"),
        ("DATABASE_URL", "x" * 99, "say a database URL"),
        ("DATABASE_URL", "postgresql://a@b/c", None),
        ("IGNORED_SUFFIXES", "", None),
        ("ROBOTSTXT_OBEY", "true", None),
        ("COOKIES_ENABLED", "0", None),
        ("RELEVANCE_MODEL", "", None),
        ("LOG_LEVEL", "DEBUG", None),
        ("LIST_MAX_PAGES", "0", None),
    ],
)
def test_the_message_names_the_setting_its_value_and_what_is_allowed(name, value, message):
    if message is None:
        check_settings(BaseSettings({name: value}))
        return
    with pytest.raises(UsageError) as refused:
        check_settings(BaseSettings({name: value}))
    assert message in str(refused.value)


@each(("smaller", "larger"), ordered())
def test_a_setting_above_the_one_that_bounds_it_is_refused(smaller, larger):
    check_settings(BaseSettings({smaller: 30, larger: "30"}))
    with pytest.raises(UsageError, match=f"{smaller}=30: it may not be more than {larger}, which is 20"):
        check_settings(BaseSettings({smaller: 30, larger: "20"}))


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(UsageError) as refused:
        check_settings(BaseSettings({"RETRY_TIMES": "9" * 500}))
    assert len(str(refused.value)) < 130


@pytest.mark.parametrize("command", [("export",), ("status",), ("sites", "list"), ("topics", "list"), ("crawl", "education")])
def test_every_command_refuses_an_invalid_setting(scrapy, command):
    ran = scrapy(*command, "-s", "LEASE_SECONDS=-1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("LEASE_SECONDS=-1: say seconds from 1 to 86400\n")


@each(
    ("name", "value"),
    [
        ("REDIS_PARAMS", {"password": "hidden", "nonsense": 1}),
        ("REDIS_PARAMS", "password=hidden"),
        ("OIDC", {"client_secret": "hidden"}),
        ("DATABASE_URL", "mysql://u@h/d?password=hidden"),
        ("REDIS_URL", "http://u@h/0?password=hidden"),
        ("REDIS_URL", "redis://h?password_file=a&password_file=b&password=hidden"),
    ],
)
def test_no_password_of_a_setting_is_shown(name, value):
    with pytest.raises(UsageError, match=rf"^{name}=.*\*\*\*: say") as refused:
        check_settings(BaseSettings({name: value}))
    assert "hidden" not in str(refused.value)


def test_no_password_of_a_misspelt_setting_is_shown():
    settings = BaseSettings()
    settings.set("REDIS_PARAM", "password=hidden", "cmdline")
    with pytest.raises(UsageError, match=r"^-s REDIS_PARAM=\*\*\*: there is no such setting; did you mean REDIS_PARAMS"):
        check_settings(settings)


@each("safe", [True, False])
@each("host", ["http://localhost", "http://127.0.0.1:9/realm", "https://id.example.cn", "https://127.0.0.1.x"])
def test_an_issuer_is_asked_by_https_or_on_this_machine(host, safe):
    issuer = host if safe else host.replace("https:", "http:").replace("localhost", "localhost.evil.cn").replace("1:9", "1.x")
    check = partial(check_settings, BaseSettings({"OIDC": {"issuer": issuer, "client_id": "a", "client_secret": "b", "roles": {}}}))
    if safe:
        check()
        return
    with pytest.raises(UsageError, match=r"^OIDC="):
        check()
