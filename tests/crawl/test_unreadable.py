"""Answers whose bytes are no page: they are no articles, are asked for again, and say what is wrong; their neighbours are stored."""

import random
from pathlib import Path

from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, Answer, article, listing, served, site


def damaged(body: bytes) -> bytes:
    dice = random.Random(4)
    return bytes(dice.randrange(256) if byte > 0x7F and dice.random() < 0.2 else byte for byte in body)


def page(n: int) -> bytes:
    return str(article(n)[1]).encode()


BODIES = {
    2: (page(2), {"Content-Encoding": "gzip"}),
    3: (page(3)[:200] + random.Random(3).randbytes(20_000), {"Content-Encoding": "gzip"}),
    4: (damaged(page(4)), {"Content-Type": "text/html; charset=utf-8"}),
    5: (page(5).decode().encode("utf-8").decode("cp1252", "ignore").encode(), {}),
    6: (b"%PDF-1.7\n" + page(6), {}),
}
WHY = {2: "Content-Encoding", 3: "Content-Encoding", 4: "characters", 5: "another charset", 6: "PDF"}
MENDED = 7


def test_a_damaged_page_is_no_article_until_it_is_mended(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt":
            return 404, "", {}
        if not path.startswith("/2024/"):
            return listing(1, *BODIES, MENDED)
        n = int(path[-9:-5])
        if n == MENDED:
            return 200, damaged(page(n)) if times == 1 else page(n), {"Content-Type": "text/html; charset=utf-8"}
        return (200, *BODIES[n]) if n in BODIES else article(n)

    database = tmp_path / "n.db"
    with served("127.0.0.88", play) as (base, requests):
        done = scrapy(database, "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert "'pages/unreadable': 16" in done.stderr
    outcomes = {url[-9:-5]: row for url, *row in rows(database, "SELECT url, state, reason, detail FROM urls WHERE url LIKE '%/2024/%'")}
    for n, why in WHY.items():
        state, reason, detail = outcomes[f"{n:04}"]
        assert (state, reason) == ("error", "unreadable")
        assert why in detail
        assert requests[f"/2024/0501/1{n:04}.html"] == 3
    assert rows(database, "SELECT count(*) FROM articles") == [(2,)]
    assert [outcomes[f"{n:04}"][1] for n in (1, MENDED)] == ["stored", "stored"]
