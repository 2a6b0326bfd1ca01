"""The states of a source, their names, and what to do about each."""

from __future__ import annotations

from typing import Self

from newsspider.core.model import Described

SLOW_SECONDS = 10.0  # from request to last byte


class DescribedInChinese(Described):
    """A word with the sentence that explains it, and its name in Chinese, as the console and alerts have it."""

    chinese: str

    def __new__(cls, value: str, sentence: str = "", chinese: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence, member.chinese = sentence, chinese
        return member


class Health(DescribedInChinese):
    """The state of a source: healthy, or what is wrong with it."""

    LIVE = "live", "it is read and brings what is expected", "正常"
    SLOW = "slow", f"it answers too late: after {SLOW_SECONDS:.0f} seconds or more, or not in time", "太慢"
    SILENT = "silent", "it is read well, but brings nothing for longer than it ever did", "没有新文章"
    BLOCKED = "blocked", "its host refuses us", "拒绝访问"
    REDESIGNED = "redesigned", "its pages are read, but the list is not there any more", "改版，找不到列表"
    INTERSTITIAL = (
        "interstitial",
        "a page that asks for a login or checks visitors stands in its place",
        "要求登录或验证",
    )
    GUARDED = "guarded", "its host sent pages of a guard or of its maintenance within the last day", "遇到拦截或维护"
    MOVED = "moved", "it is not at its URL any more", "地址变了"
    ROBOTS_CLOSED = "robots_closed", "robots.txt forbids it, or cannot be had", "robots.txt 不许抓"
    NOT_PUBLIC = "not_public", "its host is at an address that is not public, so nothing is requested", "不是公网地址"
    CERTIFICATE = "certificate", "no secure connection to its host: its certificate or TLS is wrong", "证书有误"
    WRONG_CHARSET = "wrong_charset", "its text is garbled", "乱码"
    RULE_BROKEN = "rule_broken", "an XPath of its site file matches nothing", "站点文件的 XPath 失效"
    UNREACHABLE = "unreachable", "its host does not answer, or with an error of its own", "连不上"
    OFFLINE = (
        "offline",
        "it answers too late or not at all, and so do most sites: the fault is on our side",
        "本机网络不通",
    )
    UNWATCHED = "unwatched", "it has not been asked for days, or never", "没有在抓"


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
