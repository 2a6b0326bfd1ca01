"""The copy of the search index on an OpenSearch server, which may be behind or away."""

import threading

import pytest
from sqlalchemy import text

from newsspider.cli.command import CommandError
from newsspider.commands.reindex import copy_all as copy_to_server
from newsspider.core.query.query_tree import Every, Not, Text
from newsspider.features.console.server import _copy
from newsspider.store.engine.database import reading, writing
from newsspider.store.index import entries, opensearch
from newsspider.store.index.backend import COPY, Choice
from newsspider.store.index.opensearch import OpenSearchIndex, ServerAwayError
from tests.opensearch.copies import asked, copy_all, publish
from tests.support.events import until
from tests.support.samples import NOW, save_article


def position(engine, copy: OpenSearchIndex) -> opensearch.Position:
    with reading(engine) as conn:
        return copy._position(copy.name(conn))


@pytest.fixture
def copy(store, server):
    return OpenSearchIndex(server.address)


def test_what_is_not_copied_yet_is_found_in_the_store(store, copy, server) -> None:
    first = publish(store, 1)
    assert asked(store, copy, "高考") == [first]
    assert "POST _search" not in server.calls
    assert copy_all(store, copy) == 1
    second = publish(store, 2)
    assert sorted(asked(store, copy, "高考")) == [first, second]
    assert server.calls[-1] == "POST _search"
    assert copy_all(store, copy) == 1


def test_what_changed_or_went_is_not_found_as_it_was(store, copy, server) -> None:
    numbers = [publish(store, number) for number in (1, 2)]
    copy_all(store, copy)
    with writing(store) as conn, entries.changing(conn, numbers[0]):
        conn.execute(text("UPDATE articles SET text = '幼儿园收费' WHERE id = :id"), {"id": numbers[0]})
    assert asked(store, copy, "高考") == [numbers[1]]
    assert server.calls[-1] == "POST _search"
    assert server.node.entries() == [1, 2]
    copy_all(store, copy)
    assert server.node.entries() == [2, 3], "what the store no longer has is deleted from the copy"
    assert asked(store, copy, "幼儿园") == [numbers[0]]


def test_a_search_that_began_before_an_article_was_stored_leaves_it_in_the_copy(store, copy, server) -> None:
    publish(store, 1)
    copy_all(store, copy)
    with reading(store) as early:
        copy.newest(early, Choice(Every()), 100)
        second = publish(store, 2)
        copy_all(store, copy)
        assert len(copy.newest(early, Choice(Every()), 100).entries) == 1
    copy_all(store, copy)
    assert server.node.entries() == [1, 2]
    assert second in asked(store, copy, "高考")


def test_gaps_end_with_the_transactions_that_may_fill_them(store, copy, server) -> None:
    with writing(store) as conn:
        for _ in range(20):
            conn.execute(text("SELECT nextval(pg_get_serial_sequence('search_entries', 'id'))"))
    slow = store.connect()
    with slow.begin():
        late = save_article(slow, "http://b.cn/late", "高考，后提交。", site="慢").article_id
        publish(store, 2)
        for _ in range(5):
            copy_all(store, copy)
        assert position(store, copy).gaps[-1] == (21, 21) or position(store, copy).gaps == ((1, 21),)
    slow.close()
    assert late in asked(store, copy, "高考")

    def without_gaps() -> bool:
        copy_all(store, copy)
        return not position(store, copy).gaps

    until(without_gaps)
    assert server.node.entries() == [21, 22]


def test_any_number_of_entries_that_went_leaves_one_gap() -> None:
    after = opensearch._behind(opensearch.Position(10), [20_000, 20_001, 20_003], 5, 9)
    assert after == (20_003, ((11, 19_999), (20_002, 20_002)), (10, 9))
    assert opensearch._behind(after, [500], 8, 12).gaps == ((11, 499), (501, 19_999), (20_002, 20_002))
    after = opensearch._behind(after, [], 9, 12)
    assert after == (20_003, ((11, 19_999), (20_002, 20_002)), (20_003, 12))
    assert opensearch._behind(after, [], 12, 12) == (20_003, (), None)


def test_the_position_is_no_entry(store, copy) -> None:
    first = publish(store, 1)
    copy_all(store, copy)
    with reading(store) as conn:
        for node in (Every(), Not(Text(("无",), "title"))):
            copy.newest(conn, Choice(node, revisions=True), 100)
            assert copy._away_until == 0.0
        assert [entry.article_id for entry in copy.newest(conn, Choice(Every(), revisions=True), 100).entries] == [first]


PARTIAL = {"hits": {"hits": []}, "timed_out": False, "_shards": {"failed": 1}}


