"""``read_articles``."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from newsspider import read_articles
from tests.library.saved import page


class Deadly(str):
    """A Content-Type that kills the process that unpickles it."""

    __slots__ = ()

    def __reduce__(self) -> tuple[object, ...]:
        return end_process, ()


def end_process() -> None:
    """Ends the process like a page that makes lxml crash."""
    os._exit(3)


@pytest.mark.slow
def test_records_come_in_the_order_of_their_pages_and_a_bad_page_costs_only_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pages = [page(number) for number in range(24)]
    broken = (b"\x00\x01" * 400, "http://edu.example.cn/broken")
    deadly = (b"<h1>", "http://edu.example.cn/deadly", Deadly("text/html"))
    records = list(read_articles([*pages[:3], broken, *pages[3:9], deadly, *pages[9:]], processes=2))
    assert [record["url"] for record in records] == [
        *(url for _, url in pages[:3]), broken[1], *(url for _, url in pages[3:9]), deadly[1], *(url for _, url in pages[9:]),
    ]  # fmt: skip
    errors = {record["url"]: record["error"] for record in records if "error" in record}
    assert set(errors) == {broken[1], deadly[1]}
    assert errors[deadly[1]] == "its process ended while it was read"
    assert "26/26" in capsys.readouterr().err


@pytest.mark.slow
def test_pages_are_read_lazily_as_records_are_consumed() -> None:
    pages_read = []

    def pages() -> Iterator[tuple[bytes, str]]:
        for number in range(1000):
            pages_read.append(number)
            yield page(number)

    records = read_articles(pages(), processes=2)
    assert next(records)["url"] == page(0)[1]
    records.close()  # type: ignore[attr-defined]
    assert len(pages_read) < 20


def test_a_single_process_reads_in_the_calling_process() -> None:
    records = list(read_articles(map(page, range(3)), processes=1))
    assert [record["url"] for record in records] == [page(number)[1] for number in range(3)]
    assert not any("error" in record for record in records)


def test_an_internal_error_is_reported_in_the_record_of_its_page() -> None:
    (record,) = read_articles([("no bytes", "http://a.cn/")], processes=1)  # type: ignore[list-item] # as people call it
    assert record["url"] == "http://a.cn/"
    assert "TypeError" in record["error"]  # type: ignore[typeddict-item]


def test_zero_processes_are_refused() -> None:
    with pytest.raises(ValueError, match="processes=0"):
        read_articles([], processes=0)


@pytest.mark.slow
def test_a_script_without_the_main_guard_gets_a_helpful_error(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from newsspider import read_articles\nlist(read_articles([(b'<h1>', 'http://a.cn/')], processes=2))\n")
    process = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert process.returncode == 1
    assert process.stderr.rstrip().endswith('below `if __name__ == "__main__":`')
