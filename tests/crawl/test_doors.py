"""Lists of other programs: RSSHub by `rsshub://`, and feeds that bring whole articles along, as bridges of WeChat do."""

import json
import os
import shutil
import subprocess
import urllib.request
from html import escape
from pathlib import Path

import pytest

from tests.support.events import until
from tests.support.portal import rows, scrapy
from tests.support.servers import free_port
from tests.support.serving import QUICK, Answer, article, served

TITLES = ("全市中小学课后服务工作现场会召开", "今年高校毕业生就业指导课程开讲了")
PARAGRAPH = "记者从市教育局获悉，全市中小学开展课后服务，教师和家长参加了座谈会，会上介绍了课程安排与阅读活动的做法。"


def html(title: str) -> str:
    """An article of WeChat, with styles; one picture by way of the bridge, one of its own."""
    return _HTML.replace("教师", title[:12])  # or the second would be a reprint


_HTML = (
    '<section class="rich_media_content" style="visibility: hidden; color: #222">'
    + "".join(f'<p style="margin: 0">第{n}段：{PARAGRAPH}</p>' for n in range(1, 5))
    + '<p><img src="/static/res/logo/http://img.example/1.jpg" alt="座谈会现场"></p><p><img src="/pictures/2.jpg"></p></section>'
)
CAPTCHA = "<html><head><meta charset=utf-8><title>验证</title></head><body><p>环境异常，完成验证后即可继续访问</p></body></html>"
MOMENT, ISO = "Thu, 26 Nov 2026 08:30:00 +0800", "2026-11-26T08:30:00+08:00"


def entry_of_we_mp_rss(url: str, title: str) -> str:
    """As we-mp-rss writes it: the markup escaped in content:encoded, in its own CDATA, the picture as an enclosure."""
    return (
        f"<item><id>3-1</id><title>{title}</title><description>摘要</description><guid>{url}</guid>"
        '<enclosure url="http://img.example/1.jpg" length="0" type="image/jpeg"></enclosure>'
        f"<content:encoded>{escape(f'<![CDATA[{html(title)}]]>')}</content:encoded><link>{url}</link><pubDate>{MOMENT}</pubDate></item>"
    )


def entry_of_wewe_rss(url: str, title: str) -> str:
    """As wewe-rss writes RSS: the markup in the description."""
    head = f"<title><![CDATA[{title}]]></title><link>{url}</link><guid>{url}</guid><pubDate>{MOMENT}</pubDate>"
    return f"<item>{head}<description><![CDATA[{html(title)}]]></description></item>"


def entry_of_atom(url: str, title: str) -> str:
    """As wewe-rss writes Atom."""
    head = f'<title type="html"><![CDATA[{title}]]></title><id>{url}</id><link href="{url}"/><updated>{ISO}</updated>'
    return f'<entry>{head}<summary type="html"><![CDATA[{html(title)}]]></summary></entry>'


def rss(*entries: str) -> str:
    return (
        '<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>号</title>'
        f"{''.join(entries)}</channel></rss>"
    )


def atom(*entries: str) -> str:
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>号</title>{"".join(entries)}</feed>'


def site(folder: Path, home: str, *urls: str) -> Path:
    channels = "".join(f'[[channels]]\nname = "c{n}"\nurl = "{url}"\nkind = "feed"\n' for n, url in enumerate(urls))
    file = folder / "site.toml"
    file.write_text(f'name = "号"\nhome = "{home}/"\nweight = 5\nmedia_class = "official"\ndelay_seconds = 0.01\n'
        f'delay_reason = "a test"\n{channels}', encoding="utf-8")
    return file


