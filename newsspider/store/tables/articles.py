"""The articles, their URLs, what is derived from them, and what visits found: changed texts and vanished pages."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Index, Integer, LargeBinary, SmallInteger, Text

from newsspider.core.model import ARTICLE_FIELDS, REVISED_FIELDS, ArticleField
from newsspider.store.tables.columns import Json, Key, Moment, Number, flag, index_where, key, optional, required, table

COLUMN_TYPES: dict[type, Any] = {int: Integer, float: Float(53)}  # others are texts


def article_column(field: ArticleField) -> Column[Any]:
    """The column of a declared field; a list is JSON, a moment ISO 8601 with its offset."""
    kind = Json if field.is_list else COLUMN_TYPES.get(field.type, Text)
    return Column(
        field.name,
        kind,
        nullable=field.is_optional or field.declared.unique,
        unique=field.declared.unique or None,
        doc=field.declared.meaning,
    )


def _of_article() -> ForeignKey:
    return ForeignKey("articles.id", ondelete="CASCADE")


articles = table(
    "articles",
    "One row for each text, whichever URLs show it. The numbers are in the order of storing.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("key", BigInteger, "the key of `url`"),
    *map(article_column, ARTICLE_FIELDS.values()),
    optional("published_ts", BigInteger, "`published_at` in seconds since the epoch"),
    required("crawled_ts", BigInteger, "`crawled_at` in seconds since the epoch"),
    sqlite_autoincrement=True,  # numbers of deleted articles are not used again: streams continue after a number
)
Index("ix_articles_published", articles.c.published_ts)
Index("ix_articles_crawled", articles.c.crawled_ts)
Index("ix_articles_topic", articles.c.topic, articles.c.crawled_ts)
Index("ix_articles_site", articles.c.site)
index_where("ix_articles_snapshot", articles.c.snapshot, where="snapshot <> ''")

article_urls = table(
    "article_urls",
    "Every URL of every article: exact reprints are rows here.",
    key("key", Key, "the key of the URL"),
    required("article_id", Key, "the article", None, _of_article(), index=True),
    required("url", Text, "the URL"),
    required("canonical_url", Text, "the canonical URL that its page names, or its own"),
    required("site", Text, "the site"),
    required("channel", Text, "the channel"),
    flag("noindex", "its page asks not to be indexed; an article with no other page is not found"),
    required("title", Text, "the title on this page", ""),
    optional("source", Text, "the source that this page names"),
    optional("published_ts", BigInteger, "when this page says that it was published"),
    required("priority", Integer, "the priority of its URL", "0"),
    required("added_at", Moment, "when it was added to the article"),
)
index_where("ix_article_urls_noindex", article_urls.c.article_id, where="noindex")

keywords = table(
    "keywords",
    "Up to ten keywords for each article.",
    key("article_id", Key, "the article", _of_article()),
    key("position", SmallInteger, "from 1, the strongest first"),
    required("word", Text, "the keyword"),
    sqlite_with_rowid=False,
)

subtopics = table(
    "subtopics",
    "The `[subtopics]` of the [topic](../how-to/write-a-topic.md#rules) that an article belongs to.",
    key("article_id", Key, "the article", _of_article()),
    key("position", SmallInteger, "from 1, in the order of the topic's profile"),
    required("name", Text, "the name of the sub-topic"),
    sqlite_with_rowid=False,
)
Index("ix_subtopics_name", subtopics.c.name, subtopics.c.article_id, unique=True)

boilerplate_lines = table(
    "boilerplate_lines",
    "The lines that sites put around the texts of many articles, as learned; they are left out.",
    key("site", Text, "the site"),
    key("line", Text, "the line"),
    required("learned_at", Moment, "since when it is left out"),
    sqlite_with_rowid=False,
)

snapshots = table(
    "snapshots",
    "The pages of the stored articles, as fetched, for as long as an article or a revision names them.",
    key("name", Text, "SHA-256 of the bytes, hex"),
    required("content", LargeBinary, "the bytes, compressed with Zstandard (RFC 8878)"),
)

article_part_snapshots = table(
    "article_part_snapshots",
    "The snapshots that `articles.parts` names, for look-ups.",
    key("article_id", Key, "the article", _of_article()),
    key("snapshot", Text, "the name of a snapshot", index=True),
    sqlite_with_rowid=False,
)

fingerprints = table(
    "fingerprints",
    "The index of near reprints: up to 24 fingerprints of each text and its title, without those that many texts"
    " share. A match is a hint; the texts decide.",
    key("value", Integer, "a fingerprint: 32 bits, signed"),
    key("article_id", Key, "the article, which may be gone"),
    sqlite_with_rowid=False,
)

reprints = table(
    "reprints",
    "The articles that are near reprints of each other, in groups of at least two.",
    key("article_id", Key, "the article", _of_article()),
    required("group_id", BigInteger, "its group", index=True),
    required("is_first", Boolean, "the first source is a page of this article; `scrapy search` shows it for the group"),
    optional("closest_id", BigInteger, "the earlier article that it is closest to"),
    optional("containment", Number, "the share of the smaller one's fingerprints that both have"),
    optional("resemblance", Number, "the share of all their fingerprints that both have"),
)

labels = table(
    "labels",
    "What people said of articles with `scrapy topics label`. They stay when the article leaves the store.",
    key("topic", Text, "the name of the topic"),
    key("key", BigInteger, "key of one of the article's URLs"),
    required("relevant", Boolean, "whether the article is on topic"),
    required("labelled_at", Moment, "when that was last said"),
    required("url", Text, "the URL with this key", ""),
    required("title", Text, "the title when it was labelled", ""),
    required("text", Text, "the text when it was labelled", ""),
    sqlite_with_rowid=False,
)

held_articles = table(
    "held_articles",
    "Articles that their topic did not keep: those on which somebody is to decide (`scrapy topics borderline`), and"
    " with `OFF_TOPIC_HELD` all others. No search, list or export has them.",
    key("key", Key, "the key of the URL"),
    required("topic", Text, "the topic that did not keep it"),
    required("score", Number, "how relevant it is to the topic, 0-1"),
    required("borderline", Boolean, "somebody is to decide on it"),
    required("held_at", Moment, "when it was read, or judged again"),
    required("article", Json, "the fields of the article"),
)
index_where("ix_held_articles_borderline", held_articles.c.topic, held_articles.c.score, where="borderline")


_OF_URL = ForeignKey("article_urls.key", ondelete="CASCADE")
_OF_REVISION = ForeignKey("revisions.id", ondelete="CASCADE")

missing_articles = table(
    "missing_articles",
    "The pages of stored articles that were missing at a revisit.",
    key("key", Key, "as in `article_urls`", _OF_URL),
    required("absence", Text, "instead: `not_found`, `gone`, `soft_404`, `home_page`, `login`, `paywall` or `other`"),
    required("misses", Integer, "revisits in a row that missed it while its site responded"),
    optional("missing_since", Moment, "the first of them; empty: it is back"),
    optional("last_missed_at", Moment, "the last of them"),
    required("return_count", Integer, "how often it came back; each return doubles the misses needed, up to eightfold"),
    optional("returned_at", Moment, "when it last came back after it had vanished"),
    optional("vanished_at", Moment, "when it was taken to have vanished; empty: it has not"),
    optional("last_vanished_at", Moment, "the same, kept when it comes back"),
    optional("snapshots_deleted_at", Moment, "when its snapshots were deleted, `VANISHED_DELETE_DAYS` after that"),
)
index_where("ix_missing_articles_vanished", missing_articles.c.vanished_at, where="vanished_at IS NOT NULL")

revisions = table(
    "revisions",
    "Stored articles as they were before a revisit found them changed, one row for each change.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("key", BigInteger, "the key of the URL", index=True),
    required("url", Text, "the URL"),
    required("site", Text, "the site"),
    required("changed_at", Moment, "when the change was found"),
    required("parts", Json, "what changed: `text`, `title`, `time`; `topic`: the page has gone off topic"),
    required("edits", Json, "pairs of the paragraphs before and after"),
    *(article_column(ARTICLE_FIELDS[name]) for name in REVISED_FIELDS),
    required("further", Json, "`{url, snapshot}` of its further pages", "[]"),
)
Index("ix_revisions_changed", revisions.c.changed_at)
index_where("ix_revisions_snapshot", revisions.c.snapshot, where="snapshot <> ''")

revision_part_snapshots = table(
    "revision_part_snapshots",
    "The snapshots that `revisions.further` names, for look-ups.",
    key("revision_id", Key, "the revision", _OF_REVISION),
    key("snapshot", Text, "the name of a snapshot", index=True),
    sqlite_with_rowid=False,
)

revisit_counters = table(
    "revisit_counters",
    "How often the articles of a site are revisited and found changed; sets the revisit interval.",
    key("site", Text, "the site"),
    required("visits", Integer, "revisits answered with the article or 304"),
    required("changes", Integer, "of these, those that found another text"),
)
