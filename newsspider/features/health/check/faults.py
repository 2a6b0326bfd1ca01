"""What can be wrong with a site at one visit, by name, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from newsspider.core.extraction.dom import Page, outline_of
from newsspider.core.extraction.page_type import ERROR_WORDS, LOGIN_WORDS
from newsspider.core.model import Link, PageType, Reason
from newsspider.core.url import canonical, is_home, same_site
from newsspider.features.health.rules.states import SLOW_SECONDS, DescribedInChinese
from newsspider.features.health.rules.visit_diagnosis import GONE, REFUSALS, TLS
from newsspider.pages.read_page import PageReading

STALE_DAYS = 180  # since the newest dated item of a list
LINES_OF_ERROR = 20  # of a page that may say that there is nothing
PERMANENT_REDIRECTS = (301, 308)  # statuses of redirects that a site file may follow
_HUMAN_CHECK = re.compile(r"验证|驗證|人机|滑块|滑塊|captcha|verif|robot|human", re.IGNORECASE)
_LOADS_DATA = re.compile(
    r"\$\.(?:ajax|get|post|getJSON)\b|\bfetch\(|XMLHttpRequest|\baxios\b|\.load\(|createApp\(|new Vue"
)
_CONTAINERS = ("ul", "ol", "tbody", "div", "section", "main")


class SiteFault(DescribedInChinese):
    """What is wrong with a site; the first that it has names it."""

    INTERNAL_ERROR = "internal_error", "newsspider itself failed on it", "程序内部错误"
    NOT_PUBLIC = "not_public", "its host is at an address that is not public, so nothing is requested", "不是公网地址"
    DNS = "dns", "the name of its host has no address", "域名无法解析"
    CERTIFICATE = "certificate", "no secure connection: its certificate or TLS is wrong", "证书有误"
    UNREACHABLE = "unreachable", "its host refuses the connection or breaks it off", "连不上"
    TIMEOUT = "timeout", "its host does not answer in time", "超时无应答"
    NO_ROBOTS = "no_robots", "robots.txt cannot be had, so nothing may be asked", "robots.txt 取不到"
    ROBOTS_CLOSED = "robots_closed", "robots.txt forbids it", "robots.txt 不许抓"
    BLOCKED = "blocked", "its host refuses us", "拒绝访问"
    SERVER_ERROR = "server_error", "its host answers with an error of its own", "服务器出错"
    REDIRECT_LOOP = "redirect_loop", "it is redirected without end", "循环跳转"
    MOVED_AWAY = "moved_away", "it leads to another site", "跳到别的网站"
    GONE = "gone", "nothing is at its address any more", "页面不存在"
    BAD_ANSWER = "bad_answer", "its answer is cut off, too large or no valid HTTP", "应答残缺"
    NOT_HTML = "not_html", "what it sends is no page", "不是网页"
    WRONG_CHARSET = "wrong_charset", "its text is garbled", "乱码"
    GUARDED = "guarded", "a page of a guard or of maintenance stands in its place", "遇到拦截或维护"
    CAPTCHA = "captcha", "a page that checks for people stands in its place", "要求验证"
    LOGIN = "login", "it asks for a log-in", "要求登录"
    SOFT_404 = "soft_404", "a page with status 200 says that there is nothing", "提示页面不存在"
    BROKEN_FEED = "broken_feed", "it is no feed, or one without entries", "订阅源损坏"
    SCRIPT_LIST = "script_list", "a script loads its list; the page itself has none", "列表由脚本加载"
    EMPTY_LIST = "empty_list", "it has no list of articles", "没有列表"
    EMPTY_BODY = "empty_body", "the article that was read has no text", "文章没有正文"
    NO_TITLE = "no_title", "the article that was read has no title", "文章没有标题"
    NO_DATES = "no_dates", "neither the list nor the article says a date", "没有日期"
    MOVED = "moved", "it has another address on its site for good", "地址变了"
    HTTPS = "https", "http leads to https for good, or only https answers", "改用 https"
    LIST_MOVED = "list_moved", "the list is not where its site file says", "列表位置变了"
    RULE_BROKEN = "rule_broken", "an XPath of its site file matches nothing", "站点文件的 XPath 失效"
    STALE = "stale", f"nothing on its lists is younger than {STALE_DAYS} days", "久未更新"
    SLOW = "slow", f"it answers after {SLOW_SECONDS:.0f} seconds or more", "太慢"
    NEEDS_BROWSER = "needs_browser", "a browser fills in its pages, so it was not asked", "需要浏览器"


ADVICE = {
    SiteFault.INTERNAL_ERROR: "report it with its traceback; the same command visits the site again",
    SiteFault.NOT_PUBLIC: "name the address in ALLOWED_ADDRESSES if it is meant",
    SiteFault.DNS: "look the site up: it may have another domain; if many sites have this, `scrapy doctor`",
    SiteFault.CERTIFICATE: "tell its webmaster; DOWNLOAD_VERIFY_CERTIFICATES = False reads it all the same",
    SiteFault.UNREACHABLE: "try again later with --again; if many sites have this, `scrapy doctor`",
    SiteFault.TIMEOUT: "try again later with --again; if many sites have this, `scrapy doctor`",
    SiteFault.NO_ROBOTS: "try again later with --again; a crawl waits as well",
    SiteFault.ROBOTS_CLOSED: "nothing is fetched, rightly: ask its webmaster, or disable the site",
    SiteFault.BLOCKED: "set CONTACT, ask its webmaster, raise `delay_seconds`, or disable the site",
    SiteFault.SERVER_ERROR: "try again later with --again",
    SiteFault.REDIRECT_LOOP: "open it in a browser and put the address where you end into the site file",
    SiteFault.MOVED_AWAY: "see whether the other site is the right one, then change the address by hand",
    SiteFault.GONE: "--apply, if a new address is shown; else open the home page and name the list's address",
    SiteFault.BAD_ANSWER: "try again later with --again; else report it",
    SiteFault.NOT_HTML: "name the address of a list, a feed, a sitemap or a JSON answer",
    SiteFault.WRONG_CHARSET: "look at it in a browser; if it is right there, report it",
    SiteFault.GUARDED: "wait, then --again; raise `delay_seconds` if it lasts",
    SiteFault.CAPTCHA: "newsspider solves none: raise `delay_seconds`, ask its webmaster, or disable the site",
    SiteFault.LOGIN: "newsspider logs in nowhere: name a public list, or disable the channel",
    SiteFault.SOFT_404: "--apply, if a new address is shown; else name the list's address",
    SiteFault.BROKEN_FEED: "open it in a browser; name the new feed, or the list page instead",
    SiteFault.SCRIPT_LIST: 'name the address that the script asks with kind = "json", or set `render = true`',
    SiteFault.EMPTY_LIST: "--apply, if a new address is shown; else name the list's address",
    SiteFault.EMPTY_BODY: "open the article; if it has a text, report it or write an XPath `body`",
    SiteFault.NO_TITLE: "open the article; write an XPath `title`",
    SiteFault.NO_DATES: "open the article; if it shows a date, write an XPath `date`",
    SiteFault.MOVED: "--apply writes the new address into the site file",
    SiteFault.HTTPS: "--apply writes https into the site file",
    SiteFault.LIST_MOVED: "--apply writes the new position into the site file",
    SiteFault.RULE_BROKEN: "mend the XPath or take it out of the site file",
    SiteFault.STALE: "open it in a browser: if the news goes on elsewhere, name that list",
    SiteFault.SLOW: "wait a day; then a longer `delay_seconds`",
    SiteFault.NEEDS_BROWSER: "`scrapy sites test NAME` uses the browser",
}

_OF_REASON = {
    Reason.ADDRESS: SiteFault.NOT_PUBLIC,
    Reason.DNS: SiteFault.DNS,
    Reason.CONNECTION: SiteFault.UNREACHABLE,
    Reason.TIMEOUT: SiteFault.TIMEOUT,
    Reason.NO_ROBOTS: SiteFault.NO_ROBOTS,
    Reason.ROBOTS: SiteFault.ROBOTS_CLOSED,
    Reason.RATE_LIMITED: SiteFault.BLOCKED,
    Reason.CONTENT_TYPE: SiteFault.NOT_HTML,
    Reason.REDIRECT: SiteFault.MOVED_AWAY,
}


def fault_of_failure(reason: Reason, status: int | None = None, detail: str = "") -> SiteFault:
    """The fault of a fetch that brought no page.

    >>> fault_of_failure(Reason.HTTP_STATUS, 404), fault_of_failure(Reason.CONNECTION, detail="certificate has expired")
    (<SiteFault.GONE: 'gone'>, <SiteFault.CERTIFICATE: 'certificate'>)
    """
    if reason is Reason.HTTP_STATUS:
        if status in REFUSALS:
            return SiteFault.BLOCKED
        if status is not None and 300 <= status < 400:
            return SiteFault.REDIRECT_LOOP
        return SiteFault.GONE if status in GONE else SiteFault.SERVER_ERROR
    if reason in (Reason.CONNECTION, Reason.BAD_ANSWER) and TLS.search(detail):
        return SiteFault.CERTIFICATE
    return _OF_REASON.get(reason, SiteFault.BAD_ANSWER)


def fault_of_move(url: str, redirects: Sequence[tuple[int, str]]) -> tuple[SiteFault, str] | None:
    """The fault that permanent redirects of a URL show, and the address to which they lead; ``None`` if there are none.
    A list that leads to the home page is gone.

    >>> fault_of_move("http://a.cn/news/", [(301, "https://a.cn/news/")])
    (<SiteFault.HTTPS: 'https'>, 'https://a.cn/news/')
    >>> fault_of_move("http://a.cn/news/", [(301, "https://a.cn/")])[0], fault_of_move("http://a.cn/", [(302, "/x")])
    (<SiteFault.GONE: 'gone'>, None)
    """
    target = ""
    for status, where in redirects:
        if status not in PERMANENT_REDIRECTS or not same_site(where, url):
            break
        target = where
    old = canonical(url) or url
    if not target or target == old:
        return None
    if old.startswith("http:") and target.startswith("https:") and _without_port(target) == _without_port(old):
        return SiteFault.HTTPS, target
    return (SiteFault.GONE if is_home(target) and not is_home(url) else SiteFault.MOVED), target


def _without_port(url: str) -> tuple[str | None, str, str]:
    parts = urlsplit(url)
    return parts.hostname, parts.path, parts.query


def fault_without_list(page: Page, reading: PageReading, links: Sequence[Link]) -> tuple[SiteFault, str]:
    """Why a page has no list of articles, and the evidence."""
    outline = outline_of(page)
    title = outline.title or ""
    if outline.passwords:
        return SiteFault.LOGIN, f"a field for a password; its title is {title!r}"
    guard = reading.guard(page, "")
    if (guard and _HUMAN_CHECK.search(guard)) or (reading.kind is PageType.LOGIN and _HUMAN_CHECK.search(title)):
        return SiteFault.CAPTCHA, f"it says: {guard or title}"
    if reading.kind is PageType.LOGIN or LOGIN_WORDS.search(title):
        return SiteFault.LOGIN, f"its title is {title!r}"
    if guard:
        return SiteFault.GUARDED, f"it says: {guard}"
    if loads := _loads_list(page):
        return SiteFault.SCRIPT_LIST, loads
    texts = [title, *(line.text for line in outline.lines[:LINES_OF_ERROR])]
    if reading.kind is PageType.ERROR and any(map(ERROR_WORDS.search, texts)):
        return SiteFault.SOFT_404, f"its title is {title!r}"
    return SiteFault.EMPTY_LIST, f"{len(links)} links, none to an article"


def _loads_list(page: Page) -> str:
    """What shows that a script fills in a page: an empty element beside a script that loads data; else nothing."""
    scripts = list(page.tree.iter("script"))
    loads = any(_LOADS_DATA.search(script.text or "") for script in scripts)
    for element in page.tree.iter(*_CONTAINERS):
        named = element.get("id") or element.get("class") or ""
        if len(element) or (element.text or "").strip() or not named:
            continue
        if loads or (element.get("id") in ("app", "root", "__next", "__nuxt") and scripts):
            return f"<{element.tag}> {named!r} is empty until a script fills it"
    return ""
