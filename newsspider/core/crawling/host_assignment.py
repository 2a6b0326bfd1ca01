"""Host assignment: workers get hosts by consistent hashing, without work stealing, so that no worker has more than one
host more than another. ``FRONTIER_ASSIGNMENT`` of ``settings.py`` says how strictly a crawl keeps to it;
``store/workers.py`` says when a worker counts as dead."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import blake2b


def assigned_hosts(hosts: Mapping[str, str | None], workers: Collection[str]) -> dict[str, str]:
    """The worker of each host; ``hosts`` gives the previous one. Empty if there are no workers.

    A free host goes to the worker with the highest hash for it (rendezvous hashing, Thaler and Ravishankar 1998) among
    those that have fewer hosts than their share (bounded loads, Mirrokni, Thorup and Zadimoghaddam 2018). Hashes alone
    would give one of four workers thirteen of forty hosts and another one seven. A host keeps its worker unless that
    is gone or has too many hosts, so a worker that comes or goes moves its own share and hardly any other.

    >>> sorted(assigned_hosts({"a.cn": None, "b.cn": None}, ["w1", "w2"]).values())
    ['w1', 'w2']
    >>> assigned_hosts({"a.cn": "w2", "b.cn": "w2"}, ["w2"])
    {'a.cn': 'w2', 'b.cn': 'w2'}
    """
    if not workers:
        return {}
    hosts_of: dict[str, list[str]] = {worker: [] for worker in workers}
    free: list[str] = []
    for host, worker in hosts.items():
        hosts_of.get(worker or "", free).append(host)
    numbers = _numbers(len(hosts), {worker: len(own) for worker, own in hosts_of.items()})
    for worker, own in hosts_of.items():
        if len(own) > numbers[worker]:
            own.sort(key=lambda host: _weight(worker, host), reverse=True)
            free += own[numbers[worker] :]
            del own[numbers[worker] :]
    for host in sorted(free, key=lambda host: _weight("", host)):
        open_ones = [worker for worker, own in hosts_of.items() if len(own) < numbers[worker]]
        hosts_of[max(open_ones, key=lambda worker: _weight(worker, host))].append(host)
    return {host: worker for worker, own in hosts_of.items() for host in own}


def _numbers(hosts: int, loads: Mapping[str, int]) -> dict[str, int]:
    """How many hosts each worker gets: the same number, and one more for those that have the most, until the remainder
    is used up."""
    least, remainder = divmod(hosts, len(loads))
    by_load = sorted(loads, key=lambda worker: (-loads[worker], worker))
    return {worker: least + (place < remainder) for place, worker in enumerate(by_load)}


def _weight(worker: str, host: str) -> bytes:
    return blake2b(f"{worker}\0{host}".encode(), digest_size=8).digest()
