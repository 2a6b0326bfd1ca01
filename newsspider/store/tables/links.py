"""The links between pages."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Text

from newsspider.store.tables.columns import Key, Moment, flag, index_where, key, optional, required, table

distinct_links = table(
    "distinct_links",
    "Every different link, once, however many pages show it. The view `links_of_lists` has the links of lists in full;"
    " `scrapy graph --from` prints those of any page.",
    Column("id", Key, primary_key=True, doc="its number"),
    optional(
        "form",
        BigInteger,
        "its hash, unique with `dst`, by which it is looked up; NULL once pruned: no page referred to it",
    ),
    required("dst", BigInteger, "key of the page linked to; it need not be in `urls`"),
    required("url", Text, "the canonical URL of that page"),
    required("anchor", Text, "the anchor text, at most 300 characters"),
    required("kind", Text, "`article`, `list`, `next`, `attachment` or `other`; on article pages one of the last two"),
    required("region", Text, "`main`, `side`, `navigation`, `footer` or `body`"),
)
Index("ix_distinct_links_form", distinct_links.c.form, distinct_links.c.dst, unique=True)

link_lists = table(
    "link_lists",
    "The pages whose links count as those of a list: list pages, and all pages of explore crawls.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("src", BigInteger, "key of the page that links"),
    required("channel", Text, "site/channel"),
)
Index("ix_link_lists_src", link_lists.c.src, link_lists.c.channel, unique=True)

list_links = table(
    "list_links",
    "The links of lists: every link between two pages once. Those marked `nofollow` do not count.",
    key("list", Key, "as in `link_lists`"),
    key("dst", BigInteger, "key of the page linked to"),
    required("link", Key, "as in `distinct_links`"),
    required("found_at", Moment, "when it was stored"),
    flag("nofollow", "the link or its page asks not to follow it"),
    sqlite_with_rowid=False,
)
index_where("ix_list_links_shown", list_links.c.dst, list_links.c.list, where="NOT nofollow")

page_links = table(
    "page_links",
    "The links of all other pages: a row for each visit that found new ones.",
    key("src", BigInteger, "key of the page that links"),
    key("found_at", Moment, "when they were stored"),
    required(
        "links",
        LargeBinary,
        "compressed by zlib: 64-bit numbers, low byte first, each what is to be added to the one before. They are twice"
        " the number in `distinct_links`, and 1 more for `nofollow`",
    ),
    sqlite_with_rowid=False,
)
