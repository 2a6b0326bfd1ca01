"""The settings of newsspider, in the order of the data flow: the components, then the numbers.

`newsspider/settings.py` has all defaults of newsspider's own settings and of those of Scrapy that it sets; the
`settings.py` of a feature has its own. Which of Scrapy's others work is on [another page](scrapy-settings.md).

Change a setting for one run with `-s NAME=VALUE`, for a job of scrapyd with `setting=NAME=VALUE`, for good in the
settings module of [your project](../how-to/start-a-project.md), which begins with this one. Every command checks all
values before it starts anything. It refuses a value that is not allowed with one sentence that gives the name, the
value and what is allowed, and ends with exit code 2. Some settings are guarantees and cannot be changed: newsspider
always obeys robots.txt, keeps no cookies, opens no port by itself, and asks a host for one page at a time.
"""

from __future__ import annotations  # noqa: I001 -- a blank line after each would fill a page
import os
import typing
from scrapy.settings import default_settings as scrapys
from newsspider import hooks
from newsspider.store.engine.data_folder import data_folder

if typing.TYPE_CHECKING:  # crawl/setting_checks.py looks at them: pydantic takes long to import
    from typing import Annotated, Literal  # noqa: I001
    from annotated_types import Unit
    from pydantic import Field
    from newsspider.setting_types import (
        Addresses, AgentLine, AlwaysFalse, AlwaysTrue, AtMost, Bytes, Charset, Contact, ContentTypes, Count, Country,
        DatabaseUrl, Days, DaysOfYear, DnsRecords, Features, Folder, Hours, MetricsAddress, ModelName, NameServers, PerHour,
        Program, RedisParams, RedisUrl, SearchIndex, Seconds, SpiderKey, Steps, Suffixes, Switch, TimeZone, Token,
        Topic, WebAddressOrNone,
    )  # fmt: skip

BOT_NAME = "newsspider"  # Scrapy's name of the project
SPIDER_MODULES = ["newsspider.spiders"]
NEWSPIDER_MODULE = "newsspider.spiders"  # where Scrapy would write a new spider
COMMANDS_MODULE = "newsspider.commands"
SPIDER_LOADER_CLASS = "newsspider.spiders.loader.NamedSpiders"  # an unknown name is one sentence
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"  # the claim loop needs asyncio

# ---- The way of a page ----------------------------------------------------------------------------------------------

# A component with the value `None` is one of Scrapy's that is switched off. Spiders that claim leases, `education`,
# `explore` and `query`, have their own scheduler and switch off more (`newsspider/spiders/leased_components.py`). Other
# spiders have Scrapy's scheduler, redirects and retries, and pass the same address guard, robots.txt and delay.
# Name components of your own in the settings without `_BASE`, as in any project of Scrapy: they join those below, at
# the place that you say. `None` switches one off; a subclass may replace one. A crawl that lacks a component on which a
# guarantee rests, or has them out of order, is refused with the name of both (`newsspider/crawl/component_check.py`);
# one that your own program starts closes as `refused`, before its first request.

