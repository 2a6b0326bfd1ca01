"""Names that a page must not take for markup."""

from contextlib import suppress

from sqlalchemy import Engine

from newsspider.actions.sites import site_with_changes
from newsspider.core.text.characters import storable_text
from newsspider.features.console import collections
from newsspider.sites.loader import SiteError
from newsspider.sites.model import from_home
from newsspider.store import audit_trail
from newsspider.store import sites as registry
from newsspider.store.engine.database import writing
from tests.features.console.conftest import TODAY

MARKUP = [
    "<script>alert(1)</script>", "<ScRiPt>alert(1)</sCrIpT>", '"><script>alert(1)</script>', "'><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<svg/onload=alert(1)>",
    "<body onload=alert(1)>", "<iframe src=javascript:alert(1)>",
    '" onmouseover="alert(1)', "' onfocus='alert(1)' autofocus='", "<a href=javascript:alert(1)>x</a>", "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>", "</style><script>alert(1)</script>", "<!--<img src=--><img src=x onerror=alert(1)//>",
    "<math><mi xlink:href=javascript:alert(1)>", "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>", "<base href=//evil.cn/>",
    "<meta http-equiv=refresh content=0;url=//evil.cn>", "<form action=//evil.cn><button>x", "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)>", "<input autofocus onfocus=alert(1)>", "<marquee onstart=alert(1)>",
    "<isindex action=javascript:alert(1)>",
    "<<script>alert(1)//<</script>", "<scr\0ipt>alert(1)</scr\0ipt>", "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;alert(1)",
    "%3Cscript%3Ealert(1)%3C/script%3E", "\\x3cscript\\x3ealert(1)", "\u003cscript\u003ealert(1)", "＜script＞alert(1)＜/script＞",
    "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "jaVasCript:/*-/*`/*\\`/*'/*\"/**/(alert(1))//",
]  # fmt: skip
TEMPLATES = [
    "{{7*7}}", "{% raw %}", "${7*7}", "#{7*7}", "<%= 7*7 %>", "{{ config }}", "{{''.__class__.__mro__}}",
    "%(name)s", "{0}", "{name}", "%s%n",
    "$(id)", "`id`", "; ls", "| cat /etc/passwd", "../../etc/passwd", "..\\..\\windows", "file:///etc/passwd", "\\\\host\\share",
]  # fmt: skip
QUERIES = [
    "' OR 1=1 --", "'; DROP TABLE articles; --", '" OR ""="',
    "1 UNION SELECT password_hash FROM accounts",
    "admin'--", "\\", "\\'", "%", "_", "*", "?",
    "(", ")", "((((((", "a AND", "NOT", "OR OR", "title:", "site:\"",
    "since:x", "-", "--", "~1", "^", "高考 NEAR/9999999999 改革", "\"", "'",
]  # fmt: skip
CHARACTERS = [
    "", " ", "\t", "\r\nSet-Cookie: a=b", "\x00", "\x1b[31m红", "\x7f", "\x85", "\u200b", "\u202e逆", "\u2028",
    "\ufeff", "\ufffe", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "Z̷̢a̸l̶g̷o", "ﷺ", "ⅸ", "İ", "ß", "ﬁ", "𠮷野家", "العربية", "עברית", "ไทย", "1e400", "NaN", "-0",
    "undefined", "null", "None", "true", "0x10",
    "=1+1", "@SUM(1)", "+1", "长" * 300,
]  # fmt: skip
NAUGHTY = [*MARKUP, *TEMPLATES, *QUERIES, *CHARACTERS]


def name_everything(engine: Engine) -> list[int]:
    """Give each of these names to a collection, a site and a change; the numbers of the collections."""
    now = TODAY.timestamp()
    with writing(engine) as conn:
        numbers = [collections.add(conn, text, text or "x", text, text, now) for text in map(storable_text, NAUGHTY)]
        for number in numbers:
            collections.put(conn, number, [1], now)
        for text in NAUGHTY:
            audit_trail.note(conn, storable_text(text), "site.add", text, now, before=text, after={"x": text})
        for place, text in enumerate(NAUGHTY):
            with suppress(SiteError):  # no site has such a name
                registry.put(conn, site_with_changes(from_home(f"http://s{place}.example.cn/"), text), now)
    return numbers
