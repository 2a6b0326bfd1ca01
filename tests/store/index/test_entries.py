"""The search index is equal to what is stored, and finds exactly what stands there, on both databases."""

import random
from datetime import timedelta

import pytest
from sqlalchemy import text

from newsspider.core.model import Reason
from newsspider.core.query.query_tree import All, Either, Every, Not, Text, Value
from newsspider.core.text.tokenizer import units_of_text, value_token
from newsspider.core.url import url_key
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.database import open_store
from newsspider.store.index import entries
from newsspider.store.index.backend import Choice
from newsspider.store.index.contents import MOST_INDEXED
from newsspider.store.index.postgresql import LONG
from newsspider.store.url_history import forget_url
from tests.support.indexes import MOMENT, found, index_of, phrase, rebuilt, save
from tests.support.samples import NOW, save_article
from tests.support.stores import on_postgresql
from tests.support.texts import generated, scanned


def titles(conn, node, **choice):
    ids = found(conn, node, **choice)
    names = {row.id: row.title for row in conn.execute(text("SELECT id, title FROM articles"))}
    return [names[number] for number in ids]


# ---- what is found ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (phrase("高考"), [2, 1]),
        (phrase("新高考"), [2]),
        (phrase("高考，志愿"), [1]),
        (phrase("高考志愿"), []),
        (phrase("高考，志"), [1]),
        (phrase("考，志愿填"), [1]),
        (phrase("GRE"), [3]),
        (phrase("gre考試"), [3]),
        (phrase("re"), []),
        (Text(("gr",), "", True), [3]),
        (phrase("課"), [3]),
        (phrase("考"), [3, 2, 1]),
        (phrase("考", "title"), [2]),
        (phrase("高考", "title"), [2]),
        (phrase("高考", "body"), [1]),
        (phrase("篇"), [3, 1]),
        (All((phrase("考"), Not(phrase("志愿")))), [3, 2]),
        (All((phrase("考"), Not(phrase("志愿填")))), [3, 2]),
        (Either((phrase("志愿填报"), phrase("GRE"))), [3, 1]),
        (Not(phrase("高考")), [3]),
        (Either((Not(phrase("高考")), phrase("志愿"))), [3, 1]),
        (All((phrase("课"), Either((Not(phrase("方案")), phrase("高考"))))), [3]),
        (All((phrase("GRE"), Either((Not(phrase("高考")), phrase("方案"))))), [3]),
        (All((Either((Not(phrase("考试")), phrase("志愿"))), phrase("GRE"))), []),
        (Either((All((Not(phrase("GRE")), phrase("志愿"))), All((phrase("GRE"), phrase("高考"))))), [1]),
        (Not(Either((Not(phrase("高考")), phrase("志愿")))), [2]),
        (Not(Not(phrase("志愿填报"))), [1]),
        (Every(), [3, 2, 1]),
        (Not(Every()), []),
        (Value(value_token("site", "edu.cn")), [2]),
        (All((Value(value_token("site", "站")), phrase("考"))), [3, 2, 1]),
        (Value(value_token("author", "李 四")), [3]),
        (Value(value_token("media", "trade")), [3, 2, 1]),
        (Value(value_token("subtopic", "留學")), [3]),
        (Value(value_token("has", "attachment")), [1]),
        (phrase("站"), []),
    ],
)
def test_what_is_asked_for_is_found_the_latest_first(conn, node, expected):
    ids = {
        save(conn, 1, "今年高考，志愿填报开始", attachments=("http://a.cn/1.pdf",)): 1,
        save(conn, 2, "各地公布方案", title="新高考"): 2,
        save(conn, 3, "ＧＲＥ考试与課程", authors=("李四",), subtopics=("留学",)): 3,
    }
    second = next(number for number, which in ids.items() if which == 2)
    with entries.changing(conn, second):
        conn.execute(text("UPDATE articles SET url = 'http://www.x.edu.cn/2' WHERE id = :id"), {"id": second})
    assert [ids[number] for number in found(conn, node)] == expected