STATS_CLASS = "newsspider.crawl.counters.ThreadStatsCollector"  # counts in memory, exact across threads
TWISTED_DNS_RESOLVER = "newsspider.download.guarded_resolver.GuardedResolver"  # guards every connection
# Address guard, robots.txt, content types, compressed bodies, delay.
DOWNLOADER_MIDDLEWARES_BASE = scrapys.DOWNLOADER_MIDDLEWARES_BASE | {
    "newsspider.downloadermiddlewares.address.AddressMiddleware": 50,
    "newsspider.downloadermiddlewares.politeness.RobotsMiddleware": 100,
    "newsspider.downloadermiddlewares.render.RenderMiddleware": 140,
    "newsspider.downloadermiddlewares.content.ContentTypeMiddleware": 150,
    "newsspider.downloadermiddlewares.content.DecodingMiddleware": 585,  # for spiders without leases
    "newsspider.downloadermiddlewares.politeness.UserAgentMiddleware": 500,
    "newsspider.downloadermiddlewares.content.CompressionMiddleware": 590,
    "newsspider.downloadermiddlewares.politeness.AdaptiveDelayMiddleware": 990,  # nearest to the downloader: it measures
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,  # accepts truncated bodies
}
# http and https only, with a limit for the first byte.
DOWNLOAD_HANDLERS_BASE = {
    **dict.fromkeys(("http", "https"), "newsspider.download.handler.HttpHandler"),
    **dict.fromkeys(("data", "file", "ftp", "s3")),
}
# Every item is an article; see [Write a pipeline](../how-to/write-a-pipeline.md).
ITEM_PIPELINES_BASE = {
    "newsspider.pipelines.relevance.RelevancePipeline": 100,
    "newsspider.pipelines.relevance.KeywordsPipeline": 200,
    "newsspider.pipelines.store.FingerprintPipeline": 300,
    "newsspider.pipelines.store.StorePipeline": 900,
    "newsspider.pipelines.store.UnleasedStorePipeline": 900,  # instead of it, for spiders without leases
}
FEED_EXPORTERS_BASE = scrapys.FEED_EXPORTERS_BASE | {
    **dict.fromkeys(("jsonlines", "jsonl", "jl"), "newsspider.pipelines.feed_exporters.JsonLinesArticles"),
    **{kind: f"newsspider.pipelines.feed_exporters.{kind.title()}Articles" for kind in ("json", "csv", "xml")},
}  # an article is written as `scrapy export` prints it
FEED_EXPORT_ENCODING = "utf-8"
REDIS_ITEMS_SERIALIZER = "newsspider.pipelines.feed_exporters.encoded"  # of `scrapy_redis.pipelines.RedisPipeline`
EXTENSIONS_BASE = scrapys.EXTENSIONS_BASE | {
    "newsspider.extensions.store.StoreExtension": 0,
    "newsspider.extensions.periodic.Heartbeat": 50,
    "newsspider.extensions.sites_watch.SitesWatch": 100,
    "newsspider.extensions.periodic.RefusedPages": 100,
    "newsspider.extensions.periodic.PollPlannerExtension": 105,
    "newsspider.extensions.start_urls.StartUrls": 110,
    "newsspider.extensions.store_upkeep.VanishedSnapshots": 120,
    "newsspider.extensions.store_upkeep.IndexMerge": 140,
    "newsspider.extensions.progress.ProgressLine": 200,
    "newsspider.extensions.log_line.LogLine": 205,
    "newsspider.extensions.periodic.LoopDelay": 210,
    "newsspider.extensions.metrics.Metrics": 215,
    "newsspider.extensions.memory.MemoryLimit": 220,
    "scrapy.extensions.memusage.MemoryUsage": None,  # looks at the peak, and can only end the crawl
    "scrapy.extensions.remote_control.RemoteControl": None,
    "scrapy.extensions.throttle.AutoThrottle": None,  # see DELAY_FACTOR
}

# ---- What is watched and where it is kept ----------------------------------------------------------------------------

# `PROJECT` is the folder of `scrapy.cfg`. Without one, as under scrapyd, data goes to the folder `newsspider` in
# `$XDG_DATA_HOME` or `~/.local/share`, on Windows in `%LOCALAPPDATA%`.

