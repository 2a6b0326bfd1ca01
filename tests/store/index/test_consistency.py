"""Whatever is done to stored articles, in whatever order, the index stays the one that a rebuild makes."""

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.model import Link, LinkKind, PageType
from newsspider.core.url import url_key
from newsspider.store import pages
from newsspider.store.articles import articles_by_body
from newsspider.store.articles.rewrites import Rewritten, rewrite_article
from newsspider.store.url_history import forget_url
from tests.support.indexes import index_of, rebuilt
from tests.support.samples import NOW, POLLED_AGAIN, article, lease_on, save_article

STEPS = 60
URLS = [f"http://{host}/{number}" for host in ("a.cn", "www.b.edu.cn") for number in range(6)]
BODIES = [f"高考改革第{number}号方案今天公布，各地学校都要执行。ＧＲＥ考試照舊。" for number in range(8)]
DAY = datetime(2026, 11, 1, 8, 30, tzinfo=UTC)
SITES = ("甲", "乙", "explore:x")


def values(chance: random.Random) -> dict:
    """Every field that the index knows of, now and then another one."""
    return {
        "title": f"第{chance.randrange(3)}个标题",
        "published_at": chance.choice([None, DAY, DAY - timedelta(days=chance.randrange(5))]),
        "crawled_at": DAY + timedelta(hours=chance.randrange(3)),
        "media_class": chance.choice(["trade", "central"]),
        "topic": chance.choice(["education", "other"]),
        "source": chance.choice([None, "新华网", "人民网"]),
        "authors": chance.choice([(), ("张三",), ("张三", "李四")]),
        "language": chance.choice([None, "zh", "en"]),
        "kind": chance.choice([PageType.ARTICLE, PageType.BLOG]),
        "comments": chance.choice([(), ("说得好",), ("说得好", "食堂太贵")]),
        "attachments": chance.choice([(), ("http://a.cn/1.pdf",)]),
        "subtopics": chance.choice([(), ("高考",), ("高考", "留学")]),
    }


def save(conn, chance, now):
    body = chance.choice(BODIES)
    return save_article(conn, chance.choice(URLS), body, now, site=chance.choice(SITES), **values(chance)).exact


def reread(conn, chance, now):
    """What ``scrapy reread`` does with an article that is read otherwise now."""
    stored = conn.execute(text("SELECT id, url, site, body_md5, snapshot FROM articles ORDER BY id")).all()
    if not stored:
        return None
    row = chance.choice(stored)
    body = chance.choice(BODIES)
    read = article(row.url, body, site=row.site, body_md5=body_md5("", body), snapshot=row.snapshot, **values(chance))
    return rewrite_article(conn, row.id, row.body_md5, read)


def show_first_part(conn, chance, now):
    """A visit that has read only some of the pages of an article."""
    url = chance.choice(URLS)
    return articles_by_body.keep(conn, url_key(url), article(url, chance.choice(BODIES)[:20], **values(chance)), now).reason


def poll_list(conn, chance, now):
    """A list calls articles as it likes."""
    links = [Link(url, f"明年高考这样考，第{chance.randrange(3)}个说法", LinkKind.ARTICLE) for url in URLS]
    lease = lease_on(conn, f"http://list{chance.randrange(4)}.cn/", now, kind=PageType.LIST, channel="要闻")
    settlement = replace(POLLED_AGAIN, fetched_at=now)
    pages.save(conn, PageResult(lease, settlement, links=tuple(chance.sample(links, 3))), now)


ACTIONS = {
    "poll": poll_list,
    "save": save,
    "save again": save,
    "save more": save,
    "reread": reread,
    "show a part": show_first_part,
    "drop": lambda conn, chance, now: articles_by_body.drop_url(conn, url_key(chance.choice(URLS))),
    "forget": lambda conn, chance, now: forget_url(conn, url_key(chance.choice(URLS))),
    "refuse": lambda conn, chance, now: articles_by_body.refuse_url(conn, url_key(chance.choice(URLS)), "education", now),
}


@pytest.mark.parametrize("seed", range(6))
def test_the_index_is_that_of_a_rebuild_after_random_changes(conn, seed):
    chance, done = random.Random(seed), Counter()
    conn.execute(
        text("INSERT INTO explore_crawls (site, strategy, began_at, resumed_at) VALUES ('explore:x', 'fish', 0, 0)")
    )
    for step in range(STEPS):
        name = chance.choice(list(ACTIONS))
        done[name, ACTIONS[name](conn, chance, NOW + 1e5 * (step + 1))] += 1
    assert done["reread", Rewritten.CHANGED], done
    assert conn.execute(text("SELECT count(*) FROM search_entries WHERE anchors <> ''")).scalar(), done
    stored = index_of(conn)
    assert stored == rebuilt(conn), done
    for url in URLS:
        forget_url(conn, url_key(url))
        articles_by_body.drop_url(conn, url_key(url))
    assert index_of(conn) == []
    assert conn.execute(text("SELECT count(*) FROM search_entries")).scalar() == 0
