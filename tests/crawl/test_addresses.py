"""Two hosts at one address together are asked at the rate of one."""

import time
from itertools import pairwise
from pathlib import Path

from tests.support.hosts import SITE
from tests.support.portal import rows, scrapy
from tests.support.serving import Answer, article, listing, served

HOST, OTHER = "127.0.0.98", "127.0.0.99"
DELAY = 0.4


def test_two_hosts_at_one_address_are_asked_no_oftener_than_one(tmp_path: Path) -> None:
    sent: list[float] = []

    def played(first: int):
        def play(path: str, times: int) -> Answer:
            sent.append(time.monotonic())
            if path == "/robots.txt":
                return 404, "", {}
            return listing(*range(first, first + 4)) if path == "/list/" else article(int(path[-9:-5]))

        return play

    folder = tmp_path / "sites"
    folder.mkdir()
    with served("127.0.0.84", played(10)) as (first_base, _), served("127.0.0.84", played(20)) as (second_base, _):
        for name, base in (("one", first_base), ("other", second_base)):
            (folder / f"{name}.toml").write_text(SITE.format(name=name, base=base, delay=DELAY), encoding="utf-8")
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={folder}", "-s", "DELAY_FACTOR=0")
    assert done.returncode == 0, done.stderr[-2000:]
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM articles") == [(8,)]
    gaps = [later - earlier for earlier, later in pairwise(sorted(sent))]
    assert len(sent) == 12
    assert min(gaps) >= DELAY
    assert rows(tmp_path / "n.db", "SELECT count(*) FROM addresses WHERE busy_key IS NULL") == [(1,)]


def test_a_robots_file_at_another_host_does_not_move_the_host_to_its_address(tmp_path: Path) -> None:
    addresses: list[tuple[str, ...]] = []

    def play(path: str, times: int) -> Answer:
        addresses.extend(rows(tmp_path / "n.db", "SELECT address FROM hosts"))
        return 200, "User-agent: *\nDisallow: /", {"Content-Type": "text/plain"}

    with (
        served(OTHER, play) as (other, elsewhere),
        served(HOST, lambda path, times: (301, "", {"Location": f"{other}/robots.txt"})) as (base, requests),
    ):  # fmt: skip
        file = tmp_path / "site.toml"
        file.write_text(SITE.format(name="one", base=base, delay=DELAY), encoding="utf-8")
        done = scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={file}")
    assert (dict(requests), dict(elsewhere)) == ({"/robots.txt": 1}, {"/robots.txt": 1}), done.stderr[-2000:]
    assert addresses == [(HOST,)]