# The store: a database of its own, in a file of SQLite or on [PostgreSQL](../how-to/run-on-postgresql.md).
# The variable `NEWSSPIDER_DATABASE_URL` replaces the default, `NEWSSPIDER_DATA_DIR` its folder.
DATABASE_URL: DatabaseUrl = os.environ.get("NEWSSPIDER_DATABASE_URL") or f"sqlite:///{data_folder()}/newsspider.db"
# A Redis server that all workers of one store share; empty: none. The variable `NEWSSPIDER_REDIS_URL` replaces it.
REDIS_URL: RedisUrl = os.environ.get("NEWSSPIDER_REDIS_URL", "")
# The same with the names of [scrapy-redis](../how-to/coming-from-scrapy-redis.md); `REDIS_URL` goes first.
REDIS_HOST: Annotated[str, Field(pattern=r"^\S*$", description="say nothing, or the name or address of a host")] = ""
REDIS_PORT: Annotated[Count, Field(ge=0, le=65_535)] = 0
REDIS_PARAMS: RedisParams = {}  # any other parameter of `redis.Redis`, as `password`, `ssl` or `socket_timeout`
# Comes before every key in Redis but those of start URLs; the same for all workers of a store.
REDIS_PREFIX: Annotated[Token, Field(description="say a word of letters, digits, '_', '.' and '-'")] = "newsspider"
# Where a crawl looks up whether a link is known. `exact`: in the memory of the worker, then in the database;
# `bloom`, for `explore` only: in the
# [memory of the classical crawlers](../how-to/choose-a-strategy.md#url-memory), which loses pages.
SEEN_FILTER: Literal["exact", "bloom"] = "exact"
SEEN_ERROR_RATE: Annotated[float, Field(ge=1e-6, le=0.1)] = 0.001  # with `bloom`: the share of new URLs that it loses
START_URLS_SECONDS: Annotated[Seconds, Field(ge=0.05, le=86_400)] = 1.0  # with Redis: how often they are looked for
REDIS_START_URLS_KEY: SpiderKey = "%(name)s:start_urls"  # where start URLs are pushed; `%(name)s` is the spider's name
REDIS_START_URLS_AS_SET: Switch = False  # it is a set
REDIS_START_URLS_AS_ZSET: Switch = False  # it is a sorted set: the highest score goes first
REDIS_START_URLS_BATCH_SIZE: Annotated[Count, Field(ge=1, le=10_000), Unit("messages")] = 100  # taken at once
REDIS_ENCODING: Charset = "utf-8"  # of the messages
# How long an idle crawl waits for start URLs; 0: a round ends at once, one around the clock never. The second: a round.
MAX_IDLE_TIME_BEFORE_CLOSE: Annotated[Count, Field(ge=0, le=10_000_000), Unit("seconds")] = 0
SCHEDULER_IDLE_BEFORE_CLOSE: Annotated[Count, Field(ge=0, le=10_000_000), Unit("seconds")] = 0
_FEATURES = os.environ.get("NEWSSPIDER_FEATURES", ",".join(hooks.FEATURES)).split(",")
# What the project has besides crawl, store and search, each with its tables, commands and pages: the same in all
# processes of a store. Name it in the settings of the project or in NEWSSPIDER_FEATURES: `-s` comes too late.
FEATURES: Features = list(dict.fromkeys(name.strip() for name in _FEATURES if name.strip()))
TOPIC: Topic = "education"  # of a crawl without `-a topic=`; `any` keeps every article
RELEVANCE_MODEL: ModelName = ""
SEARCH_INDEX: SearchIndex = os.environ.get("NEWSSPIDER_SEARCH_INDEX", "")  # OpenSearch that answers searches; or empty

