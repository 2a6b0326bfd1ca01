"""What people said of the articles of a collection stays with their texts."""

from dataclasses import replace

import pytest

from newsspider.core.url import url_key
from newsspider.features.console import collections
from newsspider.store.articles import articles_by_body, rewrites
from tests.support.samples import NOW, URL, article, save_article
from tests.support.stores import backend

__all__ = ["backend"]

OTHER = "http://other.cn/1"


@pytest.fixture(params=["visited again", "read again"])
def become_one(request, conn):
    """Makes two articles one, the way of a crawl and that of ``scrapy reread``."""

    def merge(own):
        again = replace(article(OTHER, "同文"), snapshot=own.snapshot)
        if request.param == "read again":
            number = articles_by_body.article_with_body(conn, own.body_md5).id
            assert rewrites.rewrite_article(conn, number, own.body_md5, again) is rewrites.Rewritten.MERGED
        else:
            assert articles_by_body.keep(conn, url_key(OTHER), again, NOW + 9).duplicate_of == URL

    return merge


@pytest.mark.parametrize(
    ("verdict_of_other", "expected"), [(None, ("in", "要闻")), ("", ("in", "要闻")), ("out", ("out", "旧闻"))]
)
def test_a_verdict_stays_when_its_article_becomes_one_with_another(conn, become_one, verdict_of_other, expected):
    save_article(conn, URL, "同文")
    other = articles_by_body.article_with_body(conn, article(URL, "同文").body_md5).id
    own = article(OTHER, "另一篇")
    number = articles_by_body.keep(conn, url_key(OTHER), own, NOW).article_id
    collection = collections.add(conn, "", "一组", "", "", NOW)
    collections.put(conn, collection, [number] if verdict_of_other is None else [number, other], NOW)
    collections.screen(conn, collection, number, "in", "要闻")
    if verdict_of_other is not None:
        collections.screen(conn, collection, other, verdict_of_other, "旧闻" if verdict_of_other else "")
    become_one(own)
    assert [(row.article_id, row.verdict, row.note) for row in collections.articles(conn, collection)] == [(other, *expected)]
