"""A store and its copy on a server: what is copied, published and found."""

from newsspider.core.query.query_tree import Every, Text
from newsspider.core.text.tokenizer import units_of_text
from newsspider.store.engine.database import reading, writing
from newsspider.store.index.backend import Choice
from newsspider.store.index.opensearch import OpenSearchIndex
from newsspider.store.index.postgresql import INDEX as OWN
from tests.opensearch.node import Proxy
from tests.support.samples import save_article


class Copied(OpenSearchIndex):
    """A copy that takes over everything before each search, and must answer it."""

    def __init__(self, server: Proxy) -> None:
        super().__init__(server.address)
        self.calls = server.calls

    def newest(self, conn, choice, limit):
        while self.copy_next(conn):
            pass
        call_count = len(self.calls)
        result = super().newest(conn, choice, limit)
        assert "POST _search" in self.calls[call_count:]
        return result


def copy_all(engine, copy: OpenSearchIndex) -> int:
    count = 0
    with reading(engine) as conn:
        while some := copy.copy_next(conn):
            count += some
    return count


def asked(engine, copy: OpenSearchIndex, words: str) -> list[int]:
    with reading(engine) as conn:
        node = Text(tuple(units_of_text(words))) if words else Every()
        choice = Choice(node)
        newest = copy.newest(conn, choice, 100).entries
        assert newest == OWN.newest(conn, choice, 100).entries
        return [entry.article_id for entry in newest]


def publish(engine, number: int, body: str = "全国高考改革方案公布") -> int:
    with writing(engine) as conn:
        return save_article(conn, f"http://a.cn/{number}", f"第 {number} 篇。{body}", title="无题").article_id