def crawled(folder: Path, file: Path, *options: str) -> list[dict]:
    """The stored articles of a round."""
    database = folder / "n.db"
    arguments = ("-a", f"sites={file}", "-a", "topic=any", *QUICK, *options)
    ran = scrapy(database, "crawl", "education", *arguments)
    out = scrapy(database, "export", "--fields", "all")
    found = [json.loads(line) for line in out.stdout.splitlines()]
    assert found or "refused" in ran.stderr, ran.stderr
    return sorted(found, key=lambda one: one["url"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "feed"),
    [
        pytest.param(entry_of_we_mp_rss, rss, id="we-mp-rss"),
        pytest.param(entry_of_wewe_rss, rss, id="wewe-rss"),
        pytest.param(entry_of_atom, atom, id="wewe-rss, Atom"),
    ],
)
@pytest.mark.parametrize("page", ["robots", "captcha", "gone"])
def test_an_article_whose_page_cannot_be_had_is_read_from_its_feed(tmp_path: Path, entry, feed, page: str) -> None:
    def pages(path: str, times: int) -> Answer:
        if path == "/robots.txt":
            rules = "User-agent: *\nDisallow: /" if page == "robots" else ""
            return 200, rules, {"Content-Type": "text/plain"}
        if path == "/s/2" and page != "robots":
            return article(2)
        if page == "gone":
            return 404, "", {}
        return 200, CAPTCHA, {}

    with served("127.0.12.11", pages) as (home, _):

        def bridge(path: str, times: int) -> Answer:
            if path == "/robots.txt":
                return 404, "", {}
            return 200, feed(*(entry(f"{home}/s/{n}", title) for n, title in enumerate(TITLES, 1))), {"Content-Type": "application/xml"}

        with served("127.0.12.12", bridge) as (base, _):
            found = crawled(tmp_path, site(tmp_path, home, f"{base}/feeds/MP_WXS_1.rss"))
    by_url = {one["url"].rpartition("/")[2]: one for one in found}
    first = by_url["1"]
    assert (first["title"], first["published_at"][:16]) == (TITLES[0], ISO[:16])
    assert "第1段：记者从市教育局获悉" in first["text"]
    assert "CDATA" not in first["text"]
    assert [image["url"] for image in first["images"]] == ["http://img.example/1.jpg", f"{base}/pictures/2.jpg"]
    if page == "robots":
        assert by_url["2"]["title"] == TITLES[1]
    else:
        assert by_url["2"]["title"].startswith("学校教育改革座谈会"), "a page that can be had is read itself"


@pytest.mark.slow
def test_a_list_of_rsshub_is_asked_at_the_instance_of_the_settings_and_keeps_its_key(tmp_path: Path) -> None:
    with served("127.0.12.13", lambda path, times: article(int(path[-1])) if path != "/robots.txt" else (404, "", {})) as (home, _):

        def hub(path: str, times: int) -> Answer:
            entries = (f"<item><title>{title}</title><link>{home}/s/{n}</link></item>" for n, title in enumerate(TITLES, 1))
            return (404, "", {}) if path == "/robots.txt" else (200, rss(*entries), {"Content-Type": "application/xml"})

        file = site(tmp_path, home, "rsshub://gov/moe/newest?limit=2")
        with served("127.0.12.14", hub) as (base, counts):
            found = crawled(tmp_path, file, "-s", f"RSSHUB_URL={base}/")
        assert counts == {"/robots.txt": 1, "/gov/moe/newest?limit=2": 1}
    assert len(found) == 2
    assert rows(tmp_path / "n.db", "SELECT url FROM channels WHERE site = '号'") == [("http://rsshub.invalid/gov/moe/newest?limit=2",)]
    shown = scrapy(tmp_path / "n.db", "sites", "show", "号").stdout
    assert 'url = "rsshub://gov/moe/newest?limit=2"' in shown


@pytest.mark.slow
def test_without_an_instance_nothing_is_asked_and_the_setting_is_named(tmp_path: Path) -> None:
    file = site(tmp_path, "http://127.0.12.15", "rsshub://test/1")
    ran = scrapy(tmp_path / "n.db", "sites", "test", str(file))
    assert ran.returncode == 1
    assert "rsshub:// needs RSSHUB_URL" in ran.stdout


@pytest.mark.long
def test_the_real_rsshub_answers(tmp_path: Path) -> None:
    folder = Path(os.environ.get("RSSHUB_FOLDER", "node_modules/rsshub"))
    start = next((file.resolve() for file in (folder / "dist/index.mjs", folder / "lib/index.js") if file.exists()), None)
    node = shutil.which("node")
    if node is None or start is None:
        pytest.skip("there is no RSSHub: `npm install rsshub`, then RSSHUB_FOLDER=node_modules/rsshub")
    port = free_port()
    own = {**os.environ, "PORT": str(port), "LISTEN_INADDR_ANY": "0", "DISALLOW_ROBOT": "0", "NODE_ENV": "production"}
    with subprocess.Popen([node, str(start)], env=own, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as hub:
        try:
            until(lambda: _answers(f"http://127.0.0.1:{port}/test/1"), hub)
            file = site(tmp_path, "https://github.com", "rsshub://test/1")
            ran = scrapy(tmp_path / "n.db", "sites", "test", str(file), "-s", f"RSSHUB_URL=http://127.0.0.1:{port}")
        finally:
            hub.terminate()
    assert "c0 http://rsshub.invalid/test/1: 5 article links" in ran.stdout, ran.stdout + ran.stderr


def _answers(url: str) -> bool:
    """Whether a route is there: RSSHub loads it when it is asked for the first time."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status == 200
    except OSError:
        return False
