"""The sample portal as a server: every page is served as its truth says, bad behaviour and wrong declarations included."""

import gzip
import re
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from html import unescape
from http.client import IncompleteRead
from pathlib import Path
from typing import Any

import pytest

from newsspider.features.attention.rules.map_tiles import TILES
from tests.support.events import until
from tests.support.sample_portal import ROOT, Portal, portal
from tests.support.servers import free_port

LIMIT = 1.5  # seconds to the first byte that the tests wait for; --fast makes slow pages 0.2 s


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Portal, Path]]:
    sites = tmp_path_factory.mktemp("portal") / "sites"
    with portal("--fast", "--sites-dir", str(sites)) as served:
        yield served, sites


@pytest.fixture
def fresh(running: tuple[Portal, Path]) -> Portal:
    running[0].post("/__reset__")
    return running[0]


def articles(served: Portal, fate: str) -> list[dict[str, Any]]:
    pages = [page for page in served.json("/__truth__")["pages"] if page.get("fate") == fate and page["published"]]
    assert pages
    return pages


def test_every_page_is_served_as_its_truth_says(fresh: Portal) -> None:
    truth = fresh.json("/__truth__")
    codecs = {site["name"]: site["codec"] for site in truth["sites"]}
    for page in truth["pages"]:
        if page.get("fate") in ("too_slow", "truncated", "error_once", "limited_once"):
            continue
        served = fresh.get(page["url"])
        assert served.status == page["status"], page
        if page["kind"] == "redirect":
            assert page["to"].endswith(served.headers["location"])
        elif "relevant" in page and served.status == 200:
            bodies = [served.body, *(fresh.get(url).body for url in page["parts"][1:])]
            text = "".join(unescape(body.decode(codecs[page["site"]])) for body in bodies)
            assert page["title"] in text
            assert all(paragraph in text for paragraph in page["text"].split("\n"))
            assert ('<meta name="robots" content="noindex' in text) == page["noindex"]


def test_charsets_are_declared_wrongly_where_the_truth_says_so(fresh: Portal) -> None:
    truth = fresh.json("/__truth__")
    wrong = set()
    for site in truth["sites"]:
        page = next(
            p for p in truth["pages"] if p["site"] == site["name"] and p.get("fate") == "fine" and p["published"]
        )
        served = fresh.get(page["url"])
        header = re.search("charset=(.*)", served.headers["content-type"])
        meta = re.search(rb'charset="?([\w-]+)', served.body)
        assert (header[1] if header else None) == site["header"]
        assert meta is not None
        assert meta[1].decode() == site["meta"]
        assert page["text"][:20] in unescape(served.body.decode(site["codec"]))
        if page["text"][:20] not in unescape(served.body.decode(site["header"] or site["meta"], "replace")):
            wrong.add((site["codec"], site["header"], site["meta"]))
    assert wrong == {("gbk", "utf-8", "gb2312"), ("gbk", "ISO-8859-1", "gbk"), ("utf-8", None, "gb2312")}


def test_pages_that_fail_once_are_well_the_second_time_until_reset(fresh: Portal) -> None:
    failing, limited = articles(fresh, "error_once")[0]["url"], articles(fresh, "limited_once")[0]["url"]
    for _ in range(2):
        fresh.post("/__reset__")
        assert [fresh.get(failing).status for _ in range(3)] == [500, 200, 200]
        refused = fresh.get(limited)
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        assert fresh.get(limited).status == 200


def test_a_truncated_page_ends_before_the_length_that_it_announced(fresh: Portal) -> None:
    with pytest.raises(IncompleteRead):
        fresh.get(articles(fresh, "truncated")[0]["url"])


def test_slow_pages_answer_within_the_limit_and_too_slow_ones_do_not(fresh: Portal) -> None:
    began = time.monotonic()
    assert fresh.get(articles(fresh, "slow")[0]["url"], timeout=LIMIT).status == 200
    assert time.monotonic() - began > 0.15
    with pytest.raises(TimeoutError):
        fresh.get(articles(fresh, "too_slow")[0]["url"], timeout=LIMIT)


def test_two_names_of_one_address_are_two_sites(fresh: Portal) -> None:
    port = fresh.base.rsplit(":", 1)[1]
    title = re.compile(rb"<title>(.*?)</title>")
    titles = [title.search(fresh.get("/", Host=f"{name}:{port}").body) for name in ("127.0.0.1", "localhost")]
    assert [match and match[1] for match in titles] == ["启明教育网".encode(), "云川招生考试信息港".encode("gbk")]


def test_session_ids_change_with_every_answer_and_lead_to_the_same_article(fresh: Portal) -> None:
    truth = fresh.json("/__truth__")
    forum = next(site["home"] for site in truth["sites"] if site["template"] == "forum")
    links = [re.findall(rb"/thread-\d+-1-1\.html\?PHPSESSID=\w{26}", fresh.get(forum).body) for _ in range(2)]
    assert links[0]
    assert not set(links[0]) & set(links[1])
    first, second = (fresh.get(forum.rstrip("/") + matches[0].decode()).body for matches in links)
    sessions = re.compile(rb"PHPSESSID=\w{26}")
    assert sessions.sub(b"", first) == sessions.sub(b"", second)


