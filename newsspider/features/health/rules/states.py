"""The states of a source, their names, and what to do about each."""

from __future__ import annotations

from newsspider.core.model import Described

SLOW_SECONDS = 10.0  # from request to last byte


class Health(Described):
    """The state of a source: healthy, or what is wrong with it."""

    LIVE = "live", "it is read and brings what is expected"
    SLOW = "slow", f"it answers too late: after {SLOW_SECONDS:.0f} seconds or more, or not in time"
    SILENT = "silent", "it is read well, but brings nothing for longer than it ever did"
    BLOCKED = "blocked", "its host refuses us"
    REDESIGNED = "redesigned", "its pages are read, but the list is not there any more"
    INTERSTITIAL = "interstitial", "a page that asks for a login or checks visitors stands in its place"
    GUARDED = "guarded", "its host sent pages of a guard or of its maintenance within the last day"
    MOVED = "moved", "it is not at its URL any more"
    ROBOTS_CLOSED = "robots_closed", "robots.txt forbids it, or cannot be had"
    NOT_PUBLIC = "not_public", "its host is at an address that is not public, so nothing is requested"
    CERTIFICATE = "certificate", "no secure connection to its host: its certificate or TLS is wrong"
    WRONG_CHARSET = "wrong_charset", "its text is garbled"
    RULE_BROKEN = "rule_broken", "an XPath of its site file matches nothing"
    UNREACHABLE = "unreachable", "its host does not answer, or with an error of its own"
    OFFLINE = "offline", "it answers too late or not at all, and so do most sites: the fault is on our side"
    UNWATCHED = "unwatched", "it has not been asked for days, or never"


# What is wrong with a page that was sent but showed no list.
WITHOUT_LIST = (Health.REDESIGNED, Health.INTERSTITIAL, Health.RULE_BROKEN)
ADVICE = {
    Health.LIVE: "nothing",
    Health.SLOW: "wait a day; then a longer `delay_seconds` in its site file, or DOWNLOAD_TIMEOUT",
    Health.SILENT: "open the list in a browser: if the news goes on elsewhere, name that list in the site file",
    Health.BLOCKED: "ask its webmaster (see CONTACT), raise `delay_seconds`, or disable the site",
    Health.REDESIGNED: "`scrapy sites test SITE`, then mend `regions` in the site file or `scrapy sites relearn SITE`",
    Health.INTERSTITIAL: "open it in a browser; `render = true` in the site file may help, else disable the channel",
    Health.GUARDED: "nothing yet: what it hid is asked again; if it lasts, raise `delay_seconds` in its site file",
    Health.MOVED: "put the new URL into the site file, or remove the channel",
    Health.ROBOTS_CLOSED: "nothing is fetched, rightly: ask its webmaster, or disable the site",
    Health.NOT_PUBLIC: "name the address in ALLOWED_ADDRESSES (or NEWSSPIDER_ALLOWED_ADDRESSES) if it is meant",
    Health.CERTIFICATE: "tell its webmaster; DOWNLOAD_VERIFY_CERTIFICATES = False reads it all the same",
    Health.WRONG_CHARSET: "look at the page in a browser; if it is right there, set DEFAULT_CHARSET or report it",
    Health.RULE_BROKEN: "`scrapy sites test SITE` names the XPath: mend it or take it out of the site file",
    Health.UNREACHABLE: "open it in a browser: wait if it is down for all, else look at network, proxy and DNS",
    Health.OFFLINE: "look at network, proxy and DNS of the machines that crawl: `scrapy doctor`",
    Health.UNWATCHED: "see whether a crawl runs: `scrapy status`",
}


NAMES = {
    Health.LIVE: "正常",
    Health.SLOW: "太慢",
    Health.SILENT: "没有新文章",
    Health.BLOCKED: "拒绝访问",
    Health.REDESIGNED: "改版，找不到列表",
    Health.INTERSTITIAL: "要求登录或验证",
    Health.GUARDED: "遇到拦截或维护",
    Health.MOVED: "地址变了",
    Health.ROBOTS_CLOSED: "robots.txt 不许抓",
    Health.NOT_PUBLIC: "不是公网地址",
    Health.CERTIFICATE: "证书有误",
    Health.WRONG_CHARSET: "乱码",
    Health.RULE_BROKEN: "站点文件的 XPath 失效",
    Health.UNREACHABLE: "连不上",
    Health.OFFLINE: "本机网络不通",
    Health.UNWATCHED: "没有在抓",
}  # as the console and alerts name them; fmt: skip
