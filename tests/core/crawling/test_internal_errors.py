"""What an internal error reports, and how many of them stop a crawl."""

import errno
import weakref

import pytest

from newsspider.core.crawling.internal_errors import (
    ERRORS_OF_FEW_HOSTS,
    FEWEST_ERRORS,
    Shortage,
    forget_frames,
    outage_of,
    place_of,
    shortage_of,
)
from tests.support.tables import each


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@each(
    ("error", "shortage"),
    [
        (OSError(errno.EMFILE, "Too many open files"), Shortage.FILES),
        (OSError(errno.ENFILE, ""), Shortage.FILES),
        (OSError(errno.ENOSPC, ""), Shortage.DISK),
        (OSError(errno.ENOMEM, ""), Shortage.MEMORY),
        (MemoryError(), Shortage.MEMORY),
        (RuntimeError("can't start new thread"), Shortage.THREADS),
        (caused(ConnectionError("no connection"), OSError(errno.EMFILE, "")), Shortage.FILES),
        (ExceptionGroup("both", [KeyError(), MemoryError()]), Shortage.MEMORY),
        (FileNotFoundError(errno.ENOENT, "No such file"), None),
        (ConnectionRefusedError(errno.ECONNREFUSED, ""), None),
        (RuntimeError("anything"), None),
        (KeyError("x"), None),
    ],
)
def test_an_error_or_one_behind_it_names_the_resource_that_ran_out(error: BaseException, shortage: Shortage | None) -> None:
    assert shortage_of(error) is shortage


def test_a_cycle_of_exception_causes_does_not_loop_forever() -> None:
    first, second = KeyError("one"), KeyError("other")
    first.__cause__, second.__cause__ = second, first
    assert shortage_of(first) is None


def test_the_kind_of_an_error_says_where_it_was_raised() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        _ = 1 / 0
    assert place_of(caught.value).startswith("ZeroDivisionError at crawling/test_internal_errors.py:")


@each("file", ["<frozen importlib._bootstrap_external>", "<string>", "spider.py", ""])
def test_an_error_in_code_without_a_folder_still_has_a_place(file: str) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile("1 / 0", file, "exec"))
    assert place_of(caught.value) == f"ZeroDivisionError at {file}:1"


def outage(read: dict[str, int], failed: dict[str, int]) -> bool:
    both = ((False, read), (True, failed))
    return outage_of([(host, fails) for fails, hosts in both for host, times in hosts.items() for _ in range(times)]) is not None


HOSTS = [f"{n}.cn" for n in range(16)]


@each(
    ("read", "failed", "stops"),
    [
        ({}, {}, False),
        ({}, {"0.cn": FEWEST_ERRORS + 1}, False),  # the lists of the only host, each tried twice
        ({}, {"0.cn": ERRORS_OF_FEW_HOSTS + 1}, True),  # nothing else was requested
        ({"0.cn": ERRORS_OF_FEW_HOSTS + 1}, {"0.cn": ERRORS_OF_FEW_HOSTS + 1}, False),
        ({"0.cn": 1}, {"1.cn": 200}, False),  # one of two hosts
        ({}, {"0.cn": FEWEST_ERRORS, "1.cn": 1}, False),
        ({}, dict.fromkeys(HOSTS[:3], FEWEST_ERRORS), True),
        (dict.fromkeys(HOSTS, 5), {"0.cn": 200}, False),  # a single host never stops a crawl
        (dict.fromkeys(HOSTS, 5), dict.fromkeys(HOSTS[:8], 9), False),
        (dict.fromkeys(HOSTS, 5), dict.fromkeys(HOSTS[:9], 1), True),
        (dict.fromkeys(HOSTS, 30), dict.fromkeys(HOSTS[:9], 1), False),  # 9 of 489 are less than a fiftieth
    ],
)
def test_errors_on_most_hosts_stop_a_crawl_and_those_of_one_host_do_not(
    read: dict[str, int], failed: dict[str, int], stops: bool
) -> None:
    assert outage(read, failed) is stops


class Page:
    """Stands for a page of many megabytes."""


def test_a_handled_error_and_its_cause_keep_no_page_alive() -> None:
    pages: list[weakref.ref[Page]] = []

    def unpack() -> None:
        page = Page()
        pages.append(weakref.ref(page))
        raise ValueError("damaged")

    def fetch() -> BaseException:
        try:
            unpack()
        except ValueError as error:
            return caused(ConnectionError("no page"), error)
        raise AssertionError

    error = fetch()
    assert pages[0]() is not None
    forget_frames(error)
    assert pages[0]() is None