def test_random_trees_of_short_words_find_what_the_tree_says(conn):
    chance, words = random.Random(61), ("考试", "高考", "GRE", "课")
    stored = {}
    for number in range(16):
        of_article = {word for place, word in enumerate(words) if number >> place & 1}
        stored[save(conn, number, "，".join([*of_article, "正文"]), title="标题")] = of_article

    def tree(depth):
        """A node, and what it says of the words of an article."""
        if depth == 0 or chance.random() < 0.2:
            word = chance.choice(words)
            return phrase(word), lambda contained: word in contained
        (left, is_left), (right, is_right) = tree(depth - 1), tree(depth - 1)
        return chance.choice(
            [
                (Not(left), lambda contained: not is_left(contained)),
                (All((left, right)), lambda contained: is_left(contained) and is_right(contained)),
                (Either((left, right)), lambda contained: is_left(contained) or is_right(contained)),
            ]
        )

    for _ in range(100):
        node, says = tree(4)
        assert set(found(conn, node)) == {number for number, contained in stored.items() if says(contained)}, node


def test_moments_bound_what_is_found(conn):
    for number in range(4):
        save(conn, number, f"高考{number}号")
    start = int(MOMENT.timestamp())
    assert titles(conn, phrase("高考"), since=start + 3600, until=start + 3 * 3600) == ["第2篇", "第1篇"]


def test_hundreds_of_articles_of_one_moment_are_found_by_their_moment(conn):
    for number in range(200):
        save(conn, number, f"高考第{number}号", published_at=MOMENT, now=NOW + number)
    start = int(MOMENT.timestamp())
    assert len(found(conn, phrase("高考"), since=start, until=start + 1)) == 200
    assert found(conn, phrase("高考"), since=start + 1) == found(conn, phrase("高考"), until=start) == []
    assert index_of(conn) == rebuilt(conn)


def test_a_text_with_nul_is_indexed_as_it_is_stored(conn):
    save(conn, 1, "中学\0义务教育")
    assert index_of(conn) == rebuilt(conn)


def test_random_phrases_are_found_exactly_revisions_included(conn):
    source = random.Random(26)
    stored = {}
    for number in range(60):
        title, body = generated(number, 12).replace("\0", ""), generated(1_000 + number, 200).replace("\0", "")
        stored[save(conn, number, body, title=title)] = (title, body)
    for number in range(0, 60, 4):  # a revisit finds another text
        save(
            conn,
            number,
            generated(2_000 + number, 200).replace("\0", ""),
            title=generated(number, 12).replace("\0", ""),
            now=NOW + 1e6,
        )
    revisions = conn.execute(text("SELECT id, title, text FROM revisions")).all()
    stored = {f"a{row.id}": (row.title, row.text) for row in conn.execute(text("SELECT id, title, text FROM articles"))}
    stored |= {f"r{row.id}": (row.title, row.text) for row in revisions}
    assert len(revisions) == 15
    tried = 0
    while tried < 100:
        words = source.choice(source.choice(list(stored.values())))
        start = source.randrange(len(words))
        words = words[start : start + source.randint(1, 12)]
        if not units_of_text(words):
            continue
        tried += 1
        for field, count in (("", 2), ("title", 1)):
            node = Text(tuple(units_of_text(words)), field)
            hits = entries.backend_of(conn).newest(conn, Choice(node, revisions=True), 1_000).entries
            names = {f"a{hit.article_id}" if hit.article_id is not None else f"r{hit.revision_id}" for hit in hits}
            assert names == {name for name, texts in stored.items() if any(scanned(words, part) for part in texts[:count])}, words


@on_postgresql
def test_a_text_with_more_tokens_than_a_vector_holds_is_found_all_the_same(conn, monkeypatch):
    monkeypatch.setattr("newsspider.store.index.postgresql.MOST_BYTES", 700)
    save(conn, 1, generated(1, 500).replace("\0", "") + "职业技能大赛")
    save(conn, 2, "短文")
    assert (
        conn.execute(
            text("SELECT count(*) FROM search_vectors WHERE tokens @@ CAST(:long AS tsquery)"), {"long": LONG}
        ).scalar()
        == 1
    )
    assert titles(conn, phrase("大赛")) == titles(conn, phrase("赛")) == ["第1篇"]
    assert titles(conn, Not(phrase("大赛"))) == titles(conn, All((phrase("篇"), Not(phrase("大赛"))))) == ["第2篇"]


# ---- it stays equal to what is stored --------------------------------------------------------------------------------


