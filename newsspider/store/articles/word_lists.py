"""The word lists of articles: their keywords, and the sub-topics that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from newsspider.store.engine.statement import Statement, rows_among


class WordList:
    """The words of articles in a table, ordered by ``position``."""

    def __init__(self, table: str, column: str) -> None:
        self._of = (
            f"SELECT article_id, {column} FROM {table} WHERE article_id IN ({{keys}}) ORDER BY article_id, position"
        )
        self._add = Statement(f"INSERT INTO {table} (article_id, position, {column}) VALUES (:id, :position, :word)")
        self._drop = Statement(f"DELETE FROM {table} WHERE article_id = :id")

    def of_articles(self, conn: Connection, ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """The words of each of these articles that has any."""
        words: dict[int, tuple[str, ...]] = {}
        for article_id, word in rows_among(conn, self._of, ids):
            words[article_id] = (*words.get(article_id, ()), word)
        return words

    def add(self, conn: Connection, article_id: int, words: Sequence[str]) -> None:
        """Add the words of an article that has none yet."""
        rows = [{"id": article_id, "position": place, "word": word} for place, word in enumerate(words, 1)]
        self._add.change_many(conn, rows)

    def put(self, conn: Connection, article_id: int, words: Sequence[str]) -> None:
        """Replace the words of an article."""
        self._drop.change(conn, {"id": article_id})
        self.add(conn, article_id, words)


keywords, subtopics = WordList("keywords", "word"), WordList("subtopics", "name")
