"""URL canonicalization (normalization): the canonical URL of a page, its 64-bit key, its host, its site.

The WHATWG parser `ada-url` resolves, lower-cases and encodes as browsers do. On top of it, step by step:

1. spaces around it, fragment, user and password, a dot after the host and an empty query go;
2. percent-encoded unreserved characters are decoded (``%7E`` is ``~``, RFC 3986 section 6.2.2.2), the hex digits of all
   others are written in upper case; bytes are never transcoded, so a query in GBK stays a query in GBK;
3. session ids and tracking parameters go, by the tables below.

The order of a query stays: servers may read it (``?2024-05&education``), and a site writes its own links in one order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ada_url import join_url, normalize_url

from newsspider.core.caching import bounded_cache

if TYPE_CHECKING:
    from tldextract import TLDExtract

LONGEST_URL = 4096  # characters as it is written: longer ones are data, or traps, and no server of news takes them

# Parameters that name the visitor or where he came from, not the page. These are dropped whatever their values:
_SESSIONS = (
    "jsessionid phpsessid sessionid session_id sessid cfid cftoken oscsid zenid"  # Java, PHP, ASP, ColdFusion, forums
)
_CLICKS = (
    "fbclid gclid dclid gbraid wbraid msclkid yclid bd_vid qz_gdt gdt_vid mc_cid mc_eid _ga _gl igshid"  # advertisers'
)
_WAYS = (  # where the click came from: Alibaba and Sohu, Baidu Tongji, Tencent, NetEase, Toutiao, share buttons
    "spm scm hmsr hmpl hmcu hmkw hmci pgv_ref adtag spss spssid spsw spsf spsdevid spsnuid tt_from isappinstalled "
    "nsukey share_from sharefrom share_source share_medium share_token share_plat share_tag share_session_id"
)
DROPPED_NAMES = frozenset(f"{_SESSIONS} {_CLICKS} {_WAYS}".split())
DROPPED_PREFIXES = ("utm_", "aspsessionid", "pk_campaign", "pk_kwd", "mtm_")
# Names that elsewhere choose the page (``sid=12`` is a section, ``from=0`` an offset): dropped only with such a value.
_TOKEN = re.compile(r"(?=.*\d)[0-9a-z]{20,}", re.I)
_SHARED = re.compile(r"timeline|singlemessage|groupmessage|weixin|wechat|wx|qq|qzone|weibo|share|app|rss|feed", re.I)
DROPPED_VALUES = {
    "sid": _TOKEN,
    "s": re.compile(r"[0-9a-f]{32}", re.I),  # phpBB, vBulletin
    "session": _TOKEN,
    "from": _SHARED,
    "wfr": re.compile("spider"),  # Baidu
    "_": re.compile(r"\d{13}"),  # jQuery's cache breaker
}
SESSION_SEGMENT = re.compile(
    r";(?:jsessionid|phpsessid|sessionid)=[^/?;]*"
    r"|;sid=(?=[a-z]*\d)[0-9a-z]{20,}(?=[/?;]|$)"
    r"|(?<=/)(?:\([a-z]\([0-9a-z_-]{20,}\)\))+/",  # ASP.NET without cookies: /(S(lit3py55t21z5v55vlm25s55))/
    re.I,
)

_HOME = re.compile(r"/?|/(?:index|default|main|home)\.\w{2,5}", re.IGNORECASE)  # the path of a home page
_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
_AFTER_STRAY_PERCENT = re.compile(r"%[0-9A-Fa-f]?$")
# A URL that is canonical but for the parameters of its query: nothing in it to decode, encode, resolve or cut. Hosts
# are names that end in letters, or four plain numbers; ports are not the default ones; only what must be is encoded,
# in capitals.
_NUMBER = r"(?:1\d\d|2[0-4]\d|25[0-5]|[1-9]?\d)"
_ENCODED = r"%(?:[89A-F][0-9A-F]|2[0-9A-CF]|3[A-F])"
_PLAIN_HOST = rf"https?://(?!xn--)(?:(?:[a-z0-9-]+\.(?!xn--))+[a-z]{{2,}}|{_NUMBER}(?:\.{_NUMBER}){{3}})"
_PLAIN_PORT = r"(?::(?!(?:80|443)(?:[/?]|$))(?:[1-9]\d{1,3}|[1-5]\d{4}))?"
_PLAIN_SEGMENT = rf"/(?!\.\.?(?:[/?]|$))[A-Za-z0-9._~$!*+,=:@-]*+(?:{_ENCODED}[A-Za-z0-9._~$!*+,=:@-]*+)*+"
_PLAIN_QUERY = rf"[A-Za-z0-9._~$!*+,=:@/?&-]*+(?:{_ENCODED}[A-Za-z0-9._~$!*+,=:@/?&-]*+)*+"
_PLAIN = re.compile(rf"({_PLAIN_HOST}{_PLAIN_PORT})((?:{_PLAIN_SEGMENT})*)(?:\?({_PLAIN_QUERY}))?", re.ASCII)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_AUTHORITY = re.compile(r"(https?://)(?:[^/?#]*@)?([^/?#]*?)\.?(:\d+)?(?=/|$)")
_LONG_NUMBER = re.compile(r"[0-9]{4,}")
_DIGITS = re.compile(r"[0-9]+")
_DAY = re.compile(r"(?<![0-9])(?:19|20)([0-9]{2})[-/_]?(0[1-9]|1[0-2])(?:[-/_]?(0[1-9]|[12][0-9]|3[01]))?")
_SUFFIX = re.compile(r"\.([A-Za-z0-9]{1,10})$")
_IPV4 = re.compile(r"[0-9.]+")


@bounded_cache(16384)  # cache: URLs and their canonical form
def canonical(url: str, base: str | None = None) -> str | None:
    """The one spelling of all URLs that lead to this page, absolute and ASCII; ``None`` if it is no http or https URL,
    or longer than ``LONGEST_URL``.

    >>> canonical("HTTP://News.Example.com:80/a/../%7Ewang/1.html?utm_source=x#top")
    'http://news.example.com/~wang/1.html'
    >>> canonical("?id=%bd%cc", "https://example.com/list.asp")
    'https://example.com/list.asp?id=%BD%CC'
    >>> canonical("mailto:a@example.com") is None
    True
    """
    if len(url) > LONGEST_URL:
        return None
    plain = _PLAIN.fullmatch(url.partition("#")[0])
    if plain:
        host, path, query = plain.groups()
        return f"{host}{path or '/'}{_query(query) if query else ''}"
    try:
        whole = join_url(base, url.strip()) if base else normalize_url(url.strip())
        while whole.startswith(("http://", "https://")):
            shorter, settled = _stripped(whole)
            if settled:
                return shorter if len(shorter) <= LONGEST_URL else None
            whole = normalize_url(shorter)  # the removal may have left "/./" or another session id in the path
    except ValueError:
        pass
    return None


def canonical_of(urls: Iterable[str]) -> list[str]:
    """The canonical forms of the valid URLs."""
    return [url for url in map(canonical, urls) if url is not None]


def absolute(base: str, reference: str) -> str | None:
    """The absolute http or https URL that a reference on a page means, as browsers resolve it; ``None`` if it means
    none, or is longer than ``LONGEST_URL``.

    >>> absolute("http://example.com/a/b.html", "/c\\\\d.html"), absolute("http://example.com/", "mailto:a@example.com")
    ('http://example.com/c/d.html', None)
    """
    if len(reference) > LONGEST_URL:
        return None
    try:
        url = join_url(base, reference)
    except ValueError:
        return None
    return url if url.startswith(("http://", "https://")) and len(url) <= LONGEST_URL else None


def url_key(url: str, crawl: str = "") -> int:
    """The signed 64-bit number of a canonical URL. URLs that are found together have keys that lie together, so that
    the links of a page touch few pages of an index.

    The bits from the highest: 10 of the hash of its host, 6 of that of its folder without digits, 8 of its place in the
    order of pages (the week that it names, or the hundreds of its last number), 40 of the hash of the URL. Two of a
    million pages of one folder share a key with probability 0.2 % if their numbers spread over the 8 bits, and 37 % if all
    name one week; the ledger refuses the second (:mod:`newsspider.store.ledger.offers`). ``crawl`` goes in front of
    what is hashed: an explore crawl has keys of its own (:func:`crawl_key`).
    """
    digest = int.from_bytes(_hash(crawl + url, 6), "big")
    path, _, query = url.partition("?")
    folder, _, name = path.rpartition("/")
    if dated := _DAY.search(path, path.find("/", 8)):  # behind the host
        year, month, day = dated.groups("0")
        block = (int(year) * 12 + int(month)) * 4 + int(day) // 8
    elif numbers := _LONG_NUMBER.findall(name + query):
        block = int(numbers[-1][-9:]) // 100
    else:
        block = digest >> 40  # more bits of the hash
    return _place_of(crawl, folder) | (block & 0xFF) << 40 | digest & 0xFFFFFFFFFF


def crawl_key(crawl: str, url: str) -> int:
    """The key of a canonical URL within one explore crawl; each crawl keeps rows of its own."""
    return url_key(url, f"{crawl} ")


def text_key(text: str) -> int:
    """The signed 64-bit number of a text (BLAKE2b): two of 10 million share one with probability 3e-6."""
    return int.from_bytes(_hash(text, 8), "big", signed=True)


@bounded_cache(4096)  # cache: folders and the first bits of the keys of their URLs
def _place_of(crawl: str, folder: str) -> int:
    host, _, rest = folder.partition("://")[2].partition("/")
    own = _hash(crawl + _DIGITS.sub("", rest), 1)[0] >> 2
    return (int.from_bytes(_hash(crawl + host, 2), "big", signed=True) >> 6 << 6 | own) << 48


def _hash(text: str, size: int) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


@bounded_cache(4096)  # cache: URLs and their host
def host_of(url: str) -> str:
    """The host in lower case, with its port if that is not the default one; empty if the URL is no http or https URL.

    >>> host_of("https://Example.com:8443/a"), host_of("http://example.com:80")
    ('example.com:8443', 'example.com')
    """
    whole = canonical(url)
    return whole.split("/", 3)[2] if whole else ""


@bounded_cache(4096)  # cache: hosts and their registered domain
def site_domain(host: str) -> str:
    """The part of a host that was registered: ``news.example.com.cn`` and ``www.example.com.cn`` are one site.

    >>> site_domain("www.news.example.com.cn:8080"), site_domain("127.0.0.3:80"), site_domain("www.pku.edu.cn")
    ('example.com.cn', '127.0.0.3', 'pku.edu.cn')
    >>> site_domain("tuoitre.com.vn"), site_domain("someone.github.io"), site_domain("www.gov.cn")
    ('tuoitre.com.vn', 'someone.github.io', 'www.gov.cn')
    """
    name = host.rsplit(":", 1)[0] if host.rpartition(":")[2].isdigit() and not host.endswith("]") else host
    if name.startswith("[") or _IPV4.fullmatch(name):
        return name
    labels = name.lower().split(".")
    suffix = _public_suffixes().extract_str(name.lower()).suffix
    registered = suffix.count(".") + 2 if suffix else 2  # labels; of a name below no known suffix, the last two
    return ".".join(labels[-registered:])


@cache
def _public_suffixes() -> TLDExtract:
    """The Public Suffix List that tldextract ships, with its private part (``github.io``); it is never downloaded."""
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def same_site(url: str, other_url: str) -> bool:
    """Whether two URLs belong to one registered domain (an IP address, to the same address)."""
    domain = site_domain(host_of(url))
    return bool(domain) and domain == site_domain(host_of(other_url))


def is_home(url: str) -> bool:
    """Whether a URL is that of a home page, as far as its path says; whatever its query.

    >>> is_home("http://a.cn"), is_home("http://a.cn/Default.aspx?id=1"), is_home("http://a.cn/news/index.html")
    (True, True, False)
    """
    return _HOME.fullmatch(urlsplit(url).path) is not None


@bounded_cache(4096)  # cache: URLs and their file suffix
def suffix_of(url: str) -> str:
    """The file suffix of a URL's path in lower case, without its dot; empty if there is none.

    >>> suffix_of("http://example.com/a/Plan.PDF?v=1"), suffix_of("http://example.com"), suffix_of("http://a.cn/v1.2/x")
    ('pdf', '', '')
    """
    path = url.partition("#")[0].partition("?")[0].partition(";")[0]
    _, scheme, rest = path.rpartition("://")
    name = (rest.partition("/")[2] if scheme else path).rpartition("/")[2]
    match = _SUFFIX.search(name)
    return match[1].lower() if match else ""


def _stripped(url: str) -> tuple[str, bool]:
    """The URL after one round of the steps above, and whether another round would change nothing."""
    url = url.partition("#")[0]
    if "%" in url:
        url = _TRIPLET.sub(_plain_triplet, url)
    full_path, mark, query = url.partition("?")
    path = SESSION_SEGMENT.sub("", full_path) if ";" in full_path or "/(" in full_path else full_path
    query = _query(query) if mark else ""
    authority = path.split("/", 3)[2]
    if "@" in authority or authority.endswith(".") or ".:" in authority:
        path = _AUTHORITY.sub(r"\1\2\3", path, count=1)
    return path + query, path == full_path


def _query(query: str) -> str:
    """The query without dropped parameters, with its "?"; empty if nothing is left."""
    pieces = [piece for piece in query.split("&") if piece and not _is_dropped(piece)]
    return "?" + "&".join(pieces) if pieces else ""


def _plain_triplet(match: re.Match[str]) -> str:
    """A percent triplet in its plain form; one that stands in another's place (``%%37E``) is not decoded into it."""
    character = chr(int(match[0][1:], 16))
    preceding = match.string[max(0, match.start() - 2) : match.start()]
    if character in _UNRESERVED and not (preceding.endswith("%") or _AFTER_STRAY_PERCENT.search(preceding)):
        return character
    return match[0].upper()


def _is_dropped(piece: str) -> bool:
    name, _, value = piece.partition("=")
    name = name.lower()
    if name in DROPPED_NAMES or name.startswith(DROPPED_PREFIXES):
        return True
    pattern = DROPPED_VALUES.get(name)
    return pattern is not None and pattern.fullmatch(value) is not None
