"""What a message on the list of start URLs may say; the refused ones are in ``tests/extensions/test_start_urls.py``."""

import json

import pytest

from newsspider.core.crawling.start_url_message import (
    FETCHING,
    HIGHEST_PRIORITY,
    RESERVED,
    MessageError,
    StartUrl,
    start_url,
)
from tests.support.tables import each

URL = "http://a.cn/1"


def told(**keys: object) -> StartUrl:
    return start_url(json.dumps({"url": URL, **keys}).encode())


@each(
    ("keys", "expected"),
    [
        ({}, StartUrl(URL)),
        ({"version": 1, "method": "GET", "meta": None}, StartUrl(URL)),
        ({"meta": {}}, StartUrl(URL)),
        ({"priority": -3}, StartUrl(URL, priority=-3)),
        ({"priority": 1e300}, StartUrl(URL, priority=HIGHEST_PRIORITY)),
        ({"dont_filter": False}, StartUrl(URL, again=False)),
        ({"unknown": [1]}, StartUrl(URL, '{"unknown": [1]}')),
        ({"job": 1, "meta": {"job": 2}}, StartUrl(URL, '{"job": 2}')),
    ],
)
def test_each_key_is_read(keys, expected):
    assert told(**keys) == expected


@each("message", [URL, f" {URL}\n", f'{{"url": "{URL}"}}'])
def test_a_byte_order_mark_before_a_message_is_no_part_of_it(message):
    assert start_url(b"\xef\xbb\xbf" + message.encode()) == start_url(message.encode()) == StartUrl(URL)


@each("name", sorted(FETCHING | RESERVED))
def test_meta_that_changes_how_a_page_is_fetched_or_is_the_crawl_s_own_is_refused(name):
    with pytest.raises(MessageError, match=name):
        told(**{name: 1})
    with pytest.raises(MessageError, match=name):
        told(meta={name: 1})