# ---- Being a good guest ----------------------------------------------------------------------------------------------
# A URL or e-mail address for the user agent, or `NEWSSPIDER_CONTACT`; without one a crawl of public hosts warns.
CONTACT: Contact = os.environ.get("NEWSSPIDER_CONTACT", "")
USER_AGENT: AgentLine = "newsspider/0.1 (no contact given)"  # `CONTACT` takes the place of the words in brackets
# The name that newsspider looks up in robots.txt and X-Robots-Tag.
ROBOTS_AGENT: Annotated[
    Token, Field(description="say a product token as in robots.txt, of letters, digits, '_', '.' and '-'")
] = "newsspider"
ROBOTSTXT_OBEY: Annotated[AlwaysTrue, Field(description="newsspider always obeys robots.txt; leave it True")] = True
DEFAULT_REQUEST_HEADERS = scrapys.DEFAULT_REQUEST_HEADERS | {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"}  # zh first
COOKIES_ENABLED: Annotated[
    AlwaysFalse, Field(description="newsspider neither keeps nor sends cookies; leave it False")
] = False
TELNETCONSOLE_ENABLED: Annotated[AlwaysFalse, Field(description="newsspider opens no port; leave it False")] = False

# The delay is this factor times the smoothed time from request to last byte: 100 is at most 1 % of a server.
DELAY_FACTOR: Annotated[float, Field(ge=0, le=10_000), Unit("times")] = 100.0
# The shortest delay, unless a site file gives its own with a reason.
DELAY_MIN_SECONDS: Annotated[Seconds, Field(ge=0, le=3600), AtMost("DELAY_MAX_SECONDS")] = 1.0
# The longest delay that the factor gives; robots.txt, Retry-After and a site file may ask for more.
DELAY_MAX_SECONDS: Annotated[Seconds, Field(ge=0, le=3600)] = 30.0
CRAWL_DELAY_MAX_SECONDS: Annotated[Seconds, Field(ge=1, le=86_400)] = 300.0  # a longer Crawl-delay counts as this
# A host that sends no byte within this time is `timeout`.
DOWNLOAD_FIRST_BYTE_SECONDS: Annotated[Seconds, Field(ge=0.1, le=600), AtMost("DOWNLOAD_TIMEOUT")] = 5.0
# For the whole answer; twice as long for one that paused because others took too much memory.
DOWNLOAD_TIMEOUT: Annotated[Seconds, Field(ge=0.1, le=600), AtMost("LEASE_SECONDS")] = 30
DOWNLOAD_MAXSIZE: Annotated[Bytes, Field(ge=1024, le=2**30)] = 8 * 1024 * 1024  # a longer page is `too_large`
# A delay is at least this long, too. It is kept for all workers together, and never shortened at random.
DOWNLOAD_DELAY: Annotated[Seconds, Field(ge=0, le=3600)] = 0
CONCURRENT_REQUESTS_PER_DOMAIN: Annotated[
    Count, Field(ge=1, le=1, description="newsspider asks a host for one page at a time; leave it 1")
] = 1
RETRY_TIMES: Annotated[Count, Field(ge=0, le=100)] = 3  # how often a failed page is tried again, if that may help
# The wait after the first failure; it doubles with each further one.
RETRY_BASE_SECONDS: Annotated[Seconds, Field(ge=0.001, le=86_400), AtMost("RETRY_CAP_SECONDS")] = 10.0
RETRY_CAP_SECONDS: Annotated[Seconds, Field(ge=0.001, le=86_400)] = 3600.0  # the longest wait
REDIRECT_MAX_TIMES: Annotated[Count, Field(ge=0, le=100)] = 5  # in a row, and only within one site

# ---- Names and addresses ---------------------------------------------------------------------------------------------

# No request goes to an address of this machine, of a private network or of another block that is not for the open
# Internet, in any spelling, on any hop, or by a name. A URL refused for that is `done` with the reason `address`. Name
# an intranet or the sample portal in `ALLOWED_ADDRESSES`. A proxy need not be named; it resolves and guards names
# itself. If the proxy cannot be reached, the crawl stops with exit code 11, and its pages wait.

# The exact exceptions. The variable `NEWSSPIDER_ALLOWED_ADDRESSES`, with commas, replaces the default.
ALLOWED_ADDRESSES: Addresses = list(filter(None, os.environ.get("NEWSSPIDER_ALLOWED_ADDRESSES", "").split(",")))
# The [RSSHub](../how-to/choose-sources.md#doors) that is asked for lists with `rsshub://`. Run one of your own: public
# instances are shared by many, refuse crawlers, and are refused by many sites. At an address that is not public it must
# stand in `ALLOWED_ADDRESSES`.
RSSHUB_URL: WebAddressOrNone = os.environ.get("NEWSSPIDER_RSSHUB_URL", "")
# They share the queries. Empty: the servers that the system uses; `system`: the system's resolver, in threads. Names
# without a dot, below `.local`, `.localhost`, `.internal` and `.home.arpa`, and in `/etc/hosts`, are not sent.
DNS_SERVERS: NameServers = []
DNS_RECORDS: DnsRecords = ["A", "AAAA"]  # a type is asked for only where the one before gives nothing
DNS_TIMEOUT: Annotated[Seconds, Field(ge=0.1, le=600)] = 10.0  # for a name, over all servers and attempts
DNS_ATTEMPT_SECONDS: Annotated[Seconds, Field(ge=0.05, le=600), AtMost("DNS_TIMEOUT")] = 3.0  # for one server
DNSCACHE_SIZE: Annotated[Count, Field(ge=1, le=10_000_000), Unit("names")] = 10_000  # the longest unused goes first
# An answer is kept at least this long, whatever its record says.
DNS_TTL_MIN_SECONDS: Annotated[Seconds, Field(ge=0, le=86_400)] = 1.0

# ---- When lists are polled -------------------------------------------------------------------------------------------
# How a crawl around the clock decides when to poll a list again: `index`: by what the list is expected to bring;
# `fixed`: at fixed times. A crawl of one round polls every list once.
REVISIT_POLICY: Literal["index", "fixed"] = "index"
# With `index`: of a list, on average over all lists. Quiet hours save up to half an hour's requests for busy hours.
REVISIT_REQUESTS_PER_LIST: Annotated[PerHour, Field(ge=0.001, le=3600)] = 12.0
# With `index`: for all lists together, on average over the hours. The smaller of the two budgets holds.
REVISIT_REQUESTS_PER_HOUR: Annotated[PerHour, Field(ge=0.1, le=1e7)] = 6000.0
# With `index`: for the lists of one host, and no more than half of the requests that its delay allows.
REVISIT_REQUESTS_PER_HOST: Annotated[PerHour, Field(ge=0.1, le=3600)] = 120.0
# With `index`: the shortest time between two polls of a list.
REVISIT_SHORTEST_SECONDS: Annotated[Seconds, Field(ge=0.1, le=86_400), AtMost("REVISIT_LONGEST_SECONDS")] = 60.0
REVISIT_LONGEST_SECONDS: Annotated[Seconds, Field(ge=0.1, le=604_800)] = 86_400.0  # with `index`: the longest
REVISIT_FIXED_SECONDS: Annotated[Seconds, Field(ge=0.1, le=604_800)] = 900.0  # with `fixed`: between two polls
HOLIDAYS: Country = "CN"  # whose public holidays count as Sundays, and make-up workdays as workdays; empty: none
# First and last days, of every year. Lists are presumed to bring a fifth less then, until their rates are learned.
SCHOOL_HOLIDAYS: DaysOfYear = ["01-20/02-20", "07-10/08-31"]
# How long a crawl of one round waits for postponed pages; then it ends as `postponed`.
ROUND_PATIENCE_SECONDS: Annotated[Seconds, Field(ge=0, le=86_400)] = 120.0
LIST_MAX_PAGES: Annotated[Count, Field(ge=0, le=100_000), Unit("pages")] = 50  # next pages of one list
# How many URLs of one pattern a crawl fetches in vain before it stops fetching them; twice as many of a wider one. A
# new article pays for as many, half in advance. As many known texts show that a URL part is irrelevant. 0: no limit.
TRAP_FETCHES: Annotated[Count, Field(ge=0, le=100_000), Unit("pages")] = 20
# The same of all URLs of a site (in an explore crawl, of a registered domain), which is then throttled, and after twice
# as many quarantined. Frames, child sitemaps and next pages of lists are counted apart, likewise.
TRAP_SITE_FETCHES: Annotated[Count, Field(ge=1, le=1_000_000), Unit("pages")] = 200
TRAP_RETRY_SECONDS: Annotated[Seconds, Field(ge=0.001, le=86_400)] = 900.0  # before a spent pattern is tried; doubles
SITES_WATCH_SECONDS: Annotated[Seconds, Field(ge=0, le=86_400)] = 2.0  # between two looks at the sites; 0: never
LEDGER_WATCH_SECONDS: Annotated[Seconds, Field(ge=0.1, le=600)] = 5.0  # between two looks for work that others made due

# ---- Revisits of stored articles -------------------------------------------------------------------------------------
# Times after it was stored at which an article is revisited; closer together on sites that edit much. Empty: never.
ARTICLE_REVISITS: Steps = ["1h", "6h", "1d", "3d", "7d"]
# An article that was this old when it was found is not revisited: it comes from an archive.
ARTICLE_REVISIT_MAX_AGE_DAYS: Annotated[Days, Field(ge=0, le=36_500)] = 30.0
# An article has vanished if this many visits in a row missed it while its site answered; more if it once came back.
VANISHED_MISSES: Annotated[Count, Field(ge=1, le=100), Unit("visits")] = 5
VANISHED_HOURS: Annotated[Hours, Field(ge=0, le=24 * 30)] = 6.0  # and if the first and the last miss are so far apart
# The snapshot of a vanished article is deleted after this time. What was extracted stays.
VANISHED_DELETE_DAYS: Annotated[Days, Field(ge=0, le=36_500)] = 30.0

# ---- How much at once ------------------------------------------------------------------------------------------------
CONCURRENT_REQUESTS: Annotated[Count, Field(ge=1, le=10_000)] = 32  # downloads at once, over all hosts
CONCURRENT_ITEMS: Annotated[Count, Field(ge=1, le=10_000)] = 1  # tasks for a response; a page yields one item
# How many leases are held: this times `CONCURRENT_REQUESTS`. Claiming pauses while the pool is full.
LEASES_AHEAD: Annotated[Count, Field(ge=1, le=100), Unit("times")] = 2
# Of pages between download and the end of extraction. Above it, downloads pause, those under way from 256 KiB on.
SCRAPER_SLOT_MAX_ACTIVE_SIZE: Annotated[Bytes, Field(ge=1024, le=2**40)] = 16 * 1024 * 1024
# A crawl that holds more [restarts or ends](../how-to/bound-memory.md), and loses nothing; 0: any amount.
MEMUSAGE_LIMIT_MB: Annotated[Count, Field(ge=0, le=2**20), Unit("MB")] = 1024
MEMUSAGE_CHECK_INTERVAL_SECONDS: Annotated[Seconds, Field(ge=0.05, le=3600)] = 2.0  # how often memory is measured
# A page goes to another worker if its own gives no sign of life for this time. A live worker keeps its pages.
LEASE_SECONDS: Annotated[Seconds, Field(ge=1, le=86_400)] = 120.0
# `dynamic`: a worker claims from its own [share of the hosts](../how-to/run-a-fleet.md#which-worker-asks-which-host),
# and from others left waiting for a second; `static`: from its own only. The same for all workers of a crawl.
FRONTIER_ASSIGNMENT: Literal["dynamic", "static"] = "dynamic"
WRITER_BATCH: Annotated[Count, Field(ge=1, le=10_000), Unit("pages")] = 64  # in one transaction
WRITER_GATHER_SECONDS: Annotated[Seconds, Field(ge=0, le=10)] = 0.02  # the first page waits for others to join it
# A store that stays locked or unreachable, or does not answer, for longer ends the crawl as `store_failed`.
WRITER_PATIENCE_SECONDS: Annotated[Seconds, Field(ge=0, le=3600)] = 60.0

# ---- What is read ----------------------------------------------------------------------------------------------------
DEFAULT_CHARSET: Charset = "gb18030"  # of a page whose bytes and declarations name none
BOILERPLATE_LEARNED: Switch = True  # lines around the texts of many articles of a site are left out
OFF_TOPIC_HELD: Switch = False  # their texts are held: `scrapy topics rejudge` needs no new fetches
BROWSER: Program = "chromium"  # of sites with `render = true`, and of a .pdf: a name or a path
# Other pages are dropped at their headers, as `content_type`; an answer whose header names no type is read.
CONTENT_TYPES: ContentTypes = [
    "text/html", "application/xhtml+xml", "text/xml", "application/xml", "application/rss+xml", "application/atom+xml",
    "application/rdf+xml", "application/x-rss+xml", "text/plain", "application/gzip", "application/x-gzip",  # sitemaps
    "application/octet-stream", "binary/octet-stream",  # what servers call what they do not know; the bytes decide
]  # fmt: skip
IGNORED_SUFFIXES: Suffixes = [  # links with these suffixes are never requested
    "jpg", "jpeg", "png", "gif", "bmp", "webp", "svg", "ico", "tif", "tiff", "psd", "mp4", "avi", "wmv", "flv", "mov",
    "mkv", "webm", "m4v", "rm", "rmvb", "3gp", "m3u8", "ts", "mp3", "wav", "wma", "m4a", "aac", "ogg", "flac", "zip",
    "rar", "7z", "gz", "bz2", "xz", "tar", "tgz", "exe", "msi", "apk", "ipa", "dmg", "iso", "deb", "rpm", "pdf", "doc",
    "docx", "xls", "xlsx", "ppt", "pptx", "wps", "et", "dps", "odt", "ods", "odp", "rtf", "csv", "caj", "css", "js",
    "json", "woff", "woff2", "ttf", "eot", "swf",
]  # fmt: skip

# ---- Log and progress ------------------------------------------------------------------------------------------------
LOG_LEVEL: Literal["CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG"] = "INFO"  # of `scrapy crawl`; no other command logs
LOG_FORMATTER = "newsspider.logformatter.PageLogFormatter"  # logs each page only at the level `DEBUG`
TIME_ZONE: TimeZone = "Asia/Shanghai"  # of the times in the log
LOG_DATEFORMAT = "%Y-%m-%d %H:%M:%S %z"  # Scrapy's format of these times, with their zone
LOG_JSON: Switch = False  # each line of the log is a JSON object, with its time in UTC
METRICS_ADDRESS: MetricsAddress = ""  # where it serves [metrics and health](../how-to/monitor.md); empty: nowhere
METRICS_FOLDER: Folder = ""  # where it writes them to a file, for jobs too short to be asked; empty: nowhere
PROGRESS_SECONDS: Annotated[Seconds, Field(ge=0, le=86_400)] = 1.0  # between two progress lines on a terminal; 0: none

hooks.add_settings(globals(), FEATURES)
