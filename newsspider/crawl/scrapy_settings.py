"""Which settings of Scrapy and scrapy-redis a crawl cannot honour, declared once for the check and for the reference:
none is ignored in silence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

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
    "DNSCACHE_ENABLED": "names are always kept, as long as their records say; see DNS_TTL_MAX_SECONDS",
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
