"""What each setting of Scrapy and scrapy-redis does in a crawl, declared once for the check and for the reference."""

from __future__ import annotations

from collections.abc import Mapping

from newsspider.crawl.scrapy_redis_settings import HOLDS

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
    "LOGSTATS_INTERVAL": "of the extension PeriodicLog; newsspider has `PROGRESS_SECONDS`, and figures at the end",
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
# Settings of scrapy-redis.
OF_SCRAPY_REDIS = {
    "MAX_IDLE_TIME_BEFORE_CLOSE REDIS_DB REDIS_ENCODING REDIS_HOST REDIS_ITEMS_KEY REDIS_ITEMS_SERIALIZER REDIS_PARAMS "
    "REDIS_PORT REDIS_START_URLS_AS_SET REDIS_START_URLS_AS_ZSET REDIS_START_URLS_BATCH_SIZE REDIS_START_URLS_KEY REDIS_URL "
    "SCHEDULER_IDLE_BEFORE_CLOSE": "works",
    " ".join(HOLDS): "refused, but for the value that holds anyway",
    "REDIS_DECODE_RESPONSES SCHEDULER_DUPEFILTER_CLASS": "of spiders of your own",
}  # fmt: skip
REFUSED = ("ROBOTSTXT_PARSER", "ROBOTSTXT_USER_AGENT")  # guarantees of which nothing else checks the value


def each(table: Mapping[str, str]) -> dict[str, str]:
    """A table by single settings."""
    return {name: remark for names, remark in table.items() for name in names.split()}
