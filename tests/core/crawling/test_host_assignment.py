"""Hosts are dealt out evenly, and few of them move when a worker comes or goes."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.crawling.host_assignment import assigned_hosts

WORKERS = [f"w{n}" for n in range(4)]


def free(count: int) -> dict[str, str | None]:
    return {f"h{n}.cn": None for n in range(count)}


def moved(before: dict[str, str], after: dict[str, str]) -> int:
    return sum(after[host] != worker for host, worker in before.items())


def test_forty_hosts_are_ten_for_each_of_four() -> None:
    assert set(Counter(assigned_hosts(free(40), WORKERS).values()).values()) == {10}


@given(st.dictionaries(st.text(max_size=4), st.sampled_from([None, *WORKERS, "gone"])), st.sets(st.sampled_from(WORKERS), min_size=1))
def test_nobody_has_more_than_one_host_more_than_another(hosts: dict[str, str | None], workers: set[str]) -> None:
    dealt = assigned_hosts(hosts, workers)
    counts = Counter(dealt.values())
    numbers = [counts[worker] for worker in workers]
    assert set(dealt) == set(hosts)
    assert sum(numbers) == len(hosts)
    assert max(numbers) - min(numbers) <= 1


@given(st.sets(st.text(max_size=4)), st.permutations(WORKERS))
def test_the_assignment_does_not_depend_on_the_order_of_hosts_or_workers(hosts: set[str], workers: list[str]) -> None:
    assert assigned_hosts(dict.fromkeys(hosts), workers) == assigned_hosts(dict.fromkeys(sorted(hosts)), WORKERS)


@given(st.sets(st.text(max_size=4)))
def test_assigning_again_moves_no_host(hosts: set[str]) -> None:
    dealt = assigned_hosts(dict.fromkeys(hosts), WORKERS)
    assert assigned_hosts(dict(dealt), WORKERS) == dealt


def test_a_worker_that_comes_takes_its_share_and_nothing_else_moves() -> None:
    before = assigned_hosts(free(40), WORKERS)
    after = assigned_hosts(dict(before), [*WORKERS, "w9"])
    assert moved(before, after) == 8
    assert Counter(after.values())["w9"] == 8


def test_when_a_worker_leaves_only_its_hosts_move() -> None:
    before = assigned_hosts(free(40), WORKERS)
    after = assigned_hosts(dict(before), WORKERS[1:])
    assert moved(before, after) == 10
    assert max(Counter(after.values()).values()) == 14


def test_without_workers_no_host_is_assigned() -> None:
    assert assigned_hosts(free(3), []) == {}