def test_the_index_is_that_of_a_rebuild_whatever_becomes_of_the_articles(conn):
    for number in range(8):
        save(conn, number, f"高考改革第{number}号方案，今天公布")
    save(conn, 0, "高考改革第0号方案，昨天公布了", now=NOW + 1e5)  # another text
    save(conn, 1, "高考改革第1号方案，今天公布", title="又一个标题", now=NOW + 1e5)  # another title
    save(conn, 2, "高考改革第2号方案，今天公布", published_at=MOMENT - timedelta(days=9), now=NOW + 1e5)  # another time
    save_article(conn, "http://b.cn/3", "高考改革第3号方案，今天公布", site="乙")  # an exact reprint
    articles_by_body.drop_url(conn, url_key("http://a.cn/3"))  # then its main URL is another one
    forget_url(conn, url_key("http://a.cn/4"))
    articles_by_body.refuse_url(conn, url_key("http://a.cn/5"), "education", NOW)
    save(conn, 6, "高考改革第7号方案，今天公布", now=NOW + 1e5)  # the text of another article
    now = index_of(conn)
    assert now == rebuilt(conn)
    assert titles(conn, phrase("又一个")) == ["又一个标题"]
    assert len(found(conn, phrase("改革"))) == 5
    assert len(found(conn, phrase("改革"), revisions=True)) > 5
    assert found(conn, phrase("4号")) == found(conn, phrase("4号"), revisions=True) == []


def test_an_article_of_an_explore_crawl_that_a_watched_site_takes_over_is_indexed_anew(conn):
    conn.execute(
        text("INSERT INTO explore_crawls (site, strategy, began_at, resumed_at) VALUES ('explore:x', 'fish', 0, 0)")
    )
    save(conn, 1, "高考改革", site="explore:x", topic="any", subtopics=())
    assert found(conn, Value(value_token("site", "explore:x")))
    save_article(conn, "http://b.cn/1", "高考改革", site="乙", subtopics=("高考",))
    assert found(conn, Value(value_token("site", "explore:x"))) == []
    assert found(conn, Value(value_token("subtopic", "高考")))
    assert found(conn, Value(value_token("site", "乙")))
    assert index_of(conn) == rebuilt(conn)


def test_a_transaction_that_is_rolled_back_leaves_the_index_as_it_was(store):
    with store.begin() as conn:
        save(conn, 1, "高考改革")
        old_index = index_of(conn)
    with store.connect() as conn, conn.begin() as transaction:
        save(conn, 2, "另一篇")
        save(conn, 1, "高考改革变了", now=NOW + 1e5)
        transaction.rollback()
    with store.begin() as conn:
        assert index_of(conn) == old_index


def test_articles_stored_while_the_index_is_rebuilt_are_indexed_once(conn):
    for number in range(5):
        save(conn, number, f"高考{number}号")
    run = entries.begin_rebuild(conn, NOW, again=True)
    assert found(conn, phrase("高考")) == []
    run = entries.index_next(conn, run, 2)
    assert len(found(conn, phrase("高考"))) == 2
    save(conn, 0, "高考0号变了", now=NOW + 1e5)
    save(conn, 4, "高考4号变了", now=NOW + 1e5)
    save(conn, 9, "高考9号")
    assert len(found(conn, phrase("高考"))) == 4
    while run is not None:
        run = entries.index_next(conn, run, 2)
    assert len(found(conn, phrase("高考"))) == 6
    while entries.add_missing_revisions(conn, 10):
        pass
    assert index_of(conn) == rebuilt(conn)


def test_an_index_of_other_tokens_is_emptied_when_the_store_is_opened(store, url):
    with store.begin() as conn:
        save(conn, 1, "高考改革")
        assert entries.unfinished_rebuild(conn) is None
        conn.execute(text("UPDATE batch_jobs SET arguments = '0' WHERE kind = 'reindex'"))
    engine = open_store(url)
    with engine.begin() as conn:
        assert found(conn, Every()) == []
        run = entries.unfinished_rebuild(conn)
        assert entries.index_next(conn, run, 10).done == 1
        assert len(found(conn, phrase("高考"))) == 1
    engine.dispose()


def test_what_is_stored_again_unchanged_is_not_indexed_again(conn, monkeypatch):
    save(conn, 1, "高考改革")
    monkeypatch.setattr(entries, "add", None)
    monkeypatch.setattr(entries, "_drop", None)
    assert (
        save_article(
            conn, "http://a.cn/1", "高考改革", title="第1篇", published_at=MOMENT + timedelta(hours=1), now=NOW + 1e5
        ).exact
        is Reason.UNCHANGED
    )


def test_the_beginning_of_an_endless_text_is_searched(conn):
    number = save(conn, 1, "教" * MOST_INDEXED + "高考")
    assert found(conn, phrase("教教")) == [number]
    assert not found(conn, phrase("高考"))
    assert index_of(conn) == rebuilt(conn)
