"""Sets of search results that people keep and screen."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Text

from newsspider.store.tables.columns import Key, Moment, key, required, table

collections = table(
    "collections", "Sets of articles that people screen; everybody sees them. They stay until somebody removes them.",
    Column("id", Key, primary_key=True, doc="its number"),
    required("name", Text, "its name"),
    required("owner", Text, "the account that made it; empty without accounts", ""),
    required("query", Text, "the query whose hits it has", ""),
    required("note", Text, "what it is for", ""),
    required("made_at", Moment, "when the query was asked last"),
)  # fmt: skip

collection_articles = table(
    "collection_articles", "The articles of each collection, and what people say of them.",
    key("collection_id", BigInteger, "the collection", ForeignKey("collections.id", ondelete="CASCADE")),
    key("article_id", BigInteger, "the article", ForeignKey("articles.id", ondelete="CASCADE"), index=True),
    required("added_at", Moment, "when it was added"),
    required("verdict", Text, "`in`, `out`; empty: nobody has decided", ""),
    required("note", Text, "what somebody wrote beside it", ""),
)  # fmt: skip
