"""The wiring in data-flow order, then the numbers: the only place with defaults."""

from __future__ import annotations

import os
from pathlib import Path

from scrapy.utils.conf import closest_scrapy_cfg

BOT_NAME = "newsspider"
SPIDER_MODULES = ["newsspider.spiders"]
NEWSPIDER_MODULE = "newsspider.spiders"
COMMANDS_MODULE = "newsspider.commands"
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"

# ---- the way of a page ----------------------------------------------------------------------------------------------

SCHEDULER = "newsspider.scheduler.LeaseScheduler"
STATS_CLASS = "newsspider.statscollector.ThreadStatsCollector"

TWISTED_DNS_RESOLVER = "newsspider.download.guarded_resolver.GuardedResolver"
DOWNLOADER_MIDDLEWARES = {
    "newsspider.downloadermiddlewares.address.AddressMiddleware": 50,
    "newsspider.downloadermiddlewares.robots.RobotsMiddleware": 100,
    "newsspider.downloadermiddlewares.content_type.ContentTypeMiddleware": 150,
    "newsspider.downloadermiddlewares.compression.CompressionMiddleware": 590,
    "newsspider.downloadermiddlewares.delay.AdaptiveDelayMiddleware": 990,  # nearest to the downloader: it measures
    # One lease is one fetch: what these would do by themselves is an outcome that the frontier decides on.
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
    # it takes half a page for a whole one
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
}
DOWNLOAD_HANDLERS = {
    "http": "newsspider.download.handler.HttpHandler",
    "https": "newsspider.download.handler.HttpHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}

SPIDER_MIDDLEWARES = {
    "newsspider.spidermiddlewares.outcome.OutcomeMiddleware": 50,
    "newsspider.spidermiddlewares.prefetch.PrefetchMiddleware": 60,
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,  # the ledger knows the depth
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,  # every status is an outcome
    "scrapy.spidermiddlewares.referer.RefererMiddleware": None,
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,  # core.fetching.traps
}
ITEM_PIPELINES = {
    "newsspider.pipelines.relevance.RelevancePipeline": 100,
    "newsspider.pipelines.keywords.KeywordsPipeline": 200,
    "newsspider.pipelines.fingerprint.FingerprintPipeline": 300,
    "newsspider.pipelines.validators.ValidatorsPipeline": 400,
    "newsspider.pipelines.revisits.RevisitsPipeline": 500,
    "newsspider.pipelines.polls.PollsPipeline": 600,
    "newsspider.pipelines.store.StorePipeline": 900,
}
EXTENSIONS = {
    "newsspider.extensions.store.StoreExtension": 0,
    "newsspider.extensions.heartbeat.Heartbeat": 50,
    "newsspider.extensions.site_changes.SitesWatch": 100,
    "newsspider.extensions.poll_planner.PollPlannerExtension": 105,
    "newsspider.extensions.start_urls.StartUrls": 110,
    "newsspider.extensions.vanished_snapshots.VanishedSnapshots": 120,
    "newsspider.extensions.ranks.Ranks": 130,
    "newsspider.extensions.progress.ProgressLine": 200,
    "newsspider.extensions.loop_delay.LoopDelay": 210,
    "newsspider.extensions.memory.MemoryLimit": 220,
    "scrapy.extensions.memusage.MemoryUsage": None,  # it looks at the peak, and an end is all that it knows
    "scrapy.extensions.remote_control.RemoteControl": None,
    "scrapy.extensions.logstats.LogStats": None,  # the progress line, and the figures at the end
    "scrapy.extensions.feedexport.FeedExporter": None,  # `scrapy export` gives the articles
}

# ---- what is watched and where it is kept ----------------------------------------------------------------------------

_PROJECT = closest_scrapy_cfg()
_DATA_DIR = os.environ.get("NEWSSPIDER_DATA_DIR") or str(
    Path(_PROJECT).parent / "data" if _PROJECT else Path.home() / ".local/share/newsspider"
)
DATABASE_URL = os.environ.get("NEWSSPIDER_DATABASE_URL") or f"sqlite:///{_DATA_DIR}/newsspider.db"
# empty: the database alone; of a fleet all workers name the same two
REDIS_URL = os.environ.get("NEWSSPIDER_REDIS_URL", "")
REDIS_PREFIX = "newsspider"  # before every key; workers of one store share it
# "redis": with REDIS_URL, the workers tell each other which URLs the ledger has; "bloom": explore crawls
SEEN_FILTER = "exact"
SEEN_ERROR_RATE = 0.001  # with "bloom": the share of new URLs that an explore crawl takes for known, and loses
START_URLS_SECONDS = 1.0  # with REDIS_URL: how often `<spider>:start_urls` is looked at
TOPIC = "education"
RELEVANCE_MODEL = ""  # empty: the model that the topic's profile names

# ---- being a good guest ----------------------------------------------------------------------------------------------

USER_AGENT = "newsspider/0.1 (+https://github.com/newsspider/newsspider)"
ROBOTS_AGENT = "newsspider"
ROBOTSTXT_OBEY = True  # this and the next two are promises: any other value is refused
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False

DELAY_FACTOR = 100.0  # times the time from request to last byte: at most 1 % of a server
DELAY_MIN_SECONDS = 1.0
DELAY_MAX_SECONDS = 30.0
CRAWL_DELAY_MAX_SECONDS = 300.0  # a longer Crawl-delay is taken as this

DOWNLOAD_FIRST_BYTE_SECONDS = 5.0
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 8 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_DELAY = 0  # the frontier keeps the delay of a host, for all workers together
CONCURRENT_REQUESTS_PER_DOMAIN = 1

RETRY_TIMES = 3
RETRY_BASE_SECONDS = 10.0
RETRY_CAP_SECONDS = 3600.0
REDIRECT_MAX_TIMES = 5

# ---- names and addresses ---------------------------------------------------------------------------------------------

# Addresses, networks and host names that are asked though they are not public: 127.0.0.0/8, 10.1.2.3,
# intranet.example.cn
ALLOWED_ADDRESSES = [entry for entry in os.environ.get("NEWSSPIDER_ALLOWED_ADDRESSES", "").split(",") if entry]
# with a port if it is not 53; empty: those that the system uses; ["system"]: only the system's own resolver
DNS_SERVERS: list[str] = []
DNS_RECORDS = ["A", "AAAA"]  # the next is asked for only where the one before gives nothing
DNS_TIMEOUT = 10.0  # for a name, over all servers
DNS_ATTEMPT_SECONDS = 3.0
DNS_DEAD_SECONDS = 30.0  # a server that was silent twice in a row is left out so long
DNSCACHE_SIZE = 10_000
DNS_TTL_MIN_SECONDS = 1.0  # what a record says of its time to live counts between these two
DNS_TTL_MAX_SECONDS = 86_400.0
# a name without an address is asked for again then, or when its zone says, if that is sooner
DNS_NEGATIVE_SECONDS = 60.0

# ---- when lists are polled -------------------------------------------------------------------------------------------

# around the clock: "index" by what lists are expected to bring, "rounds" by weight group, or "fixed"
REVISIT_POLICY = "index"
REVISIT_REQUESTS_PER_LIST = 12.0  # an hour, on average over all lists
REVISIT_REQUESTS_PER_HOUR = 6000.0  # for lists, in all
REVISIT_REQUESTS_PER_HOST = 120.0  # for lists, an hour
REVISIT_SHORTEST_SECONDS = 60.0
REVISIT_LONGEST_SECONDS = 86_400.0  # no list waits longer, whatever its weight and its rate
REVISIT_FIXED_SECONDS = 900.0  # between two polls of any list, with "fixed"
HOLIDAYS = "CN"  # the country whose public holidays count as Sundays; empty: none
SCHOOL_HOLIDAYS = ["01-20/02-20", "07-10/08-31"]  # first and last day; a fifth less is presumed of them
POLL_ROUND_SECONDS = 60.0  # the heaviest channels are polled once a round, with "rounds"
ROUND_PATIENCE_SECONDS = 120.0  # a crawl of one round waits so long for pages that were put off
LIST_MAX_PAGES = 50
TRAP_FETCHES = 20  # of URLs of one pattern that may bring nothing, beyond those that others paid for; 0: any number
TRAP_SITE_FETCHES = 200  # the same of a whole site
TRAP_RETRY_SECONDS = 900.0  # then one of them is fetched again, and one after twice as long each time, up to a day
RANK_HOURS = 24.0  # a crawl works out PageRank and its like anew when they are older; 0: never
SITES_WATCH_SECONDS = 2.0
LEDGER_WATCH_SECONDS = 5.0  # other workers and commands change the ledger without telling

# ---- stored articles, visited again
# ------------------------------------------------------------------------------------

ARTICLE_REVISITS = ["1h", "6h", "1d", "3d", "7d"]  # after it was stored; empty: never
ARTICLE_REVISIT_MAX_AGE_DAYS = 30.0  # what was published longer before it was found is not visited again
VANISHED_MISSES = 5  # visits in a row that must miss an article, while its site answers
VANISHED_HOURS = 6.0  # over no less than so long
VANISHED_DELETE_DAYS = 30.0  # its snapshot is kept so long after that

# ---- how much at once ------------------------------------------------------------------------------------------------

CONCURRENT_REQUESTS = 32
CONCURRENT_ITEMS = 1  # a page yields one item; Scrapy starts that many tasks a response
LEASES_AHEAD = 2  # times CONCURRENT_REQUESTS: all the back-pressure that is needed
# bytes of pages until they are read; more pauses the downloader and long downloads
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 16 * 1024 * 1024
# a crawl that takes more finishes the pages under way and, around the clock, restarts; 0: any amount
MEMUSAGE_LIMIT_MB = 1024
MEMUSAGE_CHECK_INTERVAL_SECONDS = 2.0
LEASE_SECONDS = 120.0
# each worker has hosts of its own and helps with what others leave waiting; "static": it does not
FRONTIER_ASSIGNMENT = "dynamic"
WRITER_BATCH = 64  # pages a transaction at most
# the first page of a transaction waits so long for others: a commit costs as much as a page
WRITER_GATHER_SECONDS = 0.02
WRITER_PATIENCE_SECONDS = 60.0  # a store that was away for so long counts as broken

# ---- what is read ----------------------------------------------------------------------------------------------------

DEFAULT_CHARSET = "gb18030"
BOILERPLATE_LEARNED = True  # lines that stand around the texts of many articles of a site are left out of the next ones
CONTENT_TYPES = [
    "text/html",
    "application/xhtml+xml",
    "text/xml",
    "application/xml",
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "text/plain",
    "application/gzip",  # sitemaps
    "application/x-gzip",
    "application/octet-stream",  # what servers call what they do not know; the bytes decide
]
IGNORED_SUFFIXES = [
    "jpg", "jpeg", "png", "gif", "bmp", "webp", "svg", "ico", "tif", "tiff", "psd", "mp4", "avi", "wmv", "flv",
    "mov", "mkv", "webm", "m4v", "rm", "rmvb", "3gp", "m3u8", "ts", "mp3", "wav", "wma", "m4a", "aac", "ogg",
    "flac", "zip", "rar", "7z", "gz", "bz2", "xz", "tar", "tgz", "exe", "msi", "apk", "ipa", "dmg", "iso", "deb",
    "rpm", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "wps", "et", "dps", "odt", "ods", "odp", "rtf",
    "csv", "caj", "css", "js", "json", "woff", "woff2", "ttf", "eot", "swf",
]  # fmt: skip

# ---- what counts as the same text
# --------------------------------------------------------------------------------------

# k of winnowing: no shorter run of letters is noticed; change it with `scrapy reprints --rebuild`
FINGERPRINT_GRAM_LETTERS = 6
FINGERPRINT_WINDOW_GRAMS = 8  # w: a common run of w + k - 1 letters is never missed
REPRINT_CONTAINMENT = 0.45  # a text is a reprint if so much of the smaller of the two stands in the larger

# ---- what is said ----------------------------------------------------------------------------------------------------

LOG_LEVEL = "INFO"
LOG_FORMATTER = "newsspider.logformatter.PageLogFormatter"
PROGRESS_SECONDS = 1.0
