"""A page that waits, or takes, longer than its lease stays with its worker as long as that lives."""

import time
from contextlib import ExitStack
from pathlib import Path

from tests.support.portal import rows, start
from tests.support.serving import QUICK, Answer, article, listing, served

HOSTS = [f"127.0.0.{n}" for n in range(101, 105)]
SLOW_SECONDS = 1.5  # for a list: the last of four has waited for three times as long
SHORT = ("-s", "LEASE_SECONDS=2", "-s", "DOWNLOAD_TIMEOUT=2", "-s", "DOWNLOAD_FIRST_BYTE_SECONDS=2")
ONE_BY_ONE = ("-s", "CONCURRENT_REQUESTS=1", "-s", "LEASES_AHEAD=4")


def test_pages_that_wait_longer_than_their_lease_are_fetched_once_by_two_workers(tmp_path: Path) -> None:
    def play(path: str, times: int) -> Answer:
        if path == "/robots.txt":
            return 404, "", {}
        if path.startswith("/2024/"):
            return article(1)
        time.sleep(SLOW_SECONDS)
        return listing(1)

    database = tmp_path / "n.db"
    with ExitStack() as stack:
        hosts = [stack.enter_context(served(host, play)) for host in HOSTS]
        sites = sites_of(tmp_path, [base for base, _ in hosts])
        command = ("crawl", "education", "-a", f"sites={sites}", *QUICK, *SHORT, *ONE_BY_ONE)
        workers = [start(database, *command, log=tmp_path / f"log{n}") for n in range(2)]
        codes = [worker.wait(240) for worker in workers]
    logs = [(tmp_path / f"log{n}").read_text("utf-8") for n in range(2)]
    assert codes == [0, 0], logs
    assert [requests["/list"] for _, requests in hosts] == [1] * len(HOSTS)
    assert not [log for log in logs if "pool/leases_ended" in log or "store/late" in log]
    assert rows(database, "SELECT count(*) FROM urls WHERE deaths > 0 OR state = 'processing'") == [(0,)]


def sites_of(folder: Path, bases: list[str]) -> Path:
    """One site with a list on each host."""
    head = f'name = "s"\nhome = "{bases[0]}/"\nweight = 5\nmedia_class = "portal"\ndelay_seconds = 0.01\ndelay_reason = "a test"\n'
    lists = [f'[[channels]]\nname = "c{n}"\nurl = "{base}/list"\nweight = 5\nkind = "list"\n' for n, base in enumerate(bases)]
    (folder / "s.toml").write_text(head + "".join(lists), encoding="utf-8")
    return folder / "s.toml"
