"""The page of a site: its channels as they were polled."""

import re
from dataclasses import replace

from sqlalchemy import update

from newsspider.core.scheduling.publication_rate import UNKNOWN
from newsspider.sites.model import Channel, from_home
from newsspider.store import sites as registry
from newsspider.store.engine.database import writing
from newsspider.store.tables import channels
from tests.features.console.conftest import TODAY


def test_channels_stand_by_weight_and_one_without_links_has_no_green_dot(console, filled) -> None:
    site = from_home("http://x.cn/")
    lists = [Channel(name, f"http://x.cn/{weight}", weight) for name, weight in (("一般", 5), ("要闻", 9), ("互动", 1))]
    with writing(filled) as conn:
        registry.put(conn, replace(site, channels=(*site.channels, *lists)), TODAY.timestamp())
        of_site = channels.c.site == "x.cn"
        polled = {"last_polled_at": TODAY.timestamp(), "last_status": 200, "last_links": 30, "rate": UNKNOWN.rate}
        conn.execute(update(channels).where(of_site, channels.c.name != "一般").values(**polled))
        conn.execute(update(channels).where(of_site, channels.c.name == "互动").values(last_links=0, rate=0.5))
    rules = console.get("/site-rules/x.cn").text
    assert re.findall(r'<a href="([^"]*)" aria-current="page">', rules) == ["/sites"]
    page = console.get("/sites/x.cn").text
    rows = re.findall(r'<i class="dot(.*?)"></i><a [^>]*>(.*?)</a>', page.split("<tbody>")[1])
    assert rows == [("", "要闻"), ("", "首页"), (" off", "一般"), (" warn", "互动")]
    assert f"{UNKNOWN.rate:.1f}" not in page, "nothing is known of it yet"
    assert 'class="n">0.5</td>' in page
    assert "没有链接" in page
    assert page.count("还没有读过") == 1
