"""Three stores copy their index to one server, and a console searches all of them."""

from collections.abc import Iterator
from itertools import count

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text

from newsspider.core.query.query_tree import Every
from newsspider.core.url import url_key
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.index.backend import COPY, Choice, ServerAwayError
from newsspider.store.index.opensearch import OpenSearchIndex
from tests.features.console.consoles import console_of
from tests.opensearch.copies import copy_all
from tests.opensearch.node import Proxy
from tests.support.samples import save_article
from tests.support.servers import MIGRATED

API = "/api/v1/articles"
SHARED = "http://shared.cn/1"
_numbers = count(1)


@pytest.fixture
def stores(migrated) -> Iterator[list[Engine]]:
    names = [f"many{next(_numbers)}" for _ in range(3)]
    engines = [open_store(migrated.create(name, MIGRATED)) for name in names]
    yield engines
    for name, engine in zip(names, engines, strict=True):
        engine.dispose()
        migrated.drop(name)


@pytest.fixture
def copies(stores: list[Engine], server: Proxy) -> list[OpenSearchIndex]:
    """The first two stores have an article of the same URL; each has one of its own."""
    copies = [OpenSearchIndex(f"{server.address}/{name}") for name in ("beijing", "guangdong", "sichuan")]
    for engine, copy in zip(stores, copies, strict=True):
        with writing(engine) as conn:
            save_article(conn, f"http://{copy.store}.cn/1", f"{copy.store} 公布高考改革方案", title="方案", site=copy.store)
            if copy.store != "sichuan":
                save_article(conn, SHARED, "两地都有的高考报道", title="报道", site="共有")
        copy_all(engine, copy)
    return copies


@pytest.fixture
def console(stores: list[Engine], copies: list[OpenSearchIndex]) -> TestClient:
    stores[0].update_execution_options(**{COPY: copies[0]})
    return console_of(stores[0])


def addresses(console: TestClient, query: str) -> list[str]:
    answer = console.get(API, params={"q": query, "stores": "all"}).json()
    assert answer["total"] == len(answer["articles"])
    return sorted(record["url"] for record in answer["articles"])


ALL = [f"http://{name}.cn/1" for name in ("beijing", "guangdong")] + [SHARED, "http://sichuan.cn/1"]


def test_the_console_finds_what_is_in_any_store_and_an_article_of_two_stores_once(console: TestClient) -> None:
    assert addresses(console, "高考") == ALL
    assert addresses(console, "公布 NEAR/4 方案") == [url for url in ALL if url != SHARED]
    assert addresses(console, "公布 NEAR/3 方案") == []
    assert addresses(console, "高考 -(公布 NEAR/4 方案)") == [SHARED]
    assert addresses(console, "高考 -site:共有 until:today") == [url for url in ALL if url != SHARED]
    records = console.get(API, params={"q": "高考改革", "stores": "all"}).json()["articles"]
    assert {(record["store"], record["id"] is None) for record in records} == {("beijing", False), ("guangdong", True), ("sichuan", True)}
    assert len(console.get(API, params={"q": "高考"}).json()["articles"]) == 2
    page = console.get("/search?q=高考&stores=1").text
    assert page.count('href="http://sichuan.cn/1"') == 1
    assert page.count("两地都有的") == 1
    assert "只查了本库" not in page


def test_more_are_found_than_were_counted(console: TestClient, monkeypatch) -> None:
    def counted(query: str) -> tuple[int, bool]:
        answer = console.get(API, params={"q": query, "stores": "all"}).json()
        return answer["total"], answer["more"]

    assert (counted("高考"), counted("公布 NEAR/4 方案")) == ((4, False), (3, False))
    monkeypatch.setattr("newsspider.store.index.opensearch.MOST_COUNTED", 3)
    monkeypatch.setattr("newsspider.store.index.opensearch.MOST_HITS", 2)
    assert counted("高考") == (3, True)
    assert counted("公布 NEAR/4 方案")[1]


def test_what_another_store_forgets_or_hides_is_found_no_more(stores, copies, console: TestClient) -> None:
    with writing(stores[2]) as conn:
        articles_by_body.drop_url(conn, url_key("http://sichuan.cn/1"))
    with writing(stores[1]) as conn:
        conn.execute(text("UPDATE article_urls SET noindex = true WHERE site = 'guangdong'"))
    for engine, copy in zip(stores[1:], copies[1:], strict=True):
        for _ in range(2):  # compares the copy with the store, then deletes what that has no more
            copy_all(engine, copy)
    assert addresses(console, "高考") == ["http://beijing.cn/1", SHARED]


def test_a_rebuilt_store_takes_its_place_and_other_stores_stay(stores, copies, server: Proxy, console: TestClient) -> None:
    from newsspider.store.index import entries

    with writing(stores[1]) as conn:
        run = entries.begin_rebuild(conn, 1.0, again=True)
        while run is not None:
            run = entries.index_next(conn, run, 10)
    assert addresses(console, "高考") == ALL
    copy_all(stores[1], copies[1])
    assert addresses(console, "高考") == ALL
    assert len(server.node.indexes()) == len(server.node.ask("GET", "/_alias/news")) == 3


def test_an_index_of_another_mapping_is_copied_anew(stores, copies, server: Proxy, console: TestClient, monkeypatch) -> None:
    monkeypatch.setattr("newsspider.store.index.opensearch.MAPPING", "00000000")
    copy_all(stores[1], copies[1])
    assert addresses(console, "高考") == ALL
    indexes = server.node.indexes()
    assert [name.rsplit("-", 1)[1] for name in indexes if "guangdong" in name] == ["00000000"]
    assert len(indexes) == 3


def test_a_server_that_is_away_leaves_the_own_store(copies, server: Proxy, console: TestClient) -> None:
    server.is_down = True
    page = console.get("/search?q=高考&stores=1")
    assert (page.status_code, "只查了本库" in page.text, "两地都有的" in page.text) == (200, True, True)
    assert console.get(API, params={"stores": "all"}).status_code == 503
    with pytest.raises(ServerAwayError):
        copies[0].find_in_all_stores(Choice(Every()), 1)


def test_a_store_without_a_name_stays_alone(stores, server: Proxy) -> None:
    copy = OpenSearchIndex(server.address)
    stores[0].update_execution_options(**{COPY: copy})
    copy_all(stores[0], copy)
    with reading(stores[0]) as conn:
        assert copy.name(conn).count("-") == 2
    console = console_of(stores[0])
    assert console.get(API, params={"stores": "all"}).status_code == 503
    assert "含其他库" not in console.get("/search?q=高考").text
