"""Writes the portal's feeds and sitemaps: RSS, Atom, a news sitemap, a sitemap index."""

from __future__ import annotations

from email.utils import format_datetime
from xml.sax.saxutils import escape

from demo.portal import Fate, Outlet, Post

FEED_LENGTH = 30
SITEMAPS = 2  # below the index


def feed_posts(outlet: Outlet) -> list[Post]:
    """The newest posts of a site, as its feed has them."""
    posts = outlet.shown()
    if outlet.make.calendar:  # the agency's feed is that of its rolling news
        posts = outlet.shown(outlet.make.columns[0])
    return [post for post in posts if _public(post)][:FEED_LENGTH]


def sitemap_posts(outlet: Outlet, part: int | None = None) -> list[Post]:
    """The posts of a site's sitemap, or of one part of it."""
    posts = [post for post in outlet.shown() if _public(post)]
    return posts if part is None else posts[part::SITEMAPS]


def rss(outlet: Outlet) -> str:
    """RSS 2.0 in the charset of the site, declared well."""
    items = "".join(
        f"<item><title><![CDATA[{post.story.title}]]></title><link>{escape(outlet.base + post.link)}</link>"
        f"<pubDate>{format_datetime(post.story.published_at)}</pubDate>"
        f"<description>{escape(post.story.paragraphs[0][:80])}</description></item>\n"
        for post in feed_posts(outlet)
    )
    head = f'<?xml version="1.0" encoding="{outlet.make.codec}"?>\n<rss version="2.0"><channel><title>{outlet.make.name}</title>'
    return f"{head}<link>{outlet.base}/</link><description>{outlet.make.name}</description>\n{items}</channel></rss>\n"


def atom(outlet: Outlet) -> str:
    """Atom."""
    entries = "".join(
        f'<entry><title>{escape(post.story.title)}</title><link rel="alternate" href="{escape(outlet.base + post.link)}"/>'
        f"<id>{post.url}</id><updated>{post.story.published_at.isoformat()}</updated>"
        f"<summary>{escape(post.story.paragraphs[0][:80])}</summary></entry>\n"
        for post in feed_posts(outlet)
    )
    head = '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
    updated = outlet.clock.start.isoformat()
    return f"{head}<title>{outlet.make.name}</title><id>{outlet.base}/</id><updated>{updated}</updated>\n{entries}</feed>\n"


def news_sitemap(outlet: Outlet) -> str:
    """The sitemap of the newest posts with headlines and times."""
    urls = "".join(
        f"<url><loc>{escape(outlet.base + post.link)}</loc><news:news><news:publication><news:name>{outlet.make.name}</news:name>"
        f"<news:language>zh-cn</news:language></news:publication>"
        f"<news:publication_date>{post.story.published_at.isoformat()}</news:publication_date>"
        f"<news:title>{escape(post.story.title)}</news:title></news:news></url>\n"
        for post in feed_posts(outlet)
    )
    spaces = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {spaces}>\n{urls}</urlset>\n'


def sitemap_index(outlet: Outlet) -> str:
    """The index of the site's sitemaps; the last of them is compressed."""
    parts = "".join(f"<sitemap><loc>{outlet.base}{path}</loc></sitemap>\n" for path in sitemap_paths())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{parts}</sitemapindex>\n"
    )


def sitemap_paths() -> list[str]:
    """The paths of the sitemaps that the index names."""
    return [f"/sitemap-{part}.xml{'.gz' if part == SITEMAPS else ''}" for part in range(1, SITEMAPS + 1)]


def sitemap(outlet: Outlet, part: int) -> str:
    """One sitemap with addresses and days."""
    urls = "".join(
        f"<url><loc>{escape(outlet.base + post.link)}</loc><lastmod>{post.story.published_at:%Y-%m-%d}</lastmod></url>\n"
        for post in sitemap_posts(outlet, part)
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'


def _public(post: Post) -> bool:
    """Feeds do not hold what lies behind an unfollowed list or is forbidden."""
    return not post.column.nofollow and post.fate is not Fate.FORBIDDEN