@pytest.mark.parametrize(
    "answer", [PARTIAL, PARTIAL | {"timed_out": True, "_shards": {"failed": 0}}, {}, [], None, {"hits": 3}]
)
def test_an_answer_in_part_or_of_another_form_does_not_count(store, copy, server, answer) -> None:
    first = publish(store, 1)
    copy_all(store, copy)
    server.answers["_search"] = answer
    assert asked(store, copy, "高考") == [first]
    assert copy._away_until > 0.0


@pytest.mark.parametrize("answer", [{}, [], None, {"found": True, "_source": {"position": {"last": 1, "gaps": [3]}}}])
@pytest.mark.parametrize("path", ["_bulk", "position"])
def test_a_copy_waits_for_a_server_that_answers_in_another_form(store, copy, server, path, answer) -> None:
    publish(store, 1)
    server.answers[path] = answer
    with pytest.raises(ServerAwayError):
        copy_all(store, copy)


def test_a_slow_server_is_not_asked_at_once_again(store, copy, server, monkeypatch) -> None:
    first = publish(store, 1)
    copy_all(store, copy)
    moments = iter([0.0, 0.0, 61.0, 61.0, 90.0])
    monkeypatch.setattr(opensearch, "monotonic", lambda: next(moments))
    calls = len(server.calls)
    assert asked(store, copy, "高考") == [first]
    assert len(server.calls) > calls
    calls = len(server.calls)
    assert asked(store, copy, "高考") == [first]
    assert len(server.calls) == calls


def test_nothing_is_lost_while_the_server_is_away(store, copy, server, monkeypatch) -> None:
    numbers = [publish(store, 1)]
    copy_all(store, copy)
    server.is_down = True
    numbers.append(publish(store, 2))
    with pytest.raises(ServerAwayError, match="answers 503"):
        copy_all(store, copy)
    assert sorted(asked(store, copy, "高考")) == numbers
    calls = len(server.calls)
    assert sorted(asked(store, copy, "高考")) == numbers
    assert len(server.calls) == calls, "nobody waits for it again at once"
    server.is_down = False
    monkeypatch.setattr(copy, "_away_until", 0.0)
    assert copy_all(store, copy) == 1
    assert sorted(asked(store, copy, "高考")) == numbers
    assert server.calls[-1] == "POST _search"


def test_an_entry_that_is_committed_late_is_copied(store, copy) -> None:
    publish(store, 1)
    slow = store.connect()
    with slow.begin():
        late = save_article(slow, "http://b.cn/late", "高考，后提交。", site="慢").article_id
        publish(store, 2)
        copy_all(store, copy)
    slow.close()
    assert late in asked(store, copy, "高考")
    assert copy_all(store, copy) == 1
    assert late in asked(store, copy, "高考")


def test_an_index_that_was_built_again_is_copied_anew(store, copy, server) -> None:
    publish(store, 1)
    copy_all(store, copy)
    with writing(store) as conn:
        run = entries.begin_rebuild(conn, NOW, again=True)
        while run is not None:
            run = entries.index_next(conn, run, 10)
    assert len(asked(store, copy, "高考")) == 1
    assert copy_all(store, copy) == 1
    assert len(asked(store, copy, "高考")) == 1
    copy_all(store, copy)
    with reading(store) as conn:
        assert server.node.indexes() == [copy.name(conn)], "the earlier one is deleted"
        assert list(server.node.ask("GET", "/_alias/news")) == [copy.name(conn)]


def test_far_behind_it_the_store_answers_alone(store, copy, server, monkeypatch) -> None:
    publish(store, 1)
    copy_all(store, copy)
    monkeypatch.setattr(opensearch, "MOST_LATE", 1)
    for number in (2, 3):
        publish(store, number)
    server.calls.clear()
    assert len(asked(store, copy, "高考")) == 3
    assert "POST _search" not in server.calls


def test_the_name_and_password_of_the_address_are_sent(store, copy, server) -> None:
    named = OpenSearchIndex(server.address.replace("http://", "http://news:p%40ss@"))
    copy_all(store, named)
    assert server.authorization == "Basic bmV3czpwQHNz"
    assert "p%40ss" not in named.server


def test_reindex_copies_all_and_the_console_goes_on(store, copy, server) -> None:
    publish(store, 1)
    store.update_execution_options(**{COPY: copy})
    assert (copy_to_server(store), copy_to_server(store)) == (1, 0)
    ended = threading.Event()
    copying = threading.Thread(target=_copy, args=(store, copy, ended))
    copying.start()
    publish(store, 2)
    until(lambda: server.node.entries() == [1, 2])
    ended.set()
    copying.join(60)
    assert not copying.is_alive()
    server.is_down = True
    with pytest.raises(CommandError, match="SEARCH_INDEX: "):
        copy_to_server(store)
