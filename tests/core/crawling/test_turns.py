"""The queue that waited longest gets a fixed share of the turns and no more."""

from dataclasses import dataclass

import pytest

from newsspider.frontier.claim_order import WAITED_SHARE, patient, waited_turns
from tests.support.tables import each


@dataclass(frozen=True)
class Waiting:
    host: str
    due_at: float


LISTS, ARTICLES = Waiting("a.cn", 90.0), Waiting("a.cn", 10.0)
ALL_LUCK = [n / 64 for n in range(64)]


def test_of_several_queues_of_a_host_the_longest_waiting_goes_first_in_its_share_of_the_turns() -> None:
    first = [patient([LISTS, ARTICLES], random_number)[0] for random_number in ALL_LUCK]
    assert first.count(ARTICLES) == len(ALL_LUCK) / WAITED_SHARE
    assert first.count(LISTS) == len(ALL_LUCK) - first.count(ARTICLES)


def test_hosts_with_one_queue_keep_their_order() -> None:
    queues = [Waiting("b.cn", 50.0), Waiting("c.cn", 1.0)]
    assert all(patient(queues, random_number) == queues for random_number in ALL_LUCK)


def test_the_longest_waiting_queue_does_not_overtake_other_hosts() -> None:
    queues = [LISTS, Waiting("b.cn", 5.0), ARTICLES]
    orders = {tuple(patient(queues, random_number)) for random_number in ALL_LUCK}
    assert orders == {tuple(queues), (queues[1], ARTICLES, LISTS)}


@each("n", [1, 3, 8, 64])
def test_the_share_holds_on_average_over_all_random_numbers(n: int) -> None:
    turns = [waited_turns(n, random_number) for random_number in ALL_LUCK]
    assert sum(turns) / len(turns) == pytest.approx(n / WAITED_SHARE)
    assert max(turns) <= n
