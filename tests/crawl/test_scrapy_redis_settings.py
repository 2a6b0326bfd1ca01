"""Settings of scrapy-redis that hold anyway, or are refused with a sentence."""

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from newsspider.crawl.setting_checks import HOLDS, check_scrapy_redis
from tests.support.commands import database, scrapy

__all__ = ["database", "scrapy"]


def test_defaults_of_scrapy_redis_and_values_that_hold_anyway_are_accepted():
    check_scrapy_redis(BaseSettings())
    check_scrapy_redis(BaseSettings({name: value for name, (value, _) in HOLDS.items()}))
    check_scrapy_redis(BaseSettings({"SCHEDULER_PERSIST": True, "SCHEDULER_FLUSH_ON_START": "0"}))


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("SCHEDULER_PERSIST", False, "the ledger keeps what was found; name another DATABASE_URL for an empty one"),
        ("SCHEDULER_FLUSH_ON_START", "1", "no start empties the ledger"),
        ("SCHEDULER_QUEUE_CLASS", "scrapy_redis.queue.LifoQueue", "the ledger decides what is next"),
        ("SCHEDULER_QUEUE_KEY", "mine", "no request waits in Redis"),
        ("SCHEDULER_DUPEFILTER_KEY", "mine", "the ledger knows every URL"),
        ("SCHEDULER_SERIALIZER", "json", "no request is serialized"),
    ],
)
def test_other_values_are_refused_with_a_way_out(name, value, sentence):
    with pytest.raises(UsageError, match=f"^{name}={value}: {sentence}.*custom_settings$"):
        check_scrapy_redis(BaseSettings({name: value}))


def test_a_crawl_is_refused_before_it_starts_and_other_commands_are_not(scrapy):
    ran = scrapy("crawl", "education", SCHEDULER_FLUSH_ON_START="1")
    assert (ran.code, ran.out, "SCHEDULER_FLUSH_ON_START=1: no start empties" in ran.err) == (2, "", True)
    assert scrapy("status", SCHEDULER_FLUSH_ON_START="1").code == 0
