"""The results of visits to stored articles: changed texts and vanished pages."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Text

from newsspider.core.model import ARTICLE_FIELDS, REVISED_FIELDS
from newsspider.store.tables.articles import article_column
from newsspider.store.tables.columns import Json, Key, Moment, index_where, key, optional, required, table

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
