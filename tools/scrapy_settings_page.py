"""The reference page of Scrapy's and scrapy-redis's settings: those that work stand here, the others in the tables of
``newsspider/crawl/setting_checks.py``."""

from __future__ import annotations

from collections.abc import Mapping

from newsspider.crawl.setting_checks import GUARANTEED, OF_SCRAPY_REDIS, WITHOUT_EFFECT
from tools.markdown import table

NOTE = "<!-- Written by `make docs` from newsspider/crawl/setting_checks.py and tools/scrapy_settings_page.py. -->\n"
INTRO = """
What each setting of Scrapy 2.19 and scrapy-redis does in a crawl of `education`, `explore` or `query`. Those of newsspider, and
the values that newsspider gives to Scrapy's, are on [another page](settings.md). Write yours into the
[settings module of your project](../how-to/start-a-project.md), or say `-s NAME=VALUE`. `-s` refuses a name that nobody knows
and that resembles a known one; for one in a module a crawl logs a warning.
"""
# Settings, separated by blanks: what they do in a crawl of `education`, `explore` or `query`. "" is: what Scrapy says.
WORKING = {
    "CLOSESPIDER_ERRORCOUNT CLOSESPIDER_ITEMCOUNT CLOSESPIDER_PAGECOUNT CLOSESPIDER_PAGECOUNT_NO_ITEM CLOSESPIDER_TIMEOUT "
    "CLOSESPIDER_TIMEOUT_NO_ITEM": "end the crawl with exit code 0 and their reason; the next crawl goes on. Pages count robots.txt",
    "ADDONS DOWNLOADER_MIDDLEWARES EXTENSIONS FEED_EXPORTERS ITEM_PIPELINES SPIDER_MIDDLEWARES": "yours join newsspider's",
    "AWS_ACCESS_KEY_ID AWS_ENDPOINT_URL AWS_MAX_POOL_CONNECTIONS AWS_REGION_NAME AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN "
    "AWS_USE_SSL AWS_VERIFY FEED_STORAGE_FTP_ACTIVE FEED_STORAGE_GCS_ACL FEED_STORAGE_S3_ACL GCS_PROJECT_ID": "of feeds",
    "FEEDS FEED_EXPORT_BATCH_ITEM_COUNT FEED_EXPORT_ENCODING FEED_EXPORT_FIELDS FEED_EXPORT_INDENT FEED_STORAGES "
    "FEED_STORAGES_BASE FEED_STORE_EMPTY FEED_TEMPDIR FEED_URI_PARAMS": "of feeds; an article is a record of `scrapy export`",
    "FEED_FORMAT FEED_URI": "old; name `FEEDS`",
    "FEED_EXPORTERS_BASE SPIDER_MIDDLEWARES_BASE": "changed by newsspider; leave them, and name yours without `_BASE`",
    "DEPTH_LIMIT": "links from a seed; in `education`, next pages of a list and redirects. 1: only what the first pages link to",
    "DOWNLOAD_DELAY": "raises the least delay, for all workers together",
    "DOWNLOAD_SLOTS": "a delay is kept on top of newsspider's, by each worker; a host is asked for one page at a time all the same",
    "HTTPCACHE_ALWAYS_STORE HTTPCACHE_DBM_MODULE HTTPCACHE_DIR HTTPCACHE_ENABLED HTTPCACHE_EXPIRATION_SECS HTTPCACHE_GZIP "
    "HTTPCACHE_IGNORE_HTTP_CODES HTTPCACHE_IGNORE_MISSING HTTPCACHE_IGNORE_RESPONSE_CACHE_CONTROLS "
    "HTTPCACHE_IGNORE_SCHEMES HTTPCACHE_POLICY HTTPCACHE_STORAGE REQUEST_FINGERPRINTER_CLASS":
        "a cache for development; robots.txt is not taken from it, and delays are kept",
    "HTTPPROXY_AUTH_ENCODING HTTPPROXY_ENABLED": "a proxy resolves names and guards addresses itself",
    "JOBDIR": "keeps `spider.state`; the ledger continues a crawl without it",
    "REDIRECT_ENABLED": "False is `REDIRECT_MAX_TIMES=0`",
    "RETRY_ENABLED": "False is `RETRY_TIMES=0`",
    "LOGSTATS_INTERVAL": "between two lines with the figures of a crawl; also of the extension PeriodicLog",
    "CONCURRENT_ITEMS CONCURRENT_REQUESTS DNSCACHE_SIZE DNS_TIMEOUT DOWNLOAD_MAXSIZE DOWNLOAD_TIMEOUT LOG_FORMATTER LOG_LEVEL "
    "MEMUSAGE_CHECK_INTERVAL_SECONDS MEMUSAGE_LIMIT_MB REDIRECT_MAX_TIMES RETRY_TIMES SCRAPER_SLOT_MAX_ACTIVE_SIZE "
    "USER_AGENT": "see [the settings](settings.md)",
    "MEMUSAGE_ENABLED MEMUSAGE_WARNING_MB": "see [how to bound memory](../how-to/bound-memory.md)",
    "LOG_COLOR LOG_DATEFORMAT LOG_ENABLED LOG_ENCODING LOG_FILE LOG_FILE_APPEND LOG_FORMAT LOG_INSTALL_ROOT_HANDLER "
    "LOG_SHORT_NAMES LOG_STDOUT LOG_VERSIONS": "control characters are escaped",
    "DOWNLOADER_CLIENT_TLS_CIPHERS DOWNLOAD_BIND_ADDRESS DOWNLOAD_FAIL_ON_DATALOSS DOWNLOAD_TLS_MAX_VERSION "
    "DOWNLOAD_TLS_MIN_VERSION DOWNLOAD_VERIFY_CERTIFICATES": "",
    "ASYNCIO_EVENT_LOOP BOT_NAME COMMANDS_MODULE DEFAULT_DROPITEM_LOG_LEVEL DEFAULT_ITEM_CLASS DEFAULT_REQUEST_HEADERS "
    "DOWNLOADER_STATS EDITOR FORCE_CRAWLER_PROCESS MAIL_FROM MAIL_HOST MAIL_PASS MAIL_PORT MAIL_SSL MAIL_TLS MAIL_USER "
    "MEMDEBUG_ENABLED NEWSPIDER_MODULE PERIODIC_LOG_DELTA PERIODIC_LOG_STATS PERIODIC_LOG_TIMING_ENABLED "
    "REACTOR_THREADPOOL_MAXSIZE SPIDER_CONTRACTS SPIDER_CONTRACTS_BASE SPIDER_LOADER_CLASS SPIDER_LOADER_WARN_ONLY "
    "SPIDER_MODULES STATSMAILER_RCPTS STATS_DUMP TEMPLATES_DIR WARN_ON_GENERATOR_RETURN_VALUE": "",
}  # fmt: skip
SECTIONS = (
    (
        "Guarantees",
        "allowed",
        "Any other value is refused before the first request, with a sentence that names it.",
        GUARANTEED,
    ),
    ("Working", "more", "As Scrapy's documentation says; more where there is more to say.", WORKING),
    ("Without effect", "because", "A crawl that finds one of them changed logs a warning.", WITHOUT_EFFECT),
    (
        "Of scrapy-redis",
        "what becomes of it",
        "See [Coming from scrapy-redis](../how-to/coming-from-scrapy-redis.md).",
        OF_SCRAPY_REDIS,
    ),
)


def scrapy_settings_page() -> str:
    """Every setting of Scrapy by what becomes of it."""
    lines = [NOTE, f"# Scrapy's settings\n{INTRO}"]
    for heading, head, intro, settings in SECTIONS:
        lines += [f"## {heading}\n", f"{intro}\n", *table(("setting", head), _rows(settings))]
    return "\n".join(lines)


def _rows(settings: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(", ".join(f"`{name}`" for name in names.split()), remark) for names, remark in settings.items()]
