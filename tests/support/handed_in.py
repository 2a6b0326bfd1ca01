"""A watched host beside one that nobody watches."""

from tests.support.serving import QUICK, Answer, article, listing

RSS = """<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>教育新闻</title>{items}</channel></rss>"""
ITEM = "<item><title>学校教育改革座谈会第{n}场举行</title><link>/2024/0501/1{n:04}.html</link></item>"
POLITE = (*QUICK, "-s", "DELAY_MIN_SECONDS=0", "-s", "DELAY_FACTOR=0", "-s", "SITES_WATCH_SECONDS=0.2")
NEXT = '<a href="/list_2.html">下一页</a>'


def watched(path: str, _: int) -> Answer:
    """A site with one article."""
    if path == "/robots.txt":
        return 404, "", {}
    return article(1) if path.startswith("/2024/") else listing(1)


def elsewhere(path: str, _: int) -> Answer:
    """A host that belongs to no known site. Its article 29 is really a list."""
    if path == "/robots.txt":
        return 404, "", {}
    if path == "/list.html":
        status, text, headers = listing(*range(20, 30))
        return status, str(text).replace("</ul>", f"</ul>{NEXT}"), headers
    if path in ("/2024/0501/10029.html", "/list_2.html"):
        return listing(*range(40, 50))
    if path == "/":
        return listing(60, 61)
    if path == "/moved":
        return 302, "", {"Location": "/list.html"}
    if path == "/feed.xml":
        return 200, RSS.format(items="".join(ITEM.format(n=n) for n in range(30, 33))), {"Content-Type": "application/rss+xml"}
    return article(int(path[-9:-5]))


def pages(*numbers: int) -> set[str]:
    return {f"/2024/0501/1{n:04}.html" for n in numbers}
