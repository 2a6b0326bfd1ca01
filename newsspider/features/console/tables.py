"""The accounts of the console and the API, the collections that people screen, what readers marked, and their searches."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, Text

from newsspider.store.tables.columns import Key, Moment, flag, key, optional, required, table

accounts = table(
    "accounts",
    "The people who may log in to the console; without any, it listens on its own machine alone.",
    key("name", Text, "its name"),
    required("role", Text, "`reader`, `editor` or `admin`"),
    required("password_hash", Text, "an Argon2id hash of the password, with its salt and its costs"),
    required("added_at", Moment, "when it was added"),
    required("changed_at", Moment, "when its role or password was last changed"),
)

account_tokens = table(
    "account_tokens",
    "What stands for an account: sessions of browsers, and tokens of the API.",
    key("hash", Text, "the SHA-256 of the secret, which is stored nowhere"),
    required("account", Text, "the account", None, ForeignKey("accounts.name", ondelete="CASCADE"), index=True),
    required("scope", Text, "of a token: `read`, `edit` or `admin`; empty: a session", ""),
    required("label", Text, "what the token is for; of a session the browser that began it"),
    required("made_at", Moment, "when it was made"),
    required("used_at", Moment, "when it was last used, to within ten minutes"),
    optional("ends_at", Moment, "when it ends, whatever happens; empty: never"),
)

collections = table(
    "collections",
    "Sets of articles that people screen; everybody sees them. They stay until somebody removes them.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("name", Text, "its name"),
    required("owner", Text, "the account that made it; empty without accounts", ""),
    required("query", Text, "the query whose hits it has", ""),
    required("note", Text, "what it is for", ""),
    required("made_at", Moment, "when the query was asked last"),
)

collection_articles = table(
    "collection_articles",
    "The articles of each collection, and what people say of them.",
    key("collection_id", BigInteger, "the collection", ForeignKey("collections.id", ondelete="CASCADE")),
    key("article_id", BigInteger, "the article", ForeignKey("articles.id", ondelete="CASCADE"), index=True),
    required("added_at", Moment, "when it was added"),
    required("verdict", Text, "`in`, `out`; empty: nobody has decided", ""),
    required("note", Text, "what somebody wrote beside it", ""),
)

reading_marks = table(
    "reading_marks",
    "What readers marked. Nobody else sees it, except for notes that they share. Without accounts there is one reader.",
    key("account", Text, "the account; empty without accounts"),
    key("mark", Text, "`read`, `star`, `note`; `less`: the reader wants no more like it"),
    key("article_id", BigInteger, "the article", ForeignKey("articles.id", ondelete="CASCADE"), index=True),
    required("marked_at", Moment, "when it was marked"),
    required("note", Text, "of `note`: its text", ""),
    flag("is_shared", "of `note`: everybody may read it"),
    sqlite_with_rowid=False,
)

saved_searches = table(
    "saved_searches",
    "The queries that readers saved: tabs of their search page and parts of their board.",
    key("account", Text, "the account; empty without accounts"),
    key("query", Text, "the query"),
    required("name", Text, "what its reader calls it"),
    required("saved_at", Moment, "when it was saved"),
    sqlite_with_rowid=False,
)

search_counts = table(
    "search_counts",
    "How often something was searched for in the console, by the day; nothing says by whom. Queries of at most 60"
    " characters that found something, 1,000 different ones a day, for 90 days.",
    key("day", Text, "the day in China"),
    key("query", Text, "the query, its blanks made one"),
    required("searches", Integer, "how often"),
    sqlite_with_rowid=False,
)

TABLES = (accounts, account_tokens, collections, collection_articles, reading_marks, saved_searches, search_counts)
