import itertools

import pytest

from newsspider.core.duplicates.first_source import Copy, chain, first_source, moment_of

DAY = 86_400
MIDNIGHT = 1_800_000_000 - (1_800_000_000 + 8 * 3600) % DAY  # in China


def copy(name, at, source=None, **values):
    return Copy(f"http://{name}", name, source, at, **{"found_at": MIDNIGHT + 3600.0 * 20, **values})


@pytest.mark.parametrize(
    ("copies", "first"),
    [
        ([copy("甲报", MIDNIGHT + 60), copy("乙网", MIDNIGHT + 120)], "甲报"),
        ([copy("甲报", MIDNIGHT + 120), copy("乙网", MIDNIGHT + 60, "甲报")], "甲报"),  # what a page says goes before its clock
        ([copy("甲报", MIDNIGHT + 120), copy("乙网", MIDNIGHT + 60, "甲报客户端")], "甲报"),
        ([copy("甲报", MIDNIGHT + 60, "新华社"), copy("乙网", MIDNIGHT + 120)], "乙网"),
        ([copy("甲报", MIDNIGHT + 60, "甲报"), copy("乙网", MIDNIGHT + 30, "乙网")], "乙网"),
        ([copy("甲报", MIDNIGHT + 60, weight=3), copy("乙网", MIDNIGHT + 60, weight=9)], "乙网"),
        ([copy("甲报", MIDNIGHT), copy("乙网", MIDNIGHT + 9 * 3600)], "乙网"),  # the day alone: by the time it was found
        ([copy("甲报", None), copy("乙网", MIDNIGHT + 60)], "乙网"),
    ],
)
def test_the_first_source(copies, first):
    for order in itertools.permutations(copies):
        assert first_source(order).site == first


def test_the_chain_goes_on_from_whoever_is_named():
    copies = [
        copy("丙网", MIDNIGHT + 300, "乙网"),
        copy("乙网", MIDNIGHT + 200, "甲报"),
        copy("丁网", MIDNIGHT + 400, "晚报"),
        copy("戊网", MIDNIGHT + 500),
        copy("甲报", MIDNIGHT + 100),
    ]
    steps = [(step.copy.site, step.taken_from, step.outlet) for step in chain(copies)]
    assert steps == [
        ("甲报", None, None),
        ("乙网", "http://甲报", None),
        ("丙网", "http://乙网", None),
        ("丁网", None, "晚报"),
        ("戊网", "http://甲报", None),
    ]


def test_where_all_took_it_from_elsewhere_the_outlet_is_named():
    steps = chain([copy("甲报", MIDNIGHT + 60, "新华社"), copy("乙网", MIDNIGHT + 120, "新华社")])
    assert [(step.copy.site, step.taken_from, step.outlet) for step in steps] == [("甲报", None, "新华社"), ("乙网", None, "新华社")]


def test_a_day_alone_is_over_when_the_page_was_found_on_another():
    assert moment_of(copy("甲报", MIDNIGHT, found_at=MIDNIGHT + 3 * DAY)) == MIDNIGHT + DAY - 1
    assert moment_of(copy("甲报", MIDNIGHT, found_at=MIDNIGHT + 500)) == MIDNIGHT + 500
    assert moment_of(copy("甲报", None, found_at=7.0)) == 7.0