def test_tracking_parameters_make_no_other_page(fresh: Portal) -> None:
    url = next(page["url"] for page in articles(fresh, "fine") if page["site"] == "启明教育网")
    assert fresh.get(f"{url}?utm_source=home&spm=a.b").body == fresh.get(url).body


def test_hits_tell_what_was_asked_for_and_reset_forgets_them(fresh: Portal) -> None:
    fresh.get("/yaowen/", User_Agent="tester/1.0")
    fresh.get("/nothing")
    (first, second) = fresh.json("/__hits__")
    assert (first["path"], first["status"], first["user_agent"]) == ("/yaowen/", 200, "tester/1.0")
    assert (second["path"], second["status"], second["host"]) == ("/nothing", 404, fresh.base.removeprefix("http://"))
    assert abs(first["t"] - time.time()) < 60
    fresh.post("/__reset__")
    assert fresh.json("/__hits__") == []


def test_an_unchanged_page_is_not_sent_again(fresh: Portal) -> None:
    etag = fresh.get("/yaowen/").headers["etag"]
    again = fresh.get("/yaowen/", If_None_Match=etag)
    assert (again.status, again.body) == (304, b"")


def test_one_site_compresses_for_those_who_accept_it(fresh: Portal) -> None:
    url = next(page["url"] for page in articles(fresh, "fine") if page["site"] == "云川理工大学新闻网")
    packed = fresh.get(url, Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == fresh.get(url).body


def test_a_film_and_files_say_what_they_are(fresh: Portal) -> None:
    kinds = {page["kind"]: page["url"] for page in fresh.json("/__truth__")["pages"]}
    assert kinds["video"].endswith(".shtml")
    assert fresh.get(kinds["video"]).headers["content-type"] == "video/mp4"
    assert fresh.get(kinds["attachment"]).headers["content-type"] in ("application/pdf", "application/msword")
    assert fresh.get(kinds["image"]).headers["content-type"] == "image/jpeg"


def test_site_files_name_pages_that_are_served(running: tuple[Portal, Path]) -> None:
    served, folder = running
    files = sorted(folder.glob("*.toml"))
    sites = [tomllib.loads(file.read_text("utf-8")) for file in files]
    assert len(sites) >= 8
    assert len(TILES.keys() & {site.get("region") for site in sites}) >= 5  # the map of their articles shows something
    for site in sites:
        assert site["delay_reason"]
        assert {channel["kind"] for channel in site["channels"]} <= {"home", "list", "channel", "rolling", "feed", "sitemap"}
        assert [served.get(channel["url"]).status for channel in site["channels"]] == [200] * len(site["channels"])


def test_news_is_published_and_changed_and_removed_as_the_held_clock_is_moved() -> None:
    with portal("--fast", "--articles", "300") as served:
        truth_before = served.json("/__truth__")
        assert served.json("/__clock__")["held"]
        served.post("/__clock__", advance=1000)
        after = {page["url"]: page for page in served.json("/__truth__")["pages"]}
        appeared = [p for p in truth_before["pages"] if p.get("published") is False and after[p["url"]]["published"]]
        assert len(appeared) >= 20
        rolling = served.get("http://127.0.0.7:" + served.base.rsplit(":", 1)[1] + "/scroll-news.shtml").body.decode(
            "gbk"
        )
        assert max(appeared, key=lambda page: page["published_at"])["title"] in rolling
        for fate in ("changing", "vanishing"):
            page = next(page for page in truth_before["pages"] if page.get("fate") == fate)
            answer = served.get(page["url"])
            assert answer.status == after[page["url"]]["status"] == (200 if fate == "changing" else 410)
            assert after[page["url"]]["title"] != page["title"] or fate == "vanishing"


def test_a_running_clock_moves_by_itself_and_can_be_held() -> None:
    with portal("--articles", "60", "--clock", "running") as served:
        first = served.json("/__clock__")["seconds"]
        until(lambda: served.json("/__clock__")["seconds"] > first, served.process, 10)
        served.post("/__clock__", hold=True)
        assert served.json("/__clock__")["seconds"] == served.json("/__clock__")["seconds"]
        assert served.post("/__clock__", faster=2).status == 400


def test_a_port_in_use_is_reported_in_one_sentence() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", free_port()))
        listener.listen()
        port = str(listener.getsockname()[1])
        command = [sys.executable, "-m", "demo", "serve", "--port", port]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 2
    assert port in done.stderr
    assert "Traceback" not in done.stderr


def test_too_few_articles_are_refused() -> None:
    command = [sys.executable, "-m", "demo", "serve", "--port", "0", "--articles", "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 2
    assert "at least 30" in done.stderr
